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
  /** Brings a message back to be written anew; undefined where nothing is written. */
  readonly edit: ((entry: ChatEntry) => void) | undefined;
  /** Sends a message once more, another way; undefined where nothing is sent. */
  readonly again: ((entry: ChatEntry, route: RouteKind) => void) | undefined;
  /** Changes the table of routes for good; undefined where there is no model to choose. */
  readonly rule: ((word: string, strong: boolean) => Promise<boolean>) | undefined;
  readonly restart: () => void;
  /** The address of a picture in the session's folder, for as long as the viewer lives. */
  readonly picture: (path: string) => Promise<string | undefined>;
}

export const [getChat, setChat] = createContext<() => ChatContext>();
