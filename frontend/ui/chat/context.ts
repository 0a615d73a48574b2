import { createContext } from 'svelte';
import type {
  ChatEntry,
  ChatWhich,
  MessageID,
  RouteKind,
  TabID,
  TaskPlainChoice,
} from '$ui/protocol/protocol';

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
  /** The agent is one model: there is no fast and no strong one to choose. */
  readonly oneModel?: boolean;
  /** Starts the agent again; undefined where that is offered elsewhere. */
  readonly restart: (() => void) | undefined;
  /** Says which element was meant; undefined where nothing is sent. */
  readonly choose: ((which: ChatWhich, element: TaskPlainChoice) => void) | undefined;
  /** Shows an element of a tab on the page, or none for an empty ref; undefined where there is no page. */
  readonly point: ((tab: TabID | undefined, ref: string) => void) | undefined;
  /** The message that was sent last: only what answers it can still be chosen. */
  readonly latest: MessageID | undefined;
  /** Shows a picture in full; undefined where it is shown in place. */
  readonly openPicture: ((url: string) => void) | undefined;
  /** The address of a picture in the session's folder, for as long as the viewer lives. */
  readonly picture: (path: string) => Promise<string | undefined>;
}

export const [getChat, setChat] = createContext<() => ChatContext>();
