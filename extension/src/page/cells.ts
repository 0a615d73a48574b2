import type { Rects } from './geometry.js';
import { count, markup, plain } from './kinds.js';
import type { Item } from './types.js';

/** A board has at least this many cells. */
const leastCells = 9;
/** A larger board does not show its cells: in view of a part of it, all of them would be read. */
const shownMost = 1000;
/** How much the sizes of two cells may differ, in pixels. */
const slack = 2;

/** The tags of a table that may listen for all their cells. */
const tabular: ReadonlySet<string> = new Set(['table', 'tbody']);

/** An element that handles clicks for all its cells: a board, a calendar, a grid of colours. */
interface Board {
  /** How many cells of which size. With the box, the caller can give a point in each cell. */
  says: string;
  cells: Element[];
  columns: number;
}

/** The board that an element is; undefined when its cells are not of one size in rows. */
function cellsIn(el: Element, rects: Rects): Board | undefined {
  const cells = childCells(el);
  if (cells.length < leastCells || cells.length > 10_000) return undefined;
  const first = cells[0];
  if (!first) return undefined;
  const { width, height } = rects.own(first);
  if (width < 4 || height < 4) return undefined;
  const tops = new Set<number>();
  const lefts = new Set<number>();
  for (const cell of cells) {
    const rect = rects.own(cell);
    if (Math.abs(rect.width - width) > slack || Math.abs(rect.height - height) > slack)
      return undefined;
    tops.add(Math.round(rect.top / slack));
    lefts.add(Math.round(rect.left / slack));
  }
  if (tops.size * lefts.size !== cells.length) return undefined;
  const says = `${lefts.size}x${tops.size} cells of ${Math.round(width)}x${Math.round(height)}`;
  return { says, cells, columns: lefts.size };
}

/** The elements that would be the cells: the children, or those of every child. */
function childCells(el: Element): Element[] {
  const rows = el instanceof HTMLTableElement ? [...el.rows] : [...el.children];
  if (rows.length < 2) return [];
  return rows.every((row) => row.childElementCount > 1)
    ? rows.flatMap((row) => [...row.children])
    : rows;
}

/** The cells row by row as they lie on the page, whatever their order in the document. */
function inOrder(cells: readonly Element[], columns: number, rects: Rects): Element[] {
  const placed = cells.map((cell) => ({ cell, rect: rects.own(cell) }));
  placed.sort((a, b) => a.rect.top - b.rect.top);
  const out: Element[] = [];
  for (let at = 0; at < placed.length; at += columns) {
    const row = placed.slice(at, at + columns).sort((a, b) => a.rect.left - b.rect.left);
    out.push(...row.map(({ cell }) => cell));
  }
  return out;
}

/**
 * Shows an element that listens for all its cells as their rows; `content` gives the text of a
 * cell. Returns false for any other element.
 */
export function asBoard(item: Item, rects: Rects, content: (cell: Element) => string): boolean {
  const { el, children } = item;
  if (!markup.has(item.role) && !tabular.has(el.localName)) return false;
  if (item.name !== '' || count(children) > 0) return false;
  const board = cellsIn(el, rects);
  if (!board) return false;
  if (markup.has(item.role)) item.role = 'click';
  item.states.push(board.says);
  item.drawn = true;
  const said = children.length > 0 && children.every((child) => plain.has(child.role));
  if (!said || children.some((child) => child.children.length > 0)) return true;
  if (board.cells.length > shownMost) return true;
  const columns = board.columns;
  const cells = inOrder(board.cells, columns, rects).map(content);
  item.children = [];
  if (cells.some((text) => text !== ''))
    for (let at = 0; at < cells.length; at += columns)
      item.children.push(rowOf(el, cells.slice(at, at + columns)));
  return true;
}

/** A row of a board as an item. */
function rowOf(el: Element, cells: string[]): Item {
  const row = { el, role: 'row', name: '', states: [], offered: false, num: 0 };
  return { ...row, cells, inView: true, children: [] };
}
