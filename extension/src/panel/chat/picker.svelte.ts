import type { PanelEvent, PickedElement, TabID } from '$ui/protocol/protocol';
import { PickMark, PickStart, PickStop } from '$ui/protocol/protocol';
import { pickReplySchema } from '$ui/protocol/schema';
import type { Connection } from '../connection/connection';
import { RefusedError } from '../connection/request';

/** The end of what is being picked. */
interface Over {
  readonly resolve: (element: PickedElement | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The browser's own picker, with which a person picks an element of a page. */
export class Picker {
  /** What can be picked, in the order of the page; undefined while nothing is being picked. */
  elements = $state.raw<readonly PickedElement[]>();
  readonly #connection: Connection;
  readonly #panel: () => string;
  #over: Over | undefined;
  /** Marks are shown one after the other, and of those that wait only the last. */
  #marking = false;
  #next: string | undefined;

  /** `panel` is the name of this view. */
  constructor(connection: Connection, panel: () => string) {
    this.#connection = connection;
    this.#panel = panel;
  }

  /**
   * Has a person pick an element of a tab; undefined when they gave up. Throws
   * RefusedError or OfflineError.
   */
  async pick(tab: TabID): Promise<PickedElement | undefined> {
    this.cancel();
    const picked = new Promise<PickedElement | undefined>((resolve, reject) => {
      this.#over = { resolve, reject };
    });
    const own = this.#over;
    try {
      const { elements } = await this.#ask({ action: PickStart, tab });
      // A fast hand has picked before the reply was read.
      if (this.#over === own) this.elements = elements;
    } catch (error) {
      // Whoever gave up meanwhile is not told why it did not begin.
      if (this.#over !== own) return undefined;
      this.#end();
      throw error;
    }
    return picked;
  }

  /** Takes one of what can be picked. */
  choose(element: PickedElement): void {
    this.#finish(element);
  }

  /** The person gives up. */
  cancel(): void {
    this.#finish(undefined);
  }

  /** The socket is gone, and the picker with it. */
  lost(): void {
    this.#end()?.resolve(undefined);
  }

  /** Shows an element on the page; an empty ref shows none. */
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
        // What cannot be shown can be picked all the same.
      }
    }
    this.#marking = false;
  }

  #finish(element: PickedElement | undefined): void {
    const over = this.#end();
    if (over === undefined) return;
    over.resolve(element);
    // The backend ends it by itself, too, when it does not hear this.
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
    action: string;
    tab?: TabID;
    ref?: string;
  }): Promise<{ elements: PickedElement[] }> {
    const body = { panel: this.#panel(), ...part };
    return this.#connection.request('/inspector/pick', body, pickReplySchema);
  }
}
