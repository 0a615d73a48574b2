/** What a key of the terminal means to the panel instead of to the program. */
export type KeyAction = 'newline' | 'copy' | 'find' | 'leave';

/** Enough of a key event to decide. */
export type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/**
 * The panel's own keys. Ctrl+C copies only what is selected, as in the
 * terminals of browsers and editors; without a selection it interrupts.
 */
export function keyAction(key: Key, selected: boolean, mac: boolean): KeyAction | undefined {
  if (key.altKey) return undefined;
  if (key.key === 'Enter' && key.shiftKey && !key.ctrlKey && !key.metaKey) return 'newline';
  if (key.key === 'F6' && key.ctrlKey) return 'leave';
  const letter = key.key.toLowerCase();
  if (mac && key.metaKey && !key.ctrlKey) {
    if (letter === 'f' && !key.shiftKey) return 'find';
    return letter === 'c' && selected ? 'copy' : undefined;
  }
  // There Control has no second meaning: it always goes to the program.
  if (mac && !key.shiftKey) return undefined;
  if (!key.ctrlKey || key.metaKey) return undefined;
  if (letter === 'f' && key.shiftKey) return 'find';
  // Ctrl+Shift+C would open the browser's tools: it is ours even with nothing selected.
  if (letter === 'c' && (key.shiftKey || selected)) return 'copy';
  return undefined;
}
