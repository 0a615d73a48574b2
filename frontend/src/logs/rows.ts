/** Height of one row in CSS pixels; LogList's styles have the same number. */
export const rowHeight = 22;

/** How many rows are drawn beyond each edge, so that a quick scroll shows no gap. */
export const overscan = 12;

export interface Rows {
  /** The first drawn row, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** The rows to draw for a viewport. */
export function visibleRows(scrollTop: number, height: number, count: number): Rows {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
  const to = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + overscan);
  return { from: Math.min(from, to), to };
}

/** Whether the viewport is at the end. Only then the list follows. */
export function atEnd(scrollTop: number, height: number, count: number): boolean {
  return scrollTop + height >= count * rowHeight - rowHeight / 2;
}

/** The time of day with milliseconds, in the user's own zone. */
export function clock(time: string): string {
  const date = new Date(time);
  const two = (n: number) => String(n).padStart(2, '0');
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}
