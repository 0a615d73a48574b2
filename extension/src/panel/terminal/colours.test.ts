import { describe, expect, it } from 'vitest';
import { contrast, contrasted, coloursOf, number, type Asked } from './colours';
import { dark, light } from './palette';

const plain: Asked = {
  fg: undefined,
  bg: undefined,
  bold: false,
  dim: false,
  inverse: false,
  shape: false,
};

describe('the contrast of text', () => {
  it('is there for every colour on every ground of 256', () => {
    for (const theme of [light, dark])
      for (let ground = 0; ground < 256; ground++)
        for (let ink = 0; ink < 256; ink += 5) {
          const asked = { ...plain, fg: { place: ink }, bg: { place: ground } };
          const { fg, bg } = coloursOf(theme, asked);
          expect(contrast(number(fg), number(bg)), JSON.stringify(asked)).toBeGreaterThanOrEqual(
            4.5,
          );
        }
  });

  it('leaves alone what has it, and goes the way that is shorter', () => {
    expect(contrasted(0xff_ff_ff, 0x00_00_00, 4.5)).toBeUndefined();
    expect(contrasted(0x00_00_00, 0x33_33_33, 4.5)).toBeGreaterThan(0x33_33_33);
    expect(contrasted(0xff_ff_ff, 0xcc_cc_cc, 4.5)).toBeLessThan(0xcc_cc_cc);
    // Nothing is lighter: the other way.
    expect(contrasted(0xee_ee_ee, 0xff_ff_ff, 4.5)).toBeLessThan(0x99_99_99);
  });
});

it('says nothing of what is the theme’s own', () => {
  expect(coloursOf(dark, plain)).toEqual({ fg: undefined, bg: undefined });
  expect(coloursOf(dark, { ...plain, shape: true, fg: { rgb: 0x01_02_03 } })).toEqual({
    fg: '#010203',
    bg: undefined,
  });
});

it('knows the 256 colours', () => {
  const shape = (place: number): string | undefined =>
    coloursOf(dark, { ...plain, shape: true, fg: { place } }).fg;
  expect([1, 16, 21, 196, 231, 232, 255].map(shape)).toEqual([
    dark.red,
    '#000000',
    '#0000ff',
    '#ff0000',
    '#ffffff',
    '#080808',
    '#eeeeee',
  ]);
});
