/**
 * Whether an input method handles this key: Enter that completes a word, Escape that cancels it,
 * arrows between its suggestions. On a Mac the event keeps the key's own name, and for the last key
 * of a word only the deprecated keyCode (229) shows it.
 */
export function inputMethodTakes(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return event.isComposing || event.keyCode === 229;
}
