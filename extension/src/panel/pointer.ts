import type { TabID } from '$ui/protocol/protocol';
import { PickShow } from '$ui/protocol/protocol';
import { pickReplySchema } from '$ui/protocol/schemas/snapshot';
import type { Connection } from './connection/connection';

/** Highlights an element on the page while the user points at it in a question. */
export class Pointer {
  readonly #connection: Connection;
  readonly #panel: () => string;
  /**
   * The element to highlight next. Requests are sent one at a time; of those that
   * wait, only the last is kept.
   */
  #next: { tab: TabID; ref: string } | undefined;
  #showing = false;

  /** `panel` returns the name of this panel. */
  constructor(connection: Connection, panel: () => string) {
    this.#connection = connection;
    this.#panel = panel;
  }

  /** Highlights an element of a tab. An empty ref removes the highlight. */
  show(tab: TabID, ref: string): void {
    this.#next = { tab, ref };
    if (!this.#showing) void this.#show();
  }

  async #show(): Promise<void> {
    this.#showing = true;
    while (this.#next !== undefined) {
      const body = { panel: this.#panel(), action: PickShow, ...this.#next } as const;
      this.#next = undefined;
      try {
        await this.#connection.request('/inspector/pick', body, pickReplySchema);
      } catch {
        // The user can choose an element even if it cannot be highlighted.
      }
    }
    this.#showing = false;
  }
}
