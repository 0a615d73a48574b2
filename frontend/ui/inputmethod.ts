/**
 * Whether an input method takes this key for itself: the Enter that ends a word, the
 * Escape that gives it up, the arrows among its words. On a Mac the key has its own
 * name then, and with the last one of a word only the deprecated keyCode (229) tells.
 */
export function inputMethodTakes(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return event.isComposing || event.keyCode === 229;
}
