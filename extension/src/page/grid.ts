import type { FlatTree } from './flat.js';

/** A cell at one position. A cell that spans rows or columns is at each of their positions. */
export interface Cell {
  /** null where the row has no cell for the column. */
  el: Element | null;
  /** The cell is repeated here because it spans: it began in an earlier column or row. */
  again: boolean;
}

/** One row of a table as a reader sees it. */
export interface Row {
  el: Element;
  cells: Cell[];
}

/** A cell with a larger colspan than this is taken to span the whole table. */
const widest = 100;

/** The visible rows of a table, each cell in its column. */
export function gridOf(table: HTMLTableElement): Row[] {
  const rows = [...table.rows].filter(drawn);
  const shown = rows.map((row) => [...row.cells].filter(drawn));
  const width = Math.max(
    0,
    ...shown.map((cells) =>
      cells.reduce((sum, { colSpan }) => sum + (colSpan > widest ? 1 : colSpan), 0),
    ),
  );
  const out = rows.map((): (Cell | undefined)[] => []);
  rows.forEach((_, at) => {
    const cells = out[at] ?? [];
    let column = 0;
    for (const el of shown[at] ?? []) {
      while (cells[column]) column += 1;
      const columns = Math.max(1, Math.min(el.colSpan, width - column));
      // 0 means: to the last row.
      const rowsOf = el.rowSpan === 0 ? rows.length - at : Math.min(el.rowSpan, rows.length - at);
      for (let down = 0; down < rowsOf; down++)
        for (let right = 0; right < columns; right++) {
          const below = out[at + down];
          if (below) below[column + right] ??= { el, again: down > 0 || right > 0 };
        }
      column += columns;
    }
  });
  return rows.map((el, at) => ({
    el,
    cells: Array.from(out[at] ?? [], (cell) => cell ?? { el: null, again: true }),
  }));
}

/** The rows of an element that ARIA makes a table. */
export function ariaGrid(tree: FlatTree, table: Element): Row[] {
  const rows: Row[] = [];
  for (const el of tree.all(table)) {
    const role = el.getAttribute('role');
    if (role === 'row' && drawn(el)) rows.push({ el, cells: [] });
    else if (role !== null && /^(cell|gridcell|columnheader|rowheader)$/.test(role) && drawn(el)) {
      const row = rows.at(-1);
      if (row && tree.contains(row.el, el)) row.cells.push({ el, again: false });
    }
  }
  return rows.filter(({ cells }) => cells.length > 0);
}

/** How many of the first rows contain only column headers. */
export function headRows(rows: readonly Row[]): number {
  let count = 0;
  for (const { el, cells } of rows) {
    const names =
      el.parentElement?.localName === 'thead' || cells.every(({ el: cell }) => isHeader(cell));
    if (!names) break;
    count += 1;
  }
  // Without rows below them they are the table's content.
  return count === rows.length ? Math.min(count, rows.length > 1 ? 1 : 0) : count;
}

/** The names of the columns. When several header rows name a column, the upper name comes first. */
export function columns(rows: readonly Row[], text: (el: Element) => string): string[] {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return Array.from({ length: width }, (_, at) => {
    const names: string[] = [];
    for (const { cells } of rows) {
      const cell = cells[at];
      const name = cell?.el ? text(cell.el) : '';
      if (name !== '' && !names.includes(name)) names.push(name);
    }
    return names.join(' / ');
  });
}

/** Whether a table is used only for layout, as old pages do. */
export function isLayout(table: HTMLTableElement): boolean {
  if (/^(none|presentation)$/.test(table.getAttribute('role') ?? '')) return true;
  if (table.hasAttribute('role') || table.caption || table.tHead) return false;
  const own = [...table.rows].flatMap((row) => [...row.cells]);
  if (own.some((cell) => cell.localName === 'th')) return false;
  return own.length < 2 || table.querySelector('table,form,h1,h2,h3,h4,h5,h6,iframe') !== null;
}

function isHeader(el: Element | null): boolean {
  if (el === null) return false;
  return el.localName === 'th' || /^(columnheader|rowheader)$/.test(el.getAttribute('role') ?? '');
}

function drawn(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true });
}
