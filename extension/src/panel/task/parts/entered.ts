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
    const field = element.querySelector<HTMLElement>(first);
    field?.focus();
    // Its value, such as a name that was proposed, is replaced by what the user types.
    if (field instanceof HTMLInputElement) field.select();
    return () => {
      element.removeEventListener('keydown', keydown);
    };
  };
}
