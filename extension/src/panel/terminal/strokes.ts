import type { IBufferCell, ITheme, Terminal } from '@xterm/xterm';
import type { Stroke } from '../core/told';
import { coloursOf, type Ink } from './colours';

/** Letters whose width every font of one width agrees on. */
const plain = /^[\u0020-\u007e\u00a0-\u024f]$/;

/** What xterm draws as a shape: boxes and blocks, and the signs of prompts. */
const shape = /^[\u2500-\u259f\ue0a4-\ue0d6]/;

/** What a terminal shows at its end, scrolled or not. */
export function strokesOf(terminal: Terminal, theme: ITheme): Stroke[][] {
  const buffer = terminal.buffer.active;
  const looks = new Map<string, Omit<Stroke, 'text' | 'cells'>>();
  const cell = buffer.getNullCell();
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    const strokes: Stroke[] = [];
    let last = '';
    for (let x = 0; line !== undefined && x < terminal.cols; x++) {
      if (line.getCell(x, cell) === undefined) break;
      const width = cell.getWidth();
      if (width === 0) continue; // the second half of a wide one
      const chars = cell.getChars();
      const text = chars === '' || cell.isInvisible() !== 0 ? ' ' : chars;
      const key = keyOf(cell, shape.test(text));
      const look = looks.get(key) ?? lookOf(cell, theme, shape.test(text));
      looks.set(key, look);
      const before = strokes.at(-1);
      if (!plain.test(text)) strokes.push({ text, ...look, cells: width });
      else if (before?.cells === undefined && before !== undefined && last === key)
        strokes[strokes.length - 1] = { ...before, text: before.text + text };
      else strokes.push({ text, ...look, cells: undefined });
      last = key;
    }
    return trimmed(strokes);
  });
}

/** All that a cell's look depends on. */
function keyOf(cell: IBufferCell, isShape: boolean): string {
  return [
    cell.getFgColorMode(),
    cell.getFgColor(),
    cell.getBgColorMode(),
    cell.getBgColor(),
    cell.isBold(),
    cell.isDim(),
    cell.isInverse(),
    cell.isItalic(),
    cell.isUnderline(),
    cell.isStrikethrough(),
    isShape,
  ].join();
}

function lookOf(
  cell: IBufferCell,
  theme: ITheme,
  isShape: boolean,
): Omit<Stroke, 'text' | 'cells'> {
  const ink = (isDefault: boolean, isRGB: boolean, value: number): Ink => {
    if (isDefault) return undefined;
    return isRGB ? { rgb: value } : { place: value };
  };
  const bold = cell.isBold() !== 0;
  return {
    bold,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strike: cell.isStrikethrough() !== 0,
    ...coloursOf(theme, {
      fg: ink(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
      bg: ink(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
      bold,
      dim: cell.isDim() !== 0,
      inverse: cell.isInverse() !== 0,
      shape: isShape,
    }),
  };
}

/** Without the blanks at a line's end that nobody sees. */
function trimmed(strokes: Stroke[]): Stroke[] {
  const last = strokes.at(-1);
  if (last === undefined || last.bg !== undefined || last.underline || last.strike) return strokes;
  const text = last.cells === undefined ? last.text.trimEnd() : last.text;
  if (text === last.text) return strokes;
  return text === '' ? strokes.slice(0, -1) : [...strokes.slice(0, -1), { ...last, text }];
}
