import type { Rects } from './geometry.js';

/** A board has at least this many cells. */
const leastCells = 9;
/** How much the sizes of two cells may differ, in pixels. */
const slack = 2;

/**
 * Describes the cells of an element that handles clicks for all of them: a board, a calendar, a
 * grid of colours. With its box, the caller can give a point in each cell.
 */
export function cellsIn(el: Element, rects: Rects): string | undefined {
  let cells = [...el.children];
  if (cells.length < 2) return undefined;
  if (cells.every((row) => row.childElementCount > 1))
    cells = cells.flatMap((row) => [...row.children]);
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
  return `${lefts.size}x${tops.size} cells of ${Math.round(width)}x${Math.round(height)}`;
}
