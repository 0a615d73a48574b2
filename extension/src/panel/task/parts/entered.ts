import type { Attachment } from 'svelte/attachments';
import { inputMethodTakes } from '$ui/inputmethod';

/**
 * For an element that temporarily takes the place of the task: focuses its first
 * matching child when it appears, and calls `leave` on Escape, wherever in it the
 * focus is.
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
