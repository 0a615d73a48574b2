import type { Piece } from '../core/plainscreen';
import type { Stroke } from '../core/told';
import { coloursOf } from './colours';
import { dark, light } from './palette';

/** How a picture is drawn: as its terminal will be. */
export interface PictureStyle {
  readonly fontFamily: string;
  /** In CSS pixels. */
  readonly fontSize: number;
  readonly dark: boolean;
}

/** All that a picture depends on beside what it shows. */
export function placeOf({ fontFamily, fontSize, dark: isDark }: PictureStyle): string {
  return JSON.stringify([innerWidth, innerHeight, devicePixelRatio, fontFamily, fontSize, isDark]);
}

/**
 * What a terminal shows, drawn where it will stand while its code is still being
 * compiled. The terminal draws the same in its place.
 */
export class FirstPicture {
  readonly shown = true;
  readonly #element = document.createElement('div');

  /** `top` is where the terminal stands, in CSS pixels, when that is not below the toolbar. */
  constructor(lines: readonly (readonly Stroke[])[], style: PictureStyle, top?: number) {
    const theme = style.dark ? dark : light;
    this.#element.className = 'first-picture';
    this.#element.ariaHidden = 'true'; // the terminal says it, when it is there
    this.#element.style.font = `${String(style.fontSize)}px ${style.fontFamily}`;
    this.#element.style.color = theme.foreground ?? '';
    if (top !== undefined) this.#element.style.top = `${String(top)}px`;
    for (const strokes of lines) {
      const line = document.createElement('div');
      // An empty one has its height, too.
      line.append(...strokes.map((stroke) => drawn(stroke)), '\u200b');
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

/** A picture in a page that has no size yet: it is drawn with the first one. */
export class AwaitedPicture {
  readonly shown = false;
  readonly #abort = new AbortController();
  #picture: FirstPicture | undefined;

  /** `draw` is called in the frame that has the size; it may decide against a picture. */
  constructor(draw: () => FirstPicture | undefined) {
    const { signal } = this.#abort;
    const drawn = (): void => {
      this.#picture = draw();
    };
    addEventListener('resize', drawn, { once: true, signal });
  }

  remove(): void {
    this.#abort.abort();
    this.#picture?.remove();
  }
}

/** Pieces of plain lines as they are drawn. */
export function strokesOfPieces(lines: readonly (readonly Piece[])[], isDark: boolean): Stroke[][] {
  const theme = isDark ? dark : light;
  const ink = (place: number | undefined): { place: number } | undefined =>
    place === undefined ? undefined : { place };
  return lines.map((pieces) =>
    pieces.map(({ text, bold, italic, underline, inverse, fg, bg }) => ({
      text,
      bold,
      italic,
      underline,
      strike: false,
      cells: undefined,
      ...coloursOf(theme, { fg: ink(fg), bg: ink(bg), bold, inverse, dim: false, shape: false }),
    })),
  );
}

function drawn(stroke: Stroke): HTMLElement {
  const span = document.createElement('span');
  span.textContent = stroke.text;
  const { style } = span;
  if (stroke.bold) style.fontWeight = 'bold';
  if (stroke.italic) style.fontStyle = 'italic';
  const lines = [stroke.underline && 'underline', stroke.strike && 'line-through'];
  style.textDecoration = lines.filter(Boolean).join(' ');
  style.color = stroke.fg ?? '';
  style.background = stroke.bg ?? '';
  if (stroke.cells !== undefined) {
    // A font that has no such letter borrows it from one that is wider.
    style.display = 'inline-block';
    style.width = `${String(stroke.cells)}ch`;
    style.overflow = 'hidden';
    style.verticalAlign = 'top';
  }
  return span;
}
