import { createContext } from 'svelte';
import type { ChatEntry, RouteKind, TabID } from '$ui/protocol/protocol';

/** What an entry may ask of its conversation. */
export interface ChatContext {
  /** What the agent is called. */
  readonly agent: string;
  /** Nothing runs that an edit would take back. */
  readonly resting: boolean;
  readonly entry: (id: string) => ChatEntry | undefined;
  readonly openLink: (url: string) => void;
  readonly showTab: (tab: TabID) => void;
  readonly answer: (approval: string, option: string) => void;
  readonly edit: (entry: ChatEntry) => void;
  /** Sends a message once more, another way. */
  readonly again: (entry: ChatEntry, route: RouteKind) => void;
  /** Changes the table of routes for good; undefined where there is no model to choose. */
  readonly rule: ((word: string, strong: boolean) => Promise<boolean>) | undefined;
  readonly restart: () => void;
  /** The address of a picture in the session's folder, for as long as the panel lives. */
  readonly picture: (path: string) => Promise<string | undefined>;
}

export const [getChat, setChat] = createContext<() => ChatContext>();
