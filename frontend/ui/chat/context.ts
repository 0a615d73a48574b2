import { createContext } from 'svelte';
import type { Turn } from '$ui/approvals/turn';
import type {
  ChatEntry,
  ChatWhich,
  MessageID,
  RouteKind,
  TabID,
  TaskPlainChoice,
} from '$ui/protocol/protocol';

/** What an entry can read of its conversation and do in it. */
export interface ChatContext {
  /** The agent's name. */
  readonly agent: string;
  /** No turn is running that an edit would undo. */
  readonly resting: boolean;
  readonly entry: (id: string) => ChatEntry | undefined;
  readonly openLink: (url: string) => void;
  readonly showTab: (tab: TabID) => void;
  /** Gives an answer; false says that it did not arrive, and may be given again. */
  readonly answer: (approval: string, option: string) => Promise<boolean>;
  /** Brings a message back to be written anew; undefined where nothing is written. */
  readonly edit: ((entry: ChatEntry) => void) | undefined;
  /** Sends a message again with another route; undefined where nothing can be sent. */
  readonly again: ((entry: ChatEntry, route: RouteKind) => void) | undefined;
  /**
   * Sends the last message again, whose answer failed with this end; undefined where no answer failed
   * or nothing can be sent.
   */
  readonly retry?: { readonly end: string; readonly run: () => void } | undefined;
  /** The whole answer that ends with an entry, as Markdown; empty for one of a single text. */
  readonly whole?: (end: string) => string;
  /** Changes the routing table permanently; undefined where there is no model to choose. */
  readonly rule: ((word: string, strong: boolean) => Promise<boolean>) | undefined;
  /** The agent is a single model: there is no choice of fast and strong. */
  readonly oneModel?: boolean;
  /** Restarts the agent; undefined where that is offered elsewhere. */
  readonly restart: (() => void) | undefined;
  /** Chooses the element that was meant; undefined where nothing can be sent. */
  readonly choose: ((which: ChatWhich, element: TaskPlainChoice) => void) | undefined;
  /**
   * Highlights an element on the page of a tab; an empty ref removes the highlight; undefined where there
   * is no page.
   */
  readonly point: ((tab: TabID | undefined, ref: string) => void) | undefined;
  /** Shows an element in Elements; undefined where there is no such room. */
  readonly showRef: ((ref: string) => void) | undefined;
  /** The last message: only questions in its answer can still be answered. */
  readonly latest: MessageID | undefined;
  /** Shows an image in full size; undefined where it is shown in place. */
  readonly openPicture: ((url: string) => void) | undefined;
  /** The URL of an image in the session's folder, valid as long as the viewer exists. */
  readonly picture: (path: string) => Promise<string | undefined>;
}

export const [getChat, setChat] = createContext<() => ChatContext>();

/** Which of the questions of a conversation takes a click. */
export const [getTurn, setTurn] = createContext<Turn>();
