import type { ChatEntry, ChatEvent, ChatPage, Conversation } from '$ui/protocol/protocol';
import { ChatAppend, ChatHead, ChatPut, ChatRemove } from '$ui/protocol/protocol';

/** A position in the list. It keeps its identity while its entry changes. */
export interface Cell {
  readonly id: string;
  entry: ChatEntry;
}

/**
 * A conversation built from its events: entries in the order of their indexes. An event that was
 * already applied is dropped, so that nothing appears twice when a reconnect repeats events.
 */
export class Fold<C extends Cell> {
  /** The conversation without its entries; undefined before the first event. */
  head: Conversation | undefined;
  /** Replaced when entries are added or removed, never changed in place. */
  cells: readonly C[] = [];
  /** The last applied index. A watch continues after it. */
  index = 0;
  /** There are older entries before the first one. */
  more = false;

  readonly #make: (entry: ChatEntry) => C;
  readonly #byId = new Map<string, C>();

  /** `make` creates the cell of a new entry. */
  constructor(make: (entry: ChatEntry) => C) {
    this.#make = make;
  }

  /** Applies new events. */
  apply(events: readonly ChatEvent[]): void {
    let list: C[] | undefined;
    for (const event of events) {
      if (event.op === ChatHead) {
        // A head has no index of its own.
        this.head = event.head ?? this.head;
        continue;
      }
      if (event.index <= this.index) continue;
      this.index = event.index;
      if (event.op === ChatPut && event.entry !== undefined) {
        if (this.#replace(event.entry)) continue;
        list ??= [...this.cells];
        this.#insert(list, event.entry);
      } else if (event.op === ChatAppend && event.id !== undefined) {
        // The entry is in a page that was not requested yet.
        const cell = this.#byId.get(event.id);
        if (cell === undefined) continue;
        cell.entry = { ...cell.entry, text: (cell.entry.text ?? '') + (event.text ?? '') };
      } else if (event.op === ChatRemove) {
        list = this.#cut(list ?? [...this.cells], event.id);
      }
    }
    if (list !== undefined) this.cells = list;
  }

  /**
   * Replaces the newest part as a whole, because the viewer was too far behind. Older entries stay
   * when the two parts overlap: an entry is removed only together with all entries after it.
   */
  page(page: ChatPage): void {
    this.head = page.head;
    this.index = page.index;
    const first = page.entries[0];
    const overlap = first === undefined ? -1 : this.cells.findIndex((cell) => cell.id === first.id);
    const before = overlap > 0 ? this.cells.slice(0, overlap) : [];
    if (overlap <= 0) this.more = page.more;
    const known = new Map(this.#byId);
    this.#byId.clear();
    for (const cell of before) this.#byId.set(cell.id, cell);
    const newest = page.entries.map((entry) => {
      const cell = known.get(entry.id) ?? this.#make(entry);
      cell.entry = entry;
      this.#byId.set(cell.id, cell);
      return cell;
    });
    this.cells = [...before, ...newest];
  }

  /** Inserts older entries before the first one. */
  prepend(page: ChatPage): void {
    this.more = page.more;
    const first = this.cells[0]?.entry.index ?? Infinity;
    const older = page.entries.filter((entry) => entry.index < first && !this.#byId.has(entry.id));
    const made = older.map((entry) => {
      const cell = this.#make(entry);
      this.#byId.set(cell.id, cell);
      return cell;
    });
    if (made.length > 0) this.cells = [...made, ...this.cells];
  }

  /** The cell of an entry. */
  get(id: string): C | undefined {
    return this.#byId.get(id);
  }

  #replace(entry: ChatEntry): boolean {
    const cell = this.#byId.get(entry.id);
    if (cell === undefined) return false;
    cell.entry = entry;
    return true;
  }

  #insert(list: C[], entry: ChatEntry): void {
    const cell = this.#make(entry);
    this.#byId.set(cell.id, cell);
    let at = list.length;
    for (; at > 0; at--) if ((list[at - 1]?.entry.index ?? 0) <= entry.index) break;
    list.splice(at, 0, cell);
  }

  #cut(list: C[], id: string | undefined): C[] {
    const at = list.findIndex((cell) => cell.id === id);
    // The removed entry is older than the loaded ones, so all loaded entries come after it.
    const from = at < 0 && this.more ? 0 : at;
    if (from < 0) return list;
    for (const cell of list.slice(from)) this.#byId.delete(cell.id);
    return list.slice(0, from);
  }
}
