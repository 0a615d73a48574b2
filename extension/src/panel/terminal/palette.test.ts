import { expect, it } from 'vitest';
import { dark, light, sixteen } from './palette';

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

// Black is a ground, and in the dark no text.
const names = ['foreground', ...sixteen.slice(1)] as const;

it.each(names)('%s can be read in both schemes', (name) => {
  for (const theme of [light, dark])
    expect(contrast(theme[name] ?? '', theme.background ?? '')).toBeGreaterThanOrEqual(4.5);
});

it('keeps text readable where it is selected', () => {
  for (const theme of [light, dark])
    expect(
      contrast(theme.foreground ?? '', theme.selectionBackground ?? ''),
    ).toBeGreaterThanOrEqual(4.5);
});
