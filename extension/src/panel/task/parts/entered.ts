import type { Attachment } from 'svelte/attachments';
import { inputMethodTakes } from '$ui/inputmethod';

/**
 * What stands in place of the task for a while takes the focus when it comes, and
 * Escape leaves it, wherever in it the focus is.
 */
export function entered(first: string, leave: () => void): Attachment<HTMLElement> {
  return (element) => {
    const keydown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !inputMethodTakes(event)) leave();
    };
    element.addEventListener('keydown', keydown);
    element.querySelector<HTMLElement>(first)?.focus();
    return () => {
      element.removeEventListener('keydown', keydown);
    };
  };
}
