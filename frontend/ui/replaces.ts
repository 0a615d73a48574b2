import type { Attachment } from 'svelte/attachments';

/**
 * For a field whose value is replaced rather than added to: selects the value when the field gets
 * the focus, by a key, by the program or by a press that does not select something itself.
 */
export const replaces: Attachment<HTMLInputElement> = (input) => {
  /** The press that gives the focus; its release would put a caret into the selected text. */
  let pressed = false;
  const abort = new AbortController();
  const { signal } = abort;
  input.addEventListener(
    'pointerdown',
    () => {
      pressed = document.activeElement !== input;
    },
    { signal },
  );
  input.addEventListener(
    'focus',
    () => {
      if (!pressed) input.select();
    },
    { signal },
  );
  input.addEventListener(
    'click',
    () => {
      if (pressed && input.selectionStart === input.selectionEnd) input.select();
      pressed = false;
    },
    { signal },
  );
  return () => {
    abort.abort();
  };
};
