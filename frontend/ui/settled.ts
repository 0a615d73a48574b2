/** How long a question must have been in view before a click counts, in milliseconds. */
export const settleTime = 500;

/** Whether a click comes late enough after the question to be meant for it. */
export function settled(shownAt: number | undefined, clickedAt: number): boolean {
  return shownAt !== undefined && clickedAt - shownAt >= settleTime;
}
