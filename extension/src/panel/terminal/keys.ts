/** What a key does in the panel instead of going to the program. */
export type KeyAction = 'newline' | 'copy' | 'find' | 'leave' | PanelKey;

/**
 * Keys about several terminals: a second one beside this one, the keyboard to the other one
 * of two, and this one's place among the tabs.
 */
export type PanelKey = 'split' | 'other' | 'back' | 'forth';

const panelKeys: Readonly<Record<string, PanelKey>> = {
  d: 'split',
  arrowleft: 'other',
  arrowright: 'other',
  arrowup: 'other',
  arrowdown: 'other',
  pageup: 'back',
  pagedown: 'forth',
};

/** Whether a key is one about several terminals, which the panel may leave to the program. */
export function isPanelKey(action: KeyAction): action is PanelKey {
  return Object.values<KeyAction>(panelKeys).includes(action);
}

/** The fields of a key event that the decision needs. */
export type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/**
 * The panel's own keys. Ctrl+C copies only a selection, as in the terminals of
 * browsers and editors; without a selection it interrupts.
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
  // On a Mac, Control has no second meaning: it always goes to the program.
  if (mac && !key.shiftKey) return undefined;
  if (!key.ctrlKey || key.metaKey) return undefined;
  if (letter === 'f' && key.shiftKey) return 'find';
  // Ctrl+Shift+C would open the browser's tools, so the panel takes it even without a
  // selection.
  if (letter === 'c' && (key.shiftKey || selected)) return 'copy';
  return key.shiftKey ? panelKeys[letter] : undefined;
}
