import type { ChatEntry, ChatEvent, ChatPage, Conversation } from '$ui/protocol/protocol';
import { Fold, type Cell } from './core/fold';

/** A reactive cell: when its entry changes, only the component that shows it is updated. */
class Place implements Cell {
  readonly id: string;
  // eslint-disable-next-line @typescript-eslint/non-nullable-type-assertion-style -- it is set at once
  entry: ChatEntry = $state.raw() as ChatEntry;

  constructor(entry: ChatEntry) {
    this.id = entry.id;
    this.entry = entry;
  }
}

/** A watched conversation, as its viewer sees it. */
export class Transcript {
  cells = $state.raw<readonly Cell[]>([]);
  head = $state.raw<Conversation>();
  more = $state(false);
  /**
   * At least one event or page has arrived since the watch began, so an empty conversation really
   * is empty.
   */
  known = $state(false);
  /** Incremented with each update. */
  version = $state(0);
  /** Older entries are being fetched. */
  fetching = $state(false);

  readonly #fold = new Fold<Cell>((entry) => new Place(entry));
  #waiting: (ChatEvent[] | ChatPage)[] = [];
  #frame: number | undefined;

  /** The last applied index. */
  get index(): number {
    return this.#fold.index;
  }

  /** The entry with an id, when it is loaded. */
  entry(id: string): ChatEntry | undefined {
    return this.#fold.get(id)?.entry;
  }

  /**
   * Queues events. An agent may send thousands of events in a second, and the user sees one update
   * per frame, so they are applied once per frame.
   */
  take(said: ChatEvent[] | ChatPage): void {
    this.#waiting.push(said);
    // A hidden panel draws no frames, and the first update should not wait for one.
    if (document.hidden || !this.known) this.#draw();
    else
      this.#frame ??= requestAnimationFrame(() => {
        this.#draw();
      });
  }

  /** Inserts older entries before the first one. */
  prepend(page: ChatPage): void {
    this.#fold.prepend(page);
    this.#show();
  }

  #draw(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    for (const said of this.#waiting.splice(0)) {
      if (Array.isArray(said)) this.#fold.apply(said);
      else this.#fold.page(said);
    }
    this.#show();
  }

  #show(): void {
    this.known = true;
    this.cells = this.#fold.cells;
    this.head = this.#fold.head;
    this.more = this.#fold.more;
    this.version += 1;
  }
}
