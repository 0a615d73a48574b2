import { lineOf, type LineStyle } from './format.js';
import { comparable, isExpression, printed } from './normal.js';
import type { Item } from './types.js';

/** One line of a snapshot. */
export interface Line {
  depth: number;
  text: string;
  item: Item;
  /** Index of the line that contains it; -1 at the top level. */
  parent: number;
}

/** A line, or a handle for several lines that were left out. */
export type Shown = { line: Line } | { depth: number; rest: Line[] };

/** Writes the items as lines, a container before its content. */
export function linesOf(items: readonly Item[], style: LineStyle, flat: boolean): Line[] {
  const out: Line[] = [];
  const add = (item: Item, depth: number, parent: number): void => {
    const keep = !flat || item.offered;
    const index = out.length;
    if (keep) out.push({ depth, text: lineOf(item, style), item, parent });
    for (const child of item.children)
      add(child, keep && !flat ? depth + 1 : depth, keep ? index : parent);
  };
  for (const item of items) add(item, 0, -1);
  return out;
}

/** Leaves out lines below a depth. Returns the indexes of the lines to keep. */
export function cutDepth(lines: readonly Line[], depth: number): Set<number> {
  const keep = new Set<number>();
  lines.forEach((line, index) => {
    if (line.depth < depth) keep.add(index);
  });
  return keep;
}

/** Keeps the lines that match, and the lines that contain them. */
export function cutFind(lines: readonly Line[], find: string): Set<number> {
  const test = matcher(find);
  const keep = new Set<number>();
  lines.forEach((line, index) => {
    if (!test(line.text) && !test(line.item.name)) return;
    for (let at = index; at >= 0; at = lines[at]?.parent ?? -1) keep.add(at);
  });
  return new Set([...keep].sort((a, b) => a - b));
}

/**
 * Returns a test for plain text or for `/expression/flags`. Case and the kinds of spaces do not count
 * in plain text; an expression is tested on the text as it is printed.
 */
export function matcher(find: string): (text: string) => boolean {
  if (!isExpression(find)) {
    const low = comparable(find).toLowerCase();
    return (text) => comparable(text).toLowerCase().includes(low);
  }
  const expression = expressionOf(find);
  return (text) => expression.test(printed(text));
}

/** The regular expression that `/expression/flags` means. It keeps no state. */
export function expressionOf(find: string): RegExp {
  const end = find.lastIndexOf('/');
  return new RegExp(printed(find.slice(1, end)), find.slice(end + 1).replace(/[gy]/g, ''));
}

/** The length of a handle's own line, in characters, at most, without indentation. */
const handleSize = 24;

/**
 * Keeps as many lines as the budget allows: what is in the viewport first, then the rest in reading
 * order. A line is kept only together with the lines that contain it.
 */
export function cutBudget(
  lines: readonly Line[],
  kept: ReadonlySet<number>,
  max: number,
  inView: (item: Item) => boolean,
): Set<number> {
  const cost = (index: number): number => {
    const line = lines[index];
    return line ? line.depth + line.text.length + 1 : 0;
  };
  let total = 0;
  for (const index of kept) total += cost(index);
  if (total <= max) return new Set(kept);
  const first: number[] = [];
  const later: number[] = [];
  for (const index of [...kept].sort((a, b) => a - b)) {
    const line = lines[index];
    if (line) (inView(line.item) ? first : later).push(index);
  }
  let budget = max;
  for (;;) {
    const keep = new Set<number>();
    let used = 0;
    for (const index of [...first, ...later]) {
      const path: number[] = [];
      for (let at = index; at >= 0 && !keep.has(at); at = lines[at]?.parent ?? -1) path.push(at);
      const price = path.reduce((sum, at) => sum + cost(at), 0);
      if (used + price > budget) break;
      used += price;
      for (const at of path) keep.add(at);
    }
    const size = sizeOf(fold(lines, keep));
    if (size <= max || budget <= 0) return keep;
    budget -= size - max;
  }
}

/** The lines in order, with a handle for each run of lines that was left out. */
export function fold(lines: readonly Line[], keep: ReadonlySet<number>): Shown[] {
  const out: Shown[] = [];
  let rest: Line[] = [];
  const close = (): void => {
    const [first] = rest;
    if (first) out.push({ depth: Math.min(...rest.map((line) => line.depth)), rest });
    rest = [];
  };
  lines.forEach((line, index) => {
    if (!keep.has(index)) {
      rest.push(line);
      return;
    }
    close();
    out.push({ line });
  });
  close();
  return out;
}

function sizeOf(shown: readonly Shown[]): number {
  let size = 0;
  for (const one of shown)
    size += 'line' in one ? one.line.depth + one.line.text.length + 1 : one.depth + handleSize;
  return size;
}

/** A line that a caller has seen, keyed by its ref or, without a ref, by its text. */
export interface Memory {
  key: string;
  text: string;
}

/**
 * What changed between two snapshots: `+` new, `~` changed, `-` gone. Items with a ref are compared
 * by ref, others by their text.
 */
export function difference(before: readonly Memory[], now: readonly Memory[]): string[] {
  const old = new Map<string, string[]>();
  for (const { key, text } of before) {
    const list = old.get(key);
    if (list) list.push(text);
    else old.set(key, [text]);
  }
  const out: string[] = [];
  for (const { key, text } of now) {
    const list = old.get(key);
    const was = list?.shift();
    if (was === undefined) out.push(`+ ${text}`);
    else if (was !== text) out.push(`~ ${text}`);
  }
  for (const list of old.values()) for (const text of list) out.push(`- ${text}`);
  return out;
}

/** Some lines of a snapshot, with parent indexes for that selection. */
export function reparent(all: readonly Line[], found: Line[]): Line[] {
  const index = new Map(found.map((line, at) => [line, at]));
  return found.map((line) => {
    const up = all[line.parent];
    return { ...line, parent: up ? (index.get(up) ?? -1) : -1 };
  });
}
