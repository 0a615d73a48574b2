import { tick } from 'svelte';

/**
 * Waits for a change that may remove the button that has the focus. Then another control has it:
 * `to`, in the place that the button was in.
 */
export async function refocus(change: Promise<unknown>, within: string, to: string): Promise<void> {
  const place = document.activeElement?.closest(within);
  await change;
  await tick();
  if (document.activeElement === document.body) place?.querySelector<HTMLElement>(to)?.focus();
}
