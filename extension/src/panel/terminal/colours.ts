import type { ITheme } from '@xterm/xterm';
import { sixteen } from './palette';

/** Text has at least this contrast to its ground: programs choose their greys for a dark one. */
export const CONTRAST = 4.5;

/** A colour as a program asks for it: the theme's own, a place among 256, or red, green and blue as 0xrrggbb. */
export type Ink = undefined | { readonly place: number } | { readonly rgb: number };

/** How a cell's colours were asked for. */
export interface Asked {
  readonly fg: Ink;
  readonly bg: Ink;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
  /** It is drawn as a shape, not as a letter: nobody reads it. */
  readonly shape: boolean;
}

/**
 * The colours that a terminal draws a cell in, as xterm's renderers choose them
 * (DomRendererRowFactory of 6.0.0): undefined is the theme's own.
 */
export function coloursOf(
  theme: ITheme,
  asked: Asked,
): { fg: string | undefined; bg: string | undefined } {
  const { bold, dim, inverse, shape } = asked;
  const [ink, ground] = inverse ? [asked.bg, asked.fg] : [asked.fg, asked.bg];
  const own = { fg: number(theme.foreground), bg: number(theme.background) };
  const under = valueOf(theme, ground) ?? (inverse ? own.fg : own.bg);
  const bright = bold && ink !== undefined && 'place' in ink && ink.place < 8;
  const over = valueOf(theme, bright ? { place: ink.place + 8 } : ink);
  // Dim text would not differ from other text with the whole contrast.
  const readable = shape ? undefined : contrasted(under, over ?? own.fg, CONTRAST / (dim ? 2 : 1));
  const bg = ground === undefined && !inverse ? undefined : css(under);
  if (readable !== undefined) return { fg: css(readable), bg };
  const plain = over ?? (inverse ? own.bg : undefined);
  // One that is given as red, green and blue is not dimmed.
  const dimmed = dim && !(ink !== undefined && 'rgb' in ink);
  if (dimmed) return { fg: `${css(plain ?? own.fg)}80`, bg };
  return { fg: plain === undefined ? undefined : css(plain), bg };
}

function valueOf(theme: ITheme, ink: Ink): number | undefined {
  if (ink === undefined) return undefined;
  if ('rgb' in ink) return ink.rgb;
  const { place } = ink;
  const name = sixteen[place];
  if (name !== undefined) return number(theme[name]);
  if (place >= 232) return (8 + (place - 232) * 10) * 0x01_01_01;
  const level = (n: number): number => [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff][n % 6] ?? 0;
  const at = place - 16;
  return (level(Math.floor(at / 36)) << 16) | (level(Math.floor(at / 6)) << 8) | level(at);
}

/**
 * A colour that can be read on a ground: lighter or darker by tenths until the
 * contrast is there, the other way round where that does not do. Undefined for one
 * that has it (xterm's rgba.ensureContrastRatio).
 */
export function contrasted(ground: number, text: number, ratio: number): number | undefined {
  if (contrast(ground, text) >= ratio) return undefined;
  const lighter = luminance(text) >= luminance(ground);
  const first = moved(ground, text, ratio, lighter);
  if (contrast(ground, first) >= ratio) return first;
  const second = moved(ground, text, ratio, !lighter);
  return contrast(ground, first) > contrast(ground, second) ? first : second;
}

function moved(ground: number, text: number, ratio: number, lighter: boolean): number {
  const end = lighter ? 0xff_ff_ff : 0;
  let now = text;
  while (contrast(ground, now) < ratio && now !== end) {
    let next = 0;
    for (const shift of [16, 8, 0]) {
      const part = (now >> shift) & 0xff;
      const step = Math.ceil((lighter ? 255 - part : part) * 0.1);
      next |= (lighter ? Math.min(0xff, part + step) : part - step) << shift;
    }
    now = next;
  }
  return now;
}

/** The contrast of two colours, 1 to 21 (WCAG 2). */
export function contrast(a: number, b: number): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** The relative luminance of a colour, 0 to 1 (WCAG 2). */
function luminance(colour: number): number {
  const part = (shift: number): number => {
    const value = ((colour >> shift) & 0xff) / 255;
    return value <= 0.039_28 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
}

/** A CSS colour of six digits as 0xrrggbb; black for none. */
export function number(colour: string | undefined): number {
  return Number.parseInt((colour ?? '#000000').slice(1, 7), 16);
}

function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
