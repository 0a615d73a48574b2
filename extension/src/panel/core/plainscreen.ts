/** A piece of a line that is drawn in one way. Colours are places among the sixteen of a theme. */
export interface Piece {
  readonly text: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  readonly fg: number | undefined;
  readonly bg: number | undefined;
}

type Pen = Omit<Piece, 'text'>;

const plain: Pen = {
  bold: false,
  italic: false,
  underline: false,
  inverse: false,
  fg: undefined,
  bg: undefined,
};

/** Modes that change what is sent, or how the cursor looks: nothing of what is drawn. */
const silent = new Set(['1', '12', '25', '1004', '2004', '2026', '2031']);

/**
 * What a program's output is made of: silent modes, titles and questions, colours,
 * line ends, tabs, and text of which every character has one cell.
 */
const token =
  // eslint-disable-next-line no-control-regex
  /\x1b\[\?([\d;]+)[hl]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]|\x1b\[(?:[?>=]?[\d;]*[cn]|[?>=<][\d;]*u|>[\d;]*q)|\x1b\[([\d;]*)m|(\r*\n)|(\t)|([\x20-\x7e\xa0-\u024f]+)/y;

/**
 * The screen that output makes which only writes lines from the top: a prompt, and
 * what stands above it. Undefined when it does anything else (moves the cursor,
 * clears, wraps, scrolls, has colours or characters that take more to draw): then
 * only a terminal can tell.
 */
export function plainScreen(output: string, cols: number, rows: number): Piece[][] | undefined {
  const lines: Piece[][] = [[]];
  let pen = plain;
  let column = 0;
  token.lastIndex = 0;
  while (token.lastIndex < output.length) {
    const match = token.exec(output);
    if (match === null) return undefined;
    const [, modes, colours, end, tab, text] = match;
    if (modes?.split(';').some((mode) => !silent.has(mode))) return undefined;
    if (colours !== undefined) {
      const next = coloured(pen, colours);
      if (next === undefined) return undefined;
      pen = next;
    }
    if (end !== undefined) {
      lines.push([]);
      column = 0;
    }
    const written = tab === undefined ? text : ' '.repeat(8 - (column % 8));
    if (written === undefined) continue;
    column += written.length;
    if (column > cols) return undefined;
    lines.at(-1)?.push({ text: written, ...pen });
  }
  return lines.length > rows ? undefined : lines;
}

/** The pen after a change of colours; undefined when that is more than the sixteen. */
function coloured(pen: Pen, codes: string): Pen | undefined {
  let next = pen;
  for (const one of codes.split(';')) {
    const code = Number(one);
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 3 || code === 23) next = { ...next, italic: code === 3 };
    else if (code === 4 || code === 24) next = { ...next, underline: code === 4 };
    else if (code === 7 || code === 27) next = { ...next, inverse: code === 7 };
    else if (code === 22) next = { ...next, bold: false };
    else if (code >= 30 && code <= 37) next = { ...next, fg: code - 30 };
    else if (code === 39) next = { ...next, fg: undefined };
    else if (code >= 40 && code <= 47) next = { ...next, bg: code - 40 };
    else if (code === 49) next = { ...next, bg: undefined };
    else if (code >= 90 && code <= 97) next = { ...next, fg: code - 82 };
    else if (code >= 100 && code <= 107) next = { ...next, bg: code - 92 };
    else return undefined;
  }
  return next;
}
