import type { PanelEvent, PickAction, PickedElement, TabID } from '$ui/protocol/protocol';
import { PickMark, PickStart, PickStop } from '$ui/protocol/protocol';
import { pickReplySchema } from '$ui/protocol/schemas/snapshot';
import type { Connection } from '../connection/connection';
import { RefusedError } from '../connection/request';

/** The callbacks that settle the pick in progress. */
interface Over {
  readonly resolve: (element: PickedElement | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The browser's own picker, with which the user picks an element of a page. */
export class Picker {
  /**
   * The elements that can be picked, in the order of the page; undefined while no
   * pick is in progress.
   */
  elements = $state.raw<readonly PickedElement[]>();
  readonly #connection: Connection;
  readonly #panel: () => string;
  #over: Over | undefined;
  /** Elements are highlighted one at a time; of those that wait, only the last is kept. */
  #marking = false;
  #next: string | undefined;

  /** `panel` returns the name of this panel. */
  constructor(connection: Connection, panel: () => string) {
    this.#connection = connection;
    this.#panel = panel;
  }

  /**
   * Lets the user pick an element of a tab. Returns undefined if they cancel.
   * Throws RefusedError or OfflineError.
   */
  async pick(tab: TabID): Promise<PickedElement | undefined> {
    this.cancel();
    const picked = new Promise<PickedElement | undefined>((resolve, reject) => {
      this.#over = { resolve, reject };
    });
    const own = this.#over;
    try {
      const { elements } = await this.#ask({ action: PickStart, tab });
      // The user may have picked before this reply arrived.
      if (this.#over === own) this.elements = elements;
    } catch (error) {
      // The user has cancelled meanwhile, so the error is not reported.
      if (this.#over !== own) return undefined;
      this.#end();
      throw error;
    }
    return picked;
  }

  /** Picks an element from the list. */
  choose(element: PickedElement): void {
    this.#finish(element);
  }

  /** Cancels the pick. */
  cancel(): void {
    this.#finish(undefined);
  }

  /** Ends the pick, because the socket is lost and the browser's picker ended with it. */
  lost(): void {
    this.#end()?.resolve(undefined);
  }

  /** Highlights an element on the page; an empty ref removes the highlight. */
  mark(ref: string): void {
    this.#next = ref;
    if (!this.#marking) void this.#mark();
  }

  apply(event: PanelEvent): void {
    if (event.type !== 'picked' || event.panel !== this.#panel()) return;
    const over = this.#end();
    if (event.error !== undefined) over?.reject(new RefusedError(event.error, 0));
    else over?.resolve(event.element);
  }

  async #mark(): Promise<void> {
    this.#marking = true;
    while (this.#next !== undefined && this.elements !== undefined) {
      const ref = this.#next;
      this.#next = undefined;
      try {
        await this.#ask({ action: PickMark, ref });
      } catch {
        // The user can pick an element even if it cannot be highlighted.
      }
    }
    this.#marking = false;
  }

  #finish(element: PickedElement | undefined): void {
    const over = this.#end();
    if (over === undefined) return;
    over.resolve(element);
    // If this request is lost, the backend ends the picker itself.
    this.#ask({ action: PickStop }).catch(() => undefined);
  }

  #end(): Over | undefined {
    const over = this.#over;
    this.#over = undefined;
    this.elements = undefined;
    this.#next = undefined;
    return over;
  }

  #ask(part: {
    action: PickAction;
    tab?: TabID;
    ref?: string;
  }): Promise<{ elements: PickedElement[] }> {
    const body = { panel: this.#panel(), ...part };
    return this.#connection.request('/inspector/pick', body, pickReplySchema);
  }
}
