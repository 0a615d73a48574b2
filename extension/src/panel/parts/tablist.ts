/**
 * Handles the arrow keys of a list of tabs, of which `at` has the focus: chooses the
 * one beside it, around the ends, and gives that the focus.
 */
export function moveTab(
  event: KeyboardEvent,
  at: number,
  count: number,
  choose: (to: number) => void,
): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const to = (at + step + count) % count;
  const list = (event.currentTarget as HTMLElement).closest('[role=tablist]');
  choose(to);
  list?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus();
}
