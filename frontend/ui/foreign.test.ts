import { expect, test } from 'vitest';
import { oneLine } from './foreign';

test.each([
  ['https://example.com/\u202egnp.exe', 'https://example.com/ gnp.exe'],
  ['a\r\n\tb', 'a b'],
  ['  title \u0000', 'title'],
  ['family 👨‍👩‍👧 مرحبا', 'family 👨‍👩‍👧 مرحبا'],
])('%j reads as %j', (text, line) => {
  expect(oneLine(text)).toBe(line);
});
