/**
 * How long a question must have been visible before a click counts, in milliseconds. It must be
 * longer than a slow double click: its second click meets the question that moves up when the first
 * one is answered. A second click after 700 ms was still part of a double click.
 */
export const settleTime = 800;

/** Whether a click comes late enough after the question appeared to be meant for it. */
export function settled(shownAt: number | undefined, clickedAt: number): boolean {
  return shownAt !== undefined && clickedAt - shownAt >= settleTime;
}
