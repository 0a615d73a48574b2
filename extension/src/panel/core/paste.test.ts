import { describe, expect, it } from 'vitest';
import { framed, lines, needsConsent, sanitise, visible } from './paste';

describe('sanitise', () => {
  it.each([
    ['the end of the brackets', 'a\x1b[201~\rtouch x', 'a[201~\rtouch x'],
    ['the same as a C1 control', 'a\x9b201~b', 'a201~b'],
    ['line ends of every system', 'a\r\nb\nc\rd', 'a\rb\rc\rd'],
    ['what a terminal would obey', '\x00\x03\x04\x07\x08\x0b\x0c\x1a\x7fx', 'x'],
    ['text that reads backwards', 'safe\u202edrow\u2066x\u2069', 'safedrowx'],
  ])('removes or mends %s', (_, text, clean) => {
    expect(sanitise(text)).toBe(clean);
  });

  it('keeps tabs, accents, other scripts and emoji', () => {
    const text = '\té ß 日本 العربية 👩‍💻';
    expect(sanitise(text)).toBe(text);
  });
});

describe('needsConsent', () => {
  it('asks from the second line on, and only without brackets', () => {
    expect(needsConsent('a\rb', false)).toBe(true);
    expect(needsConsent('a\rb', true)).toBe(false);
    expect(needsConsent('a\r', false)).toBe(false);
  });
  it('counts lines as a person does', () => {
    expect(lines('')).toBe(1);
    expect(lines('a\r')).toBe(1);
    expect(lines('a\rb')).toBe(2);
  });
});

it('frames a text only when the program asked for it', () => {
  expect(framed('x', true)).toBe('\x1b[200~x\x1b[201~');
  expect(framed('x', false)).toBe('x');
});

it('gives every hidden character a visible name', () => {
  const shown = visible('a\r\x1b[201~\tb\u202ec\x9b\x7f')
    .map(({ text, control }) => (control ? `{${text}}` : text))
    .join('');
  expect(shown).toBe('a{↵}\n{^[}[201~{→\t}b{<U+202E>}c{<U+009B>}{^?}');
});
