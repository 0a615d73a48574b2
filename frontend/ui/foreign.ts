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

/**
 * Text with envelopes while the user edits it: they see it without the tags, and what they left as
 * it was gets its tags back. What they changed is their own text.
 */
export class Envelopes {
  /** The text of each envelope, with the line above it that names its origin. */
  readonly #opened = new Map<string, string>();

  open(text: string): string {
    return text.replace(
      /((?:^\[[^\n]*\]\n)?)<(page-[0-9a-f]+) origin="[^"\n]*">\n?([^]*?)\n?<\/\2>/gm,
      (whole, title: string, _tag, inner: string) => {
        this.#opened.set(title + inner, whole);
        return title + inner;
      },
    );
  }

  close(text: string): string {
    // The longest first: one text can be a part of another one.
    const opened = [...this.#opened].sort(([one], [other]) => other.length - one.length);
    const whole: string[] = [];
    let out = text;
    for (const [plain, enveloped] of opened) {
      if (plain === '' || !out.includes(plain)) continue;
      // A mark that no field contains keeps the place, so that nothing is put in twice.
      out = out.replaceAll(plain, `\u0000${String(whole.push(enveloped) - 1)}\u0000`);
    }
    // eslint-disable-next-line no-control-regex
    return out.replace(/\u0000(\d+)\u0000/g, (_mark, at: string) => whole[Number(at)] ?? '');
  }
}
