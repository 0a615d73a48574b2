import type { ITheme } from '@xterm/xterm';
import type { Piece } from '../core/plainscreen';
import { dark, light, sixteen } from './palette';

/** How a picture is drawn: as its terminal will be. */
export interface PictureStyle {
  readonly fontFamily: string;
  /** In CSS pixels. */
  readonly fontSize: number;
  readonly dark: boolean;
}

/**
 * What a terminal shows, drawn where it will stand while its code is still being
 * compiled; of plain lines only. The terminal draws the same in its place.
 */
export class FirstPicture {
  readonly #element = document.createElement('div');

  constructor(lines: readonly (readonly Piece[])[], style: PictureStyle) {
    const theme = style.dark ? dark : light;
    this.#element.className = 'first-picture';
    this.#element.ariaHidden = 'true'; // the terminal says it, when it is there
    this.#element.style.font = `${String(style.fontSize)}px ${style.fontFamily}`;
    this.#element.style.color = theme.foreground ?? '';
    for (const pieces of lines) {
      const line = document.createElement('div');
      // An empty one has its height, too.
      line.append(...pieces.map((piece) => drawn(piece, theme)), '\u200b');
      this.#element.append(line);
    }
    document.body.append(this.#element);
    // A terminal's rows are whole pixels of the screen.
    const height = this.#element.firstElementChild?.getBoundingClientRect().height ?? 0;
    const whole = Math.ceil(height * devicePixelRatio - 0.01) / devicePixelRatio;
    this.#element.style.lineHeight = `${String(whole)}px`;
  }

  remove(): void {
    this.#element.remove();
  }
}

function drawn(piece: Piece, theme: ITheme): HTMLElement {
  const span = document.createElement('span');
  span.textContent = piece.text;
  // Bold brings the bright one of the first eight colours, as in the terminal.
  const bright = piece.bold && piece.fg !== undefined && piece.fg < 8 ? 8 : 0;
  const fg = piece.fg === undefined ? undefined : theme[sixteen[piece.fg + bright] ?? 'white'];
  const bg = piece.bg === undefined ? undefined : theme[sixteen[piece.bg] ?? 'black'];
  const { style } = span;
  if (piece.bold) style.fontWeight = 'bold';
  if (piece.italic) style.fontStyle = 'italic';
  if (piece.underline) style.textDecoration = 'underline';
  style.color = (piece.inverse ? (bg ?? theme.background) : fg) ?? '';
  style.background = (piece.inverse ? (fg ?? theme.foreground) : bg) ?? '';
  return span;
}
