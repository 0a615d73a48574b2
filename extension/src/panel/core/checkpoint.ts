import { SCREEN_WORTH } from './timing';

/**
 * What stands between the two parts: the normal buffer, a soft reset, nothing
 * on the screen or behind it. A full reset would empty the page at once, and
 * not with the next frame. No text of a screen has it.
 */
const RESET = '\x1b[?1049l\x1b[!p\x1b[H\x1b[2J\x1b[3J';

/**
 * A checkpoint's text: first the screen alone, then, after a reset, the screen
 * with its scrollback. Written as it is, it draws the second; a viewer that
 * paints in between has its screen after a fraction of the text. A screen with
 * little behind it is told once.
 */
export function checkpointText(screen: string, whole: string): string {
  return whole.length - screen.length < SCREEN_WORTH ? whole : screen + RESET + whole;
}

/** The parts of a checkpoint's text; `screen` is undefined when it is told once. */
export function checkpointParts(text: string): { screen: string | undefined; whole: string } {
  const end = text.indexOf(RESET);
  if (end < 0) return { screen: undefined, whole: text };
  return { screen: text.slice(0, end), whole: text.slice(end + RESET.length) };
}

/** The text that draws a whole screen over its first part, in one piece: nothing is painted in between. */
export function overScreen(whole: string): string {
  return RESET + whole;
}
