// Text that comes from a page, a program or a log.

/**
 * Control characters, and the invisible ones that turn the direction of what
 * follows: with them an address can be made to read as another one.
 */
const treacherous = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** Foreign text as one line that reads as it is written. */
export function oneLine(text: string): string {
  return text.replace(treacherous, ' ').trim();
}

/** The same without line breaks and tabs, which code is read by. */
const treacherousInLines =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Foreign text of several lines, with a mark for each character that would be
 * invisible or turn the direction of what follows: what is judged is seen.
 */
export function manyLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(treacherousInLines, '\u{fffd}');
}
