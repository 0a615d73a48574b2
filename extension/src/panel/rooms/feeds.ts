import {
  PanelFollow,
  PanelUnfollow,
  type FeedEvent,
  type FeedName,
  type PanelMessage,
  type TabID,
} from '$ui/protocol/protocol';
import type { Told } from './desk';

interface Following {
  readonly feed: FeedName;
  readonly tab: TabID | undefined;
  after: number;
  readonly on: (report: Told) => void;
}

/**
 * The feeds that the panel's rooms follow over the panel's socket. After a lost
 * connection each continues after the last index that arrived.
 */
export class Feeds {
  readonly #send: (message: PanelMessage) => void;
  readonly #following = new Map<number, Following>();
  #last = 0;

  constructor(send: (message: PanelMessage) => void) {
    this.#send = send;
  }

  /** Follows a feed until the returned function is called. */
  follow(
    feed: FeedName,
    tab: TabID | undefined,
    after: number,
    on: (report: Told) => void,
  ): () => void {
    this.#last += 1;
    const id = this.#last;
    const following = { feed, tab, after, on };
    this.#following.set(id, following);
    this.#ask(id, following);
    return () => {
      if (this.#following.delete(id)) this.#send({ type: PanelUnfollow, id });
    };
  }

  /** The connection is live again: the backend does not know what was followed. */
  again(): void {
    for (const [id, following] of this.#following) this.#ask(id, following);
  }

  apply(event: FeedEvent): void {
    const following = this.#following.get(event.id);
    if (following === undefined) return; // it has just been ended
    following.after = event.batch.last;
    following.on({ batch: event.batch, error: event.error });
  }

  #ask(id: number, { feed, tab, after }: Following): void {
    this.#send({ type: PanelFollow, id, feed, after, ...(tab !== undefined && { tab }) });
  }
}
