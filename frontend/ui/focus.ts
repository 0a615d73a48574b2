import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';

/** Focuses an element if the one that had the focus is gone. */
export function focusIfLost(to: HTMLElement | null | undefined): void {
  if (!to || document.activeElement !== document.body) return;
  to.focus();
  if (document.activeElement === to) return;
  // An item or a heading takes the focus from here only, not from a click.
  to.tabIndex = -1;
  to.focus();
  const leave = (): void => {
    to.removeAttribute('tabindex');
  };
  to.addEventListener('blur', leave, { once: true });
}

/**
 * Waits for a change that may remove the button that has the focus. Then another control has it:
 * `to`, in the place that the button was in.
 */
export async function refocus(change: Promise<unknown>, within: string, to: string): Promise<void> {
  const place = document.activeElement?.closest(within);
  await change;
  await tick();
  focusIfLost(place?.querySelector<HTMLElement>(to));
}

/**
 * Keeps the focus in a list when the item that has it is removed: the next item gets it, else the
 * previous one, else the list's heading or first control. The item gets it, none of its controls:
 * the key that removed one item may still be down.
 */
export function keepsFocus(items: string): Attachment<HTMLElement> {
  return (list) => {
    /** The item that had the focus last, and all items at that time. */
    let item: Element | null = null;
    let order: HTMLElement[] = [];
    const all = () => [...list.querySelectorAll<HTMLElement>(items)];

    function took({ target }: FocusEvent): void {
      if (!(target instanceof Element)) return;
      // A dialog or a menu asks about an item, and gives the focus back to it.
      if (!list.contains(target) && target.closest('dialog, [popover]')) return;
      item = list.contains(target) ? target.closest(items) : null;
      order = all();
    }

    function changed(): void {
      if (item === null) return;
      if (list.contains(item)) {
        order = all();
        return;
      }
      const at = order.findIndex((one) => one === item);
      const near = [...order.slice(at + 1), ...order.slice(0, at).reverse()];
      item = null;
      const give = (): void => {
        const to = [...near, ...all()].find((one) => list.contains(one));
        focusIfLost(to ?? list.querySelector<HTMLElement>('h1, h2, button, input') ?? list);
      };
      const dialog = document.querySelector('dialog[open]');
      if (dialog === null) give();
      else dialog.addEventListener('close', give, { once: true });
    }

    const changes = new MutationObserver(changed);
    changes.observe(list, { childList: true, subtree: true });
    document.addEventListener('focusin', took);
    return () => {
      changes.disconnect();
      document.removeEventListener('focusin', took);
    };
  };
}
