import { expect, it } from 'vitest';
import { openCharacter } from './utf8';

const open = (...bytes: number[]): number => openCharacter(Uint8Array.from(bytes));

it('finds the beginning of a character at the end', () => {
  const text = new TextEncoder().encode('aé…👍');
  const ends = Array.from(text, (_, end) => openCharacter(text.subarray(0, end)));
  expect(ends).toEqual([0, 0, 1, 0, 1, 2, 0, 1, 2, 3]);
  expect(openCharacter(text)).toBe(0);
});

it('does not wait for what is no UTF-8', () => {
  expect(open(0x80, 0x80, 0x80)).toBe(0);
  expect(open(0xff)).toBe(0);
  expect(open(0xf8, 0x80)).toBe(0);
  expect(open(0xc3, 0x28)).toBe(0);
});
