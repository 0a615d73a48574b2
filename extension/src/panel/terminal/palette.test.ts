import { expect, it } from 'vitest';
import { contrast as contrastOf, number } from './colours';
import { dark, light, sixteen } from './palette';

const contrast = (a = '', b = ''): number => contrastOf(number(a), number(b));

// Black is a ground, and in the dark no text.
const names = ['foreground', ...sixteen.slice(1)] as const;

it.each(names)('%s can be read in both schemes', (name) => {
  for (const theme of [light, dark])
    expect(contrast(theme[name], theme.background)).toBeGreaterThanOrEqual(4.5);
});

it('keeps text readable where it is selected', () => {
  for (const theme of [light, dark])
    expect(contrast(theme.foreground, theme.selectionBackground)).toBeGreaterThanOrEqual(4.5);
});
