/** A key of the panel: the letter with Ctrl+Shift, or with Command+Shift on a Mac. */
export interface Shortcut {
  /** One letter, in upper case. */
  readonly letter: string;
  /**
   * Whether the letter works without Shift, too. In a terminal Ctrl with a letter belongs
   * to the program, so there only the key with Shift, or with Command, is ours.
   */
  readonly plain?: boolean;
}

/** The fields of a key event that the decision needs. */
type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** Whether a key event is this shortcut. `terminal` says that a terminal has the focus. */
export function matches(key: Key, shortcut: Shortcut, mac: boolean, terminal: boolean): boolean {
  const main = mac ? key.metaKey && !key.ctrlKey : key.ctrlKey && !key.metaKey;
  if (!main || key.altKey || key.key.toUpperCase() !== shortcut.letter) return false;
  return key.shiftKey || (shortcut.plain === true && (mac || !terminal));
}

/** The keys of a shortcut as they are shown. */
export function keysOf({ letter, plain }: Shortcut, mac: boolean): string {
  if (mac) return plain === true ? `⌘${letter}` : `⇧⌘${letter}`;
  return plain === true ? `Ctrl+${letter}` : `Ctrl+Shift+${letter}`;
}

/** The same with what differs in a terminal, for the help. */
export function allKeysOf(shortcut: Shortcut, mac: boolean): readonly string[] {
  const keys = keysOf(shortcut, mac);
  return shortcut.plain === true && !mac ? [keys, `Ctrl+Shift+${shortcut.letter}`] : [keys];
}
