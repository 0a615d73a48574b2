import { consoleItemSchema } from '$ui/protocol/schemas/observed';
import type { ConsoleItem, PageRun } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Told } from '../desk';

/** How many lines are shown; the backend keeps as many. */
export const linesKept = 5000;

/** A script that the user ran, and what came of it. */
export interface Ran {
  readonly script: string;
  readonly run?: PageRun;
  /** Why the script did not run. */
  readonly error?: string;
}

export interface Line {
  readonly key: number;
  readonly item?: ConsoleItem;
  /** How often the same line came, one after the other. */
  readonly count: number;
  readonly ran?: Ran;
}

/** Whether two entries look the same, so that a count can stand for the second. */
function alike(a: ConsoleItem, b: ConsoleItem): boolean {
  const plain = ({ args = [], begins, clears, navigated }: ConsoleItem): boolean =>
    !args.some(({ handle, type }) => handle !== undefined && type !== 'error') &&
    begins === undefined &&
    clears !== true &&
    navigated !== true;
  return (
    plain(a) &&
    plain(b) &&
    a.entry.text === b.entry.text &&
    a.entry.level === b.entry.level &&
    a.entry.source === b.entry.source &&
    a.entry.url === b.entry.url &&
    a.entry.line === b.entry.line &&
    a.page === b.page &&
    a.group === b.group
  );
}

/** The lines of a tab's console, as its feed tells them, with the scripts of the user. */
export class Lines {
  /** Oldest first. */
  all = $state.raw<readonly Line[]>([]);
  error = $state.raw<{ readonly message: string; readonly hint?: string }>();
  /** The number of the tab's document. */
  page = $state(0);
  #last = 0;

  apply({ batch, error }: Told): void {
    this.error = error;
    const all = batch.gap === true ? [] : [...this.all];
    for (const one of batch.items) {
      const read = v.safeParse(consoleItemSchema, one);
      if (!read.success) continue;
      const item = read.output;
      this.page = item.page;
      const before = all.at(-1);
      if (before?.item !== undefined && alike(before.item, item))
        all[all.length - 1] = { ...before, count: before.count + 1 };
      else all.push({ key: (this.#last += 1), item, count: 1 });
    }
    all.splice(0, Math.max(0, all.length - linesKept));
    this.all = all;
  }

  /** Adds a script; the returned function adds what came of it. */
  ran(script: string): (result: Omit<Ran, 'script'>) => void {
    this.all = [...this.all, { key: (this.#last += 1), count: 1, ran: { script } }];
    return (result) => {
      // What the script wrote comes before its result.
      this.all = [
        ...this.all,
        { key: (this.#last += 1), count: 1, ran: { script: '', ...result } },
      ];
    };
  }

  reset(): void {
    this.all = [];
    this.error = undefined;
    this.page = 0;
  }
}

/** The levels that the user can choose. */
export const levels = ['error', 'warning', 'info', 'debug'] as const;
export type Level = (typeof levels)[number];

export const levelOf = ({ entry }: ConsoleItem): Level =>
  entry.level === 'log' ? 'info' : (levels.find((level) => level === entry.level) ?? 'info');

export interface LineFilter {
  readonly text: string;
  readonly hidden: ReadonlySet<Level>;
  /** Whether to show what was written before the last navigation or clear. */
  readonly preserve: boolean;
  /** The groups that the user opened or closed, by the key of their heading. */
  readonly toggled: ReadonlySet<number>;
}

/** Whether a heading's group is closed. */
export const isClosed = ({ key, item }: Line, toggled: ReadonlySet<number>): boolean =>
  (item?.begins === 'collapsed') !== toggled.has(key);

/** The lines in view. */
export function shown(
  all: readonly Line[],
  page: number,
  { text, hidden, preserve, toggled }: LineFilter,
): readonly Line[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const cleared = preserve ? -1 : all.findLastIndex(({ item }) => item?.clears === true);
  /** The depth of the closed group that the next lines may be in. */
  let closed = Infinity;
  return all.filter((line, at) => {
    const { item } = line;
    if (item === undefined) return true;
    if (!preserve && (item.page !== page || at < cleared || item.navigated === true)) return false;
    const depth = item.group ?? 0;
    if (depth > closed) return false;
    closed = item.begins !== undefined && isClosed(line, toggled) ? depth : Infinity;
    if (item.navigated === true || item.clears === true) return true;
    if (hidden.has(levelOf(item))) return false;
    const all = `${item.entry.text} ${item.entry.url ?? ''}`.toLowerCase();
    return words.every((word) =>
      word.length > 1 && word.startsWith('-') ? !all.includes(word.slice(1)) : all.includes(word),
    );
  });
}
