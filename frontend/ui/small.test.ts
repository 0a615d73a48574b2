// Small functions that window and panel share.
import { describe, expect, test, vi } from 'vitest';
import { duration } from './chat/core/words';
import { manyLines } from './foreign';
import { inputMethodTakes } from './inputmethod';
import { applyTheme, lastTheme } from './theme';
import { byTime } from './time';
import { conversationWord, sentence } from './words';

test.each([
  [999.6, '1.0 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min 0 s'],
  [119_400, '1 min 59 s'],
  [119_700, '2 min 0 s'],
])('%d ms are %s: no minute has sixty seconds', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  ['', ''],
  ['no such file', 'No such file.'],
  ['Really?', 'Really?'],
  ['wait…', 'Wait…'],
])('%j is the sentence %j', (text, whole) => {
  expect(sentence(text)).toBe(whole);
});

test('lines that are judged keep their breaks, and show what would be invisible', () => {
  expect(manyLines('a\r\nb\tc\rd')).toBe('a\nb\tc\nd');
  expect(manyLines('x\u202ey\u200bz\u{e0041}\u0007')).toBe('x\ufffdy\ufffdz\ufffd\ufffd');
});

test('times are ordered as times, whatever zeros they lack', () => {
  const times = ['09:30:01Z', '09:30:00.5Z', '09:30:00.12Z', '09:30:00Z'];
  const sorted = times.map((time) => `2026-11-21T${time}`).sort(byTime);
  expect(sorted.map((time) => time.slice(11))).toEqual(times.toReversed());
});

test.each([
  [{ isComposing: true, keyCode: 13 }, true],
  [{ isComposing: false, keyCode: 229 }, true],
  [{ isComposing: false, keyCode: 13 }, false],
])('a key %j belongs to an input method: %s', (event, takes) => {
  expect(inputMethodTakes(event as KeyboardEvent)).toBe(takes);
});

describe('the theme', () => {
  const style = { colorScheme: '' };
  const open = (storage: object): void => {
    vi.stubGlobal('document', { documentElement: { style } });
    vi.stubGlobal('localStorage', storage);
  };
  const broken = (): never => {
    throw new Error('no storage');
  };

  test.each([
    ['light', 'light', 'light'],
    ['dark', 'dark', 'dark'],
    ['system', '', 'system'],
  ] as const)('%s is shown, and is where the next page begins', (theme, scheme, next) => {
    const kept = new Map<string, string>();
    open({
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    });
    applyTheme(theme);
    expect([style.colorScheme, lastTheme()]).toEqual([scheme, next]);
    vi.unstubAllGlobals();
  });

  test('of a page without storage is the desktop’s', () => {
    open({ getItem: broken, setItem: broken });
    applyTheme('dark');
    expect([style.colorScheme, lastTheme()]).toEqual(['dark', 'system']);
    vi.unstubAllGlobals();
  });
});

test('a model without a key needs a key, an agent a sign-in', () => {
  expect(conversationWord('sign_in', 'model:work').text).toBe('Enter a key');
  expect(conversationWord('sign_in', 'claude').text).toBe('Sign in');
});
