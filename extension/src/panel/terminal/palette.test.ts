import { expect, it } from 'vitest';
import { dark, light } from './palette';

/** The contrast of two colours, 1 to 21 (WCAG 2). */
function contrast(a = '', b = ''): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** The relative luminance of a colour of six digits, 0 to 1 (WCAG 2). */
function luminance(colour: string): number {
  const part = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.039_28 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

// Black is used as a background; on the dark theme no text has it.
const hues = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const bright = [
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const;

it.each(['foreground', ...hues, ...bright] as const)('%s can be read in both schemes', (name) => {
  for (const theme of [light, dark])
    expect(contrast(theme[name], theme.background)).toBeGreaterThanOrEqual(4.5);
});

it('keeps text readable where it is selected', () => {
  for (const theme of [light, dark])
    expect(contrast(theme.foreground, theme.selectionBackground)).toBeGreaterThanOrEqual(4.5);
});
