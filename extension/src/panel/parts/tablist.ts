/**
 * Handles the arrow keys in a list of tabs in which the tab `at` has the focus. It
 * chooses and focuses the next or previous tab, and wraps around at the ends.
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
