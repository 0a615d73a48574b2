// Text that comes from a page, a program or a log.

/**
 * Control characters, and invisible characters that change the text direction: with them an address
 * can be made to look like another one.
 */
const treacherous = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** Untrusted text as one line, without such characters. */
export function oneLine(text: string): string {
  return text.replace(treacherous, ' ').trim();
}

/** The same, except line breaks and tabs, which code needs. */
const treacherousInLines =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Untrusted text of several lines, with a visible mark for each character that is invisible or
 * changes the text direction: the user must see everything that they judge.
 */
export function manyLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(treacherousInLines, '\u{fffd}');
}

/**
 * Removes the envelopes around text of a page (backend/command/foreign), for a text that is shown
 * to the user. They tell agents that the text is data.
 */
export function withoutEnvelopes(text: string): string {
  return text.replace(/<page-[0-9a-f]+ origin="[^"]*">\n?|\n?<\/page-[0-9a-f]+>/g, '');
}
