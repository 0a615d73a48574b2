/**
 * The forms of a text. A snapshot prints names in one form, and texts are compared in another one
 * that is the same for every way to name something. So what is printed can be used to name.
 */

/** What printing and comparing leave as it is. Most texts of a page are of this kind. */
const ordinary = /^[\n\x20-\x7e]*$/;

/** Spaces other than the usual one: no-break spaces, thin spaces, tabs of other scripts. */
const spaces = /(?![\t\n])\p{White_Space}/gu;

/**
 * Characters that draw nothing, such as soft hyphens and zero-width spaces. Joiners and variation
 * selectors are kept in what is printed, because they shape letters and emoji; tags and what turns
 * the direction of a text are printed as escapes.
 */
const undrawn = /(?!\p{Join_C}|\p{VS}|[\u202a-\u202e\u2066-\u206f]|[\u{e0000}-\u{e007f}])\p{DI}/gu;

/** All of them, except tags, which tell the flags of England and Scotland apart. */
const ignored = /(?![\u{e0020}-\u{e007f}])\p{DI}/gu;

/** Collapses white space as the standards define it. A no-break space does not count as white space. */
export function collapse(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}

/** A text as it is printed: with usual spaces, without characters that draw nothing. */
export function printed(text: string): string {
  return ordinary.test(text) ? text : text.replace(undrawn, '').replace(spaces, ' ');
}

/** A name as it is printed, on one line. */
export function printedName(text: string): string {
  return collapse(printed(text));
}

/** What is more than white space, characters that draw nothing, and the private ones of icon fonts. */
const telling = /[^\p{White_Space}\p{DI}\p{Co}]/u;

/** Whether a text says nothing, to a reader who does not see an icon that it may draw. */
export function isBlank(text: string): boolean {
  return !telling.test(text);
}

/** A text as texts are compared. Letters with accents are the same in each way to encode them. */
export function comparable(text: string): string {
  if (ordinary.test(text)) return collapse(text);
  return collapse(text.replace(ignored, '').replace(spaces, ' ')).normalize('NFC');
}

/** A text in the form of `comparable`, with the place of each of its characters in the original. */
export interface Compared {
  text: string;
  /** The index in the original of each character, and of the end; without it they are the same. */
  at?: readonly number[];
}

/** A letter with all that belongs to it: accents, joiners, the parts of a Korean syllable. */
const clusters = /.[\p{M}\p{DI}\u1160-\u11ff]*/gsu;

/** As comparable, and also tells where the characters come from. */
export function compared(text: string): Compared {
  if (!/[^\x20-\x7e]| {2}|^ | $/.test(text)) return { text };
  let out = '';
  const at: number[] = [];
  for (const { 0: cluster, index } of text.matchAll(clusters)) {
    const part = cluster
      .replace(ignored, '')
      .replace(/\p{White_Space}/gu, ' ')
      .normalize('NFC');
    for (const char of part)
      if (char !== ' ' || (out !== '' && !out.endsWith(' '))) {
        out += char;
        for (let i = 0; i < char.length; i++) at.push(index);
      }
  }
  const spaced = out.endsWith(' ');
  at.push((spaced ? at.pop() : undefined) ?? text.length);
  return { text: spaced ? out.slice(0, -1) : out, at };
}

/** Whether a text to look for is a `/regular expression/`. */
export function isExpression(text: string): boolean {
  return /^\/.+\/[a-z]*$/s.test(text);
}
