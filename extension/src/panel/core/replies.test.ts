import { expect, it } from 'vitest';
import { isReply } from './replies';

it.each([
  '\x1b[?1;2c',
  '\x1b[>0;276;0c',
  '\x1b[0n',
  '\x1b[24;80R',
  '\x1b[?24;80R',
  '\x1b[?2004;1$y',
  '\x1b[4;1$y',
  '\x1b[8;24;80t',
  '\x1b[I',
  '\x1b[O',
  '\x1b]11;rgb:ffff/ffff/ffff\x1b\\',
  '\x1b]4;1;rgb:00/00/00\x07',
  '\x1bP1$r0m\x1b\\',
  '\x1bP0$r\x1b\\',
  '\x1b[0n\x1b[1;1R',
])('%j is an answer of the terminal', (data) => {
  expect(isReply(data)).toBe(true);
});

it.each([
  'a',
  '\r',
  '\x1b',
  '\x1b[A',
  '\x1bOA',
  '\x1b[1;5C',
  '\x1b[3~',
  '\x1b\r',
  '\x1b[200~c\x1b[201~',
  '\x1b[<0;5;5M',
  '\x1b[Z',
  '\x1bOP',
  '\x1b[15~',
  '\x1bb',
  '0n',
])('%j is typing', (data) => {
  expect(isReply(data)).toBe(false);
});
