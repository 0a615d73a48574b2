import type { IBuffer, IBufferCell, ITheme, Terminal } from '@xterm/xterm';

/** The forms in which a terminal's text can be saved. */
export const forms = [
  { id: 'text', name: 'plain text', ending: 'txt', type: 'text/plain' },
  { id: 'ansi', name: 'text with colours (ANSI)', ending: 'ansi', type: 'text/plain' },
  { id: 'html', name: 'HTML', ending: 'html', type: 'text/html' },
] as const;

export type Form = (typeof forms)[number];

/** How a piece of a row looks. A colour is a CSS colour, or undefined for the default. */
interface Style {
  readonly fg: string | undefined;
  readonly bg: string | undefined;
  /** The codes of SGR that make this style. */
  readonly codes: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly dim: boolean;
}

/** Everything that a terminal has, above and on its screen, in one of the forms. */
export function exported(terminal: Terminal, form: Form, theme: ITheme): string {
  const buffer = terminal.buffer.active;
  const rows: string[] = [];
  for (let y = 0; y < buffer.length; y++) {
    const row = rowOf(buffer, y, terminal.cols, form.id, theme);
    if (buffer.getLine(y)?.isWrapped === true && rows.length > 0)
      rows.push((rows.pop() ?? '') + row);
    else rows.push(row);
  }
  while (rows.at(-1) === '') rows.pop();
  const text = `${rows.map((row) => row.replace(/ +$/, '')).join('\n')}\n`;
  if (form.id !== 'html') return text;
  const { background = 'black', foreground = 'white' } = theme;
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Terminal</title>\n<pre style="padding:1em;background:${background};color:${foreground}">${text}</pre>\n`;
}

function rowOf(buffer: IBuffer, y: number, cols: number, form: Form['id'], theme: ITheme): string {
  const line = buffer.getLine(y);
  if (line === undefined) return '';
  const next = buffer.getLine(y + 1)?.isWrapped === true;
  if (form === 'text') return line.translateToString(!next);
  const end = next ? cols : line.translateToString(true).length;
  let row = '';
  let piece = '';
  let style: Style | undefined;
  let drawn = 0;
  const close = (): void => {
    if (style !== undefined && piece !== '')
      row += form === 'ansi' ? ansi(piece, style) : html(piece, style);
    piece = '';
  };
  for (let x = 0; x < line.length && drawn < end; x++) {
    const cell = line.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const now = styleOf(cell, theme);
    if (style?.codes !== now.codes) {
      close();
      style = now;
    }
    const chars = cell.getChars();
    piece += chars === '' ? ' ' : chars;
    drawn += chars === '' ? 1 : chars.length;
  }
  close();
  return row;
}

function styleOf(cell: IBufferCell, theme: ITheme): Style {
  const codes: string[] = [];
  const colour = (isFg: boolean): string | undefined => {
    const value = isFg ? cell.getFgColor() : cell.getBgColor();
    const lead = isFg ? 38 : 48;
    if (isFg ? cell.isFgRGB() : cell.isBgRGB()) {
      const parts = [(value >> 16) & 255, (value >> 8) & 255, value & 255];
      codes.push([lead, 2, ...parts].join(';'));
      return `rgb(${parts.join(' ')})`;
    }
    if (!(isFg ? cell.isFgPalette() : cell.isBgPalette())) return undefined;
    codes.push([lead, 5, value].join(';'));
    return paletteColour(value, theme);
  };
  const bold = cell.isBold() !== 0;
  const dim = cell.isDim() !== 0;
  const italic = cell.isItalic() !== 0;
  const underline = cell.isUnderline() !== 0;
  if (bold) codes.push('1');
  if (dim) codes.push('2');
  if (italic) codes.push('3');
  if (underline) codes.push('4');
  const [fg, bg] = [colour(true), colour(false)];
  if (cell.isInverse() === 0)
    return { fg, bg, codes: codes.join(';'), bold, italic, underline, dim };
  codes.push('7');
  return {
    fg: bg ?? theme.background,
    bg: fg ?? theme.foreground,
    codes: codes.join(';'),
    bold,
    italic,
    underline,
    dim,
  };
}

/** The CSS colour of a number of the 256 colours. */
function paletteColour(value: number, theme: ITheme): string | undefined {
  const named = [
    ...(['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const),
    ...([
      'brightBlack',
      'brightRed',
      'brightGreen',
      'brightYellow',
      'brightBlue',
      'brightMagenta',
      'brightCyan',
      'brightWhite',
    ] as const),
  ][value];
  if (named !== undefined) return theme[named];
  if (value >= 232) {
    const grey = 8 + 10 * (value - 232);
    return `rgb(${String(grey)} ${String(grey)} ${String(grey)})`;
  }
  const level = (n: number): string => String(n === 0 ? 0 : 55 + 40 * n);
  const cube = value - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}

function ansi(text: string, { codes }: Style): string {
  return codes === '' ? text : `\x1b[${codes}m${text}\x1b[0m`;
}

function html(text: string, style: Style): string {
  const safe = text.replace(/[&<>"]/g, (one) => `&#${String(one.charCodeAt(0))};`);
  const css = [
    style.fg !== undefined && `color:${style.fg}`,
    style.bg !== undefined && `background:${style.bg}`,
    style.bold && 'font-weight:bold',
    style.dim && 'opacity:.6',
    style.italic && 'font-style:italic',
    style.underline && 'text-decoration:underline',
  ].filter((rule) => rule !== false);
  return css.length === 0 ? safe : `<span style="${css.join(';')}">${safe}</span>`;
}
