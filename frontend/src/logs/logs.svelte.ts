import type { LogRecord } from '$ui/protocol/protocol';

/** How many records the view keeps; older ones are only in the log files. */
export const logCapacity = 5_000;

/** Levels in ascending order, as slog names them. */
export const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;

export type Level = (typeof levels)[number];

/** The rank of a level. An unknown level is never filtered out. */
export function rank(level: string): number {
  const at = levels.findIndex((known) => level.startsWith(known));
  return at < 0 ? levels.length : at;
}

/** A record as one line, for the clipboard. */
export function line(record: LogRecord): string {
  return [record.time, record.level, record.component, record.message, record.attrs]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/**
 * The live log: all records, and those shown. Records come in batches. The first batch (the
 * requested tail) may overlap with events.
 */
export class LogView {
  #all: LogRecord[] = [];
  #waiting: LogRecord[] = [];
  #last = 0;
  /** The words of the text filter; a record must contain all of them. */
  #words: readonly string[] = [];
  #shown = $state.raw<readonly LogRecord[]>([]);
  #missed = $state(0);
  #paused = $state(false);
  #level = $state<Level>('DEBUG');
  #text = $state('');
  /**
   * How many rows have been removed from the front so far; the list uses it to keep its position.
   */
  dropped = $state(0);

  /** The records that pass the filters, oldest first. */
  get shown(): readonly LogRecord[] {
    return this.#shown;
  }

  /** How many records came while the view was paused. */
  get missed(): number {
    return this.#missed;
  }

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    this.#paused = paused;
    if (paused) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#missed = 0;
    this.#append(waiting);
  }

  get level(): Level {
    return this.#level;
  }

  set level(level: Level) {
    this.#level = level;
    this.#filter();
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.#filter();
  }

  /** Whether a filter hides anything at all. */
  get filtered(): boolean {
    return this.#level !== 'DEBUG' || this.#text.trim() !== '';
  }

  /** Adds records, except those that are here already. */
  push(records: readonly LogRecord[]): void {
    const fresh = this.#fresh(records);
    if (fresh.length === 0) return;
    if (this.#paused) {
      this.#waiting = [...this.#waiting, ...fresh].slice(-logCapacity);
      this.#missed += fresh.length;
      return;
    }
    this.#append(fresh);
  }

  /** Empties the view; the log itself does not change. */
  clear(): void {
    this.#all = [];
    this.#waiting = [];
    this.#missed = 0;
    this.#filter();
  }

  #fresh(records: readonly LogRecord[]): readonly LogRecord[] {
    const first = records[0];
    const newest = records.at(-1);
    if (!first || !newest) return [];
    if (first.seq > this.#last) {
      this.#last = newest.seq;
      return records;
    }
    // The requested tail overlaps with records that came by event: insert it before them, without
    // duplicates.
    const known = this.#all[0];
    if (known && first.seq < known.seq && !this.#paused) {
      const before = records.filter((record) => record.seq < known.seq);
      this.#all = [...before, ...this.#all].slice(-logCapacity);
      this.#filter();
    }
    const after = records.filter((record) => record.seq > this.#last);
    this.#last = Math.max(this.#last, newest.seq);
    return after;
  }

  #append(records: readonly LogRecord[]): void {
    if (records.length === 0) return;
    const all = [...this.#all, ...records];
    const over = Math.max(0, all.length - logCapacity);
    const gone = all.slice(0, over).filter(this.#passes).length;
    this.#all = over > 0 ? all.slice(over) : all;
    this.#shown = [...this.#shown, ...records.filter(this.#passes)].slice(gone);
    this.dropped += gone;
  }

  #filter(): void {
    this.#shown = this.#all.filter(this.#passes);
    this.dropped = 0;
  }

  readonly #passes = (record: LogRecord): boolean => {
    if (rank(record.level) < rank(this.#level)) return false;
    if (this.#words.length === 0) return true;
    const text =
      `${record.level} ${record.component ?? ''} ${record.message} ${record.attrs ?? ''}`.toLowerCase();
    return this.#words.every((word) => text.includes(word));
  };
}
