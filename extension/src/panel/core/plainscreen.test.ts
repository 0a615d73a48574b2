import { expect, it } from 'vitest';
import { plainScreen } from './plainscreen';

const words = (output: string, cols = 80, rows = 24): string[] | undefined =>
  plainScreen(output, cols, rows)?.map((line) => line.map(({ text }) => text).join(''));

it('reads a prompt of colours, with what shells and agents ask before it', () => {
  const lines = plainScreen(
    '\x1b[?2004h\x1b]0;you@host: ~\x07\x1b[01;32myou@host\x1b[00m:\x1b[94;7m~\x1b[27m\x1b[39m$ ',
    80,
    24,
  );
  expect(lines).toMatchObject([
    [
      { text: 'you@host', bold: true, fg: 2, inverse: false },
      { text: ':', bold: false, fg: undefined },
      { text: '~', fg: 12, inverse: true },
      { text: '$ ', fg: undefined, inverse: false },
    ],
  ]);
  expect(words('\x1b[c\x1b[?u\x1b[>q\x1b[6n> ')).toEqual(['> ']);
});

it('reads lines, empty ones and tabs', () => {
  expect(words('one\r\n\r\na\tb\r\n')).toEqual(['one', '', 'a       b', '']);
});

it.each([
  ['a cursor that moves', 'one\x1b[2Atwo'],
  ['a line that is written again', 'one\rtwo'],
  ['what is cleared', 'one\x1b[2J'],
  ['the other screen', '\x1b[?1049hone'],
  ['more colours', '\x1b[38;5;200mone'],
  ['faint text', '\x1b[2mone'],
  ['a place that is gone back to', 'one\x1b[u'],
  ['characters of two cells', '日本'],
  ['symbols', '❯ '],
  ['a bell', 'one\x07'],
  ['half of a sequence', 'one\x1b['],
  ['a title without its end', '\x1b]0;title'],
])('leaves %s to the terminal', (_, output) => {
  expect(words(output)).toBeUndefined();
});

it('leaves what wraps or scrolls to the terminal', () => {
  expect(words('12345', 5)).toEqual(['12345']);
  expect(words('123456', 5)).toBeUndefined();
  expect(words('1\r\n2', 80, 2)).toEqual(['1', '2']);
  expect(words('1\r\n2\r\n3', 80, 2)).toBeUndefined();
});
