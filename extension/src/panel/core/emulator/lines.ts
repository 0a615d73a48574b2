import {
  ATTRIBUTES_EXTENDED,
  CONTENT_COMBINED,
  CONTENT_WIDTH_SHIFT,
  type Attributes,
  type Cell,
  type Extended,
  type Line,
} from './internals';

// A row as text has four fields, separated by tabs: its characters, the runs of equal
// attributes, the cells that cannot be written as one character, and its length when
// that differs from the columns. The markers are Unicode noncharacters, which no
// program prints. A cell that contains one is written as an odd cell.

/** Marks a row that continues the row before it. */
const WRAPPED = '\ufdd0';
/** Marks that the next character fills two cells. */
const WIDE = '\ufdd1';
/** Marks an odd cell, which is listed in a field of its own. */
const ODD = '\ufdd2';
/** Marks a cell in which nothing was written. */
const EMPTY = '\x7f';

const CELL_WORDS = 3;
const EMPTY_CONTENT = 1 << CONTENT_WIDTH_SHIFT;

/** A cell's content word, and its characters if there are more than one. */
type OddCell = [content: number, combined?: string];

/**
 * The attributes that the rows of a snapshot use, each once. The first entry is the
 * default attributes.
 */
export type AttributeList = [fg: number, bg: number, ext: number, urlId: number][];

/** Collects attributes and gives each its index in the list. */
export class AttributeTable {
  readonly list: AttributeList = [[0, 0, 0, 0]];
  readonly #places = new Map<string, number>([['0,0,0,0', 0]]);

  place(fg: number, bg: number, extended: Extended | undefined): number {
    const one: AttributeList[number] = [fg, bg, extended?._ext ?? 0, extended?.urlId ?? 0];
    const key = one.join();
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.list.length);
    return this.list.push(one) - 1;
  }
}

/** Converts a list of attributes to the form that cells use. */
export function attributesOf(list: AttributeList, model: Extended): Attributes[] {
  return list.map(([fg, bg, ext, urlId]) => {
    const extended = model.clone();
    extended.ext = ext;
    extended.urlId = urlId;
    return { fg, bg, extended };
  });
}

/** Writes a row of an emulator with `cols` columns as text without line breaks. */
export function rowText(line: Line, cols: number, table: AttributeTable): string {
  const words = line._data;
  const runs: number[] = [];
  const odd: OddCell[] = [];
  let text = '';
  let place = -1;
  let run = 0;
  let fg = 0;
  let bg = 0;
  let extended: Extended | undefined;
  for (let x = 0, end = usedCells(line); x < end; x++) {
    const at = x * CELL_WORDS;
    const cellFg = words[at + 1] ?? 0;
    const cellBg = words[at + 2] ?? 0;
    const cellExtended = (cellBg & ATTRIBUTES_EXTENDED) !== 0 ? line._extendedAttrs[x] : undefined;
    if (place < 0 || cellFg !== fg || cellBg !== bg || cellExtended !== extended) {
      [fg, bg, extended] = [cellFg, cellBg, cellExtended];
      const next = table.place(fg, bg, extended);
      if (next !== place && place >= 0) {
        runs.push(run, place);
        run = 0;
      }
      place = next;
    }
    run += 1;
    const content = words[at] ?? 0;
    if (content === EMPTY_CONTENT) text += EMPTY;
    else if (isPlain(content)) text += String.fromCodePoint(content - EMPTY_CONTENT);
    else if (content === 0 && x > 0 && isWide(words[at - CELL_WORDS] ?? 0)) {
      // The second half of a wide character.
    } else if (isWide(content) && x + 1 < line.length && words[at + CELL_WORDS] === 0)
      text += WIDE + String.fromCodePoint(content - 2 * EMPTY_CONTENT);
    else {
      text += ODD;
      const combined = (content & CONTENT_COMBINED) !== 0 ? line._combined[x] : undefined;
      odd.push(combined === undefined ? [content] : [content, combined]);
    }
  }
  if (run > 0 && (place !== 0 || runs.length > 0)) runs.push(run, place);
  const fields = [
    (line.isWrapped ? WRAPPED : '') + text,
    runs.join(' '),
    odd.length > 0 ? JSON.stringify(odd) : '',
    line.length === cols ? '' : String(line.length),
  ];
  while (fields.at(-1) === '') fields.pop();
  return fields.join('\t');
}

/** Makes a row from a text of `rowText`, as a copy of a blank row. */
export function rowOf(
  stored: string,
  blank: Line,
  nothing: Cell,
  attributes: readonly Attributes[],
): Line {
  const line = blank.clone();
  line.isWrapped = stored.startsWith(WRAPPED);
  const [text = '', runs = '', oddText = '', length = ''] = (
    line.isWrapped ? stored.slice(1) : stored
  ).split('\t');
  // Rows of the alternate screen keep their length when the screen becomes narrower.
  if (length !== '') line.resize(Number(length), nothing);
  write(line, text, oddText === '' ? [] : (JSON.parse(oddText) as OddCell[]));
  if (runs !== '') colour(line, runs.split(' ').map(Number), attributes);
  return line;
}

function write(line: Line, text: string, oddCells: readonly OddCell[]): void {
  const words = line._data;
  const odd = oddCells[Symbol.iterator]();
  let at = 0;
  for (let from = 0; from < text.length;) {
    let code = text.codePointAt(from) ?? 0;
    const sign = text[from];
    from += code > 0xffff ? 2 : 1;
    if (sign === EMPTY) {
      at += CELL_WORDS; // unchanged: the row was blank
    } else if (sign === WIDE) {
      code = text.codePointAt(from) ?? 0;
      from += code > 0xffff ? 2 : 1;
      words[at] = code + 2 * EMPTY_CONTENT;
      words[at + CELL_WORDS] = 0; // the second half
      at += 2 * CELL_WORDS;
    } else if (sign === ODD) {
      const [content = EMPTY_CONTENT, combined] = odd.next().value ?? [];
      words[at] = content;
      if (combined !== undefined) line._combined[at / CELL_WORDS] = combined;
      at += CELL_WORDS;
    } else {
      words[at] = code + EMPTY_CONTENT;
      at += CELL_WORDS;
    }
  }
}

function colour(line: Line, runs: readonly number[], attributes: readonly Attributes[]): void {
  let x = 0;
  for (let at = 0; at < runs.length; at += 2) {
    const end = x + (runs[at] ?? 0);
    const attribute = attributes[runs[at + 1] ?? 0];
    if (attribute === undefined) throw new Error('a row has attributes that are not listed');
    for (; x < end; x++) {
      line._data[x * CELL_WORDS + 1] = attribute.fg;
      line._data[x * CELL_WORDS + 2] = attribute.bg;
      if ((attribute.bg & ATTRIBUTES_EXTENDED) !== 0) line._extendedAttrs[x] = attribute.extended;
    }
  }
}

/** The number of cells of a row up to the last one that is not blank. */
function usedCells({ _data: words, length }: Line): number {
  let end = length;
  while (end > 0) {
    const at = (end - 1) * CELL_WORDS;
    if (words[at] !== EMPTY_CONTENT || words[at + 1] !== 0 || words[at + 2] !== 0) break;
    end -= 1;
  }
  return end;
}

/** Whether a cell is one narrow character that the text can contain as it is. */
function isPlain(content: number): boolean {
  return content >>> CONTENT_WIDTH_SHIFT === 1 && isPrintable(content - EMPTY_CONTENT);
}

/** Whether a cell is one wide character that the text can contain as it is. */
function isWide(content: number): boolean {
  return content >>> CONTENT_WIDTH_SHIFT === 2 && isPrintable(content - 2 * EMPTY_CONTENT);
}

function isPrintable(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  if (code < 0xa0 || code > 0x10ffff) return false;
  return !(code >= 0xd800 && code < 0xe000) && !(code >= 0xfdd0 && code <= 0xfdef);
}
