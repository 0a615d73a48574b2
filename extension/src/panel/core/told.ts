/** A piece of a line as it is drawn: the same in all its cells. Colours are CSS; undefined is the theme's. */
export interface Stroke {
  readonly text: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly fg: string | undefined;
  readonly bg: string | undefined;
  /** How many cells it fills, where that is not plain from its letters. */
  readonly cells: number | undefined;
}

/** What a terminal looks like, and where: a panel of the same size shows the same. */
export interface Told {
  /** The size of the panel, and how text is drawn in it: all that a picture depends on beside its lines. */
  readonly place: string;
  /** Where the terminal begins, in CSS pixels from the panel's top. */
  readonly top: number;
  readonly lines: readonly (readonly Stroke[])[];
}

const Bit = { bold: 1, italic: 2, underline: 4, strike: 8 } as const;

type Written = [text: string, bits: number, fg: string, bg: string, cells: number];

/** Writes a picture down. */
export function written({ place, top, lines }: Told): string {
  const line = (strokes: readonly Stroke[]): Written[] =>
    strokes.map(({ text, bold, italic, underline, strike, fg = '', bg = '', cells = 0 }) => [
      text,
      (bold ? Bit.bold : 0) |
        (italic ? Bit.italic : 0) |
        (underline ? Bit.underline : 0) |
        (strike ? Bit.strike : 0),
      fg,
      bg,
      cells,
    ]);
  return JSON.stringify({ place, top, lines: lines.map(line) });
}

const colour = /^#[0-9a-f]{6}(?:[0-9a-f]{2})?$/;

/** Reads what `written` wrote; undefined for anything else. */
export function read(text: string): Told | undefined {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { place, top, lines } = (told ?? {}) as Record<keyof Told, unknown>;
  if (typeof place !== 'string' || typeof top !== 'number' || !Array.isArray(lines))
    return undefined;
  const strokes = lines.map((line: unknown) =>
    Array.isArray(line) ? line.map((one) => stroke(one)) : [undefined],
  );
  if (!isWhole(strokes)) return undefined;
  return { place, top, lines: strokes };
}

function isWhole(lines: (Stroke | undefined)[][]): lines is Stroke[][] {
  return lines.every((line) => line.every((one) => one !== undefined));
}

function stroke(one: unknown): Stroke | undefined {
  if (!Array.isArray(one)) return undefined;
  const [text, bits, fg, bg, cells] = one as unknown[];
  const css = (value: unknown): value is string =>
    typeof value === 'string' && (value === '' || colour.test(value));
  if (typeof text !== 'string' || typeof bits !== 'number' || typeof cells !== 'number')
    return undefined;
  if (!css(fg) || !css(bg)) return undefined;
  return {
    text,
    bold: (bits & Bit.bold) !== 0,
    italic: (bits & Bit.italic) !== 0,
    underline: (bits & Bit.underline) !== 0,
    strike: (bits & Bit.strike) !== 0,
    fg: fg === '' ? undefined : fg,
    bg: bg === '' ? undefined : bg,
    cells: cells === 0 ? undefined : cells,
  };
}
