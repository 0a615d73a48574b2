import type { Attachment } from 'svelte/attachments';

/**
 * What stands in place of the task for a while takes the focus when it comes, and
 * Escape leaves it, wherever in it the focus is.
 */
export function entered(first: string, leave: () => void): Attachment<HTMLElement> {
  return (element) => {
    const keydown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.isComposing) leave();
    };
    element.addEventListener('keydown', keydown);
    element.querySelector<HTMLElement>(first)?.focus();
    return () => {
      element.removeEventListener('keydown', keydown);
    };
  };
}
