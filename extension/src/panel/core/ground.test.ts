import { expect, it } from 'vitest';
import { GroundTracker } from './ground';

function after(text: string): boolean {
  const tracker = new GroundTracker();
  tracker.feed(Buffer.from(text, 'latin1'));
  return tracker.ground;
}
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

it.each([
  ['plain text', 'hello\r\n'],
  ['a finished sequence', '\x1b[1;31m'],
  ['a sequence of two characters', '\x1b='],
  ['a designation', '\x1b(B'],
  ['a string ended by BEL', '\x1b]0;title\x07'],
  ['a string ended by ST', '\x1bPq#0\x1b\\'],
  ['a string ended by a C1 ST', '\x1b]0;t' + utf8('\x9c')],
  ['a cancelled sequence', '\x1b[12\x18'],
  ['a whole character', utf8('😀')],
  ['a C1 sequence', utf8('\x9b') + '31m'],
  ['a control inside a sequence', '\x1b[3\r1m'],
])('is in the ground state after %s', (_, text) => {
  expect(after(text)).toBe(true);
});

it.each([
  ['ESC', '\x1b'],
  ['a sequence without its end', '\x1b[1;3'],
  ['a designation without its end', '\x1b('],
  ['a string', '\x1b]0;title'],
  ['a string with half its end', '\x1b]0;title\x1b'],
  ['the first byte of a character', '\xe2'],
  ['three of four bytes', utf8('😀').slice(0, 3)],
  ['a C1 CSI', utf8('\x9b') + '3'],
  ['a C1 OSC', utf8('\x9d') + '0;x'],
])('is not after %s', (_, text) => {
  expect(after(text)).toBe(false);
});

it('does not depend on how the stream is cut', () => {
  const bytes = Buffer.from('a\x1b]8;;http://x\x1b\\é\x1b[38;2;1;2;3m😀\x1bP$q"p\x1b\\z\x1b[');
  const whole = new GroundTracker();
  whole.feed(bytes);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const parts = new GroundTracker();
    parts.feed(bytes.subarray(0, cut));
    parts.feed(bytes.subarray(cut));
    expect(parts.ground).toBe(whole.ground);
  }
});
