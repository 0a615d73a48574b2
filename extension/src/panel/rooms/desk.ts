import type { RequestBodies } from '$ui/protocol/requests';
import type {
  ChatAttachment,
  CommandReply,
  FeedBatch,
  FeedName,
  Tab,
  TabID,
} from '$ui/protocol/protocol';
import type { RoomID } from '../drawer/rooms';
import type { Bounds } from '../connection/request';

/** Something that the user hands to the agent of the face in view. */
export interface SendItem {
  /**
   * What it is, in a few words of ours: "Console error", "Element e5". No text of the page: the
   * title is outside the mark that makes the rest data.
   */
  readonly title: string;
  /** The text, as it is; what comes from a page is marked as such when it is sent. */
  readonly text: string;
  /** The origin of the page that the text comes from; undefined for text of our own. */
  readonly origin?: string | undefined;
  /** Images or files, for a face that takes them: Chat. The others get the text only. */
  readonly attachments?: readonly ChatAttachment[] | undefined;
}

/** What a feed has reported: a batch, or why it ended. */
export interface Told {
  readonly batch: FeedBatch;
  readonly error?: { readonly message: string; readonly hint?: string } | undefined;
}

/** What a room of the drawer can see and do. The panel gives it to the room. */
export interface RoomDesk {
  /** The tab beside the panel; undefined while there is none. Reactive. */
  readonly tab: Tab | undefined;
  /** All tabs of the session. Reactive. */
  readonly tabs: readonly Tab[];
  /** Whether the backend is connected. Reactive. */
  readonly live: boolean;
  /** What the room was opened for, such as a ref; the room that reads it clears it. Reactive. */
  wanted: unknown;
  /**
   * Follows a feed after an index (0: from the beginning), also across lost
   * connections, until the returned function is called. `tab` is undefined for a feed
   * of all tabs.
   */
  follow(
    feed: FeedName,
    tab: TabID | undefined,
    after: number,
    on: (report: Told) => void,
  ): () => void;
  /** Runs a command as the user, on the tab beside the panel. A refused command is a reply, too. */
  run(
    command: string,
    args?: Readonly<Record<string, unknown>>,
    bounds?: Bounds,
  ): Promise<CommandReply>;
  /** Sends a request to another route of the backend; throws RefusedError with its message. */
  request<P extends keyof RequestBodies>(
    path: P,
    body: RequestBodies[P],
    bounds?: Bounds,
  ): Promise<unknown>;
  /** Puts something into the input of the face in view. It is never submitted. */
  send(item: SendItem): void;
  /** Opens a room, for something. */
  open(room: RoomID, wanted?: unknown): void;
  /** Shows an element in the room Elements, in its tab; without one, in the tab in front. */
  showElement(ref: string, tab?: TabID): void;
  /** Shows a short message. */
  say(text: string, tone?: 'ok' | 'danger'): void;
  /** Brings another tab to the front. */
  showTab(tab: TabID): void;
  openLink(url: string): void;
}
