import type { ChatEntry, ChatEvent, ChatPage, Conversation } from '$ui/protocol/protocol';
import { Fold, type Cell } from './core/fold';

/** The place of an entry whose change is seen by what shows it, and by nothing else. */
class Place implements Cell {
  readonly id: string;
  // eslint-disable-next-line @typescript-eslint/non-nullable-type-assertion-style -- it is set at once
  entry: ChatEntry = $state.raw() as ChatEntry;

  constructor(entry: ChatEntry) {
    this.id = entry.id;
    this.entry = entry;
  }
}

/** A conversation that is watched, as its viewer sees it. */
export class Talk {
  cells = $state.raw<readonly Cell[]>([]);
  head = $state.raw<Conversation>();
  more = $state(false);
  /** It was heard of since the watch began: an empty one is empty, and not on its way. */
  known = $state(false);
  /** Counts what was taken in. */
  version = $state(0);
  /** Older entries are being fetched. */
  fetching = $state(false);

  readonly #fold = new Fold<Cell>((entry) => new Place(entry));
  #waiting: (ChatEvent[] | ChatPage)[] = [];
  #frame: number | undefined;

  /** How far it has seen. */
  get index(): number {
    return this.#fold.index;
  }

  /** The entry of an id, when it is here. */
  entry(id: string): ChatEntry | undefined {
    return this.#fold.get(id)?.entry;
  }

  /**
   * Takes in what was said. An agent may say thousands of things in a second;
   * a person sees one picture per frame, so that is how often it is drawn.
   */
  take(said: ChatEvent[] | ChatPage): void {
    this.#waiting.push(said);
    // A hidden panel draws no frames, and nobody waits one for the first picture.
    if (document.hidden || !this.known) this.#draw();
    else
      this.#frame ??= requestAnimationFrame(() => {
        this.#draw();
      });
  }

  /** Puts older entries before the first. */
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
