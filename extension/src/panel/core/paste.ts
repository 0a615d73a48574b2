/**
 * Removes from a text what a paste must not send to a program: ESC and the C1
 * controls (which could end the brackets around the paste and then type commands),
 * the other controls except tab and line ends, and the characters that reverse the
 * text direction, which hide what a line says.
 */
export function sanitise(text: string): string {
  return (
    text
      .replace(/\r\n?|\n/g, '\r')
      // eslint-disable-next-line no-control-regex -- control characters are what it removes
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '')
  );
}

/** The number of lines of a sanitised text. A final line end does not start another line. */
export function lines(text: string): number {
  return text.replace(/\r$/, '').split('\r').length;
}

/**
 * Whether the user must confirm before this text is sent to the program: without brackets it
 * would run each line at once, before the user has seen the next.
 */
export function needsConsent(text: string, bracketed: boolean): boolean {
  return !bracketed && lines(text) > 1;
}

/** The bytes to send for a sanitised text. */
export function framed(text: string, bracketed: boolean): string {
  return bracketed ? `\x1b[200~${text}\x1b[201~` : text;
}

/** One piece of a text as it is shown to the user. */
export interface Piece {
  readonly text: string;
  /** Whether the piece stands for an invisible character. */
  readonly control: boolean;
}

/** Splits a text so that each invisible character gets a visible name. */
export function visible(text: string): Piece[] {
  const pieces: Piece[] = [];
  const invisible =
    // eslint-disable-next-line no-control-regex -- control characters are what it shows
    /\r\n?|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
  let from = 0;
  for (const match of text.matchAll(invisible)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), control: false });
    pieces.push({ text: nameOf(match[0]), control: true });
    if (match[0].startsWith('\r')) pieces.push({ text: '\n', control: false });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), control: false });
  return pieces;
}

function nameOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x0d) return '↵';
  if (code === 0x09) return '→\t';
  // Caret notation, as terminals use it: ^[ is ESC.
  if (code < 0x20 || code === 0x7f) return `^${String.fromCharCode(code ^ 0x40)}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
