import type { TabID } from '$ui/protocol/protocol';
import { PickShow } from '$ui/protocol/protocol';
import { pickReplySchema } from '$ui/protocol/schema';
import type { Connection } from './connection/connection';

/** Shows an element on the page while the person points at it in a question. */
export class Pointer {
  readonly #connection: Connection;
  readonly #panel: () => string;
  /** Elements are shown one after the other, and of those that wait only the last. */
  #next: { tab: TabID; ref: string } | undefined;
  #showing = false;

  /** `panel` is the name of this view. */
  constructor(connection: Connection, panel: () => string) {
    this.#connection = connection;
    this.#panel = panel;
  }

  /** Shows an element of a tab; an empty ref shows none. */
  show(tab: TabID, ref: string): void {
    this.#next = { tab, ref };
    if (!this.#showing) void this.#show();
  }

  async #show(): Promise<void> {
    this.#showing = true;
    while (this.#next !== undefined) {
      const body = { panel: this.#panel(), action: PickShow, ...this.#next };
      this.#next = undefined;
      try {
        await this.#connection.request('/inspector/pick', body, pickReplySchema);
      } catch {
        // What cannot be shown can be chosen all the same.
      }
    }
    this.#showing = false;
  }
}
