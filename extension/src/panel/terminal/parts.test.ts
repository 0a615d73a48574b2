import { describe, expect, it } from 'vitest';
import { clipboardText } from './clipboard';
import { families } from './font';
import { keyAction, type Key } from './keys';
import { opensLink } from './links';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('what a program may put on the clipboard', () => {
  it('is text', () => {
    expect(clipboardText(`c;${base64('héllo ✓')}`)).toBe('héllo ✓');
  });
  it.each([
    ['a question', 'c;?'],
    ['nothing', 'c;'],
    ['no base64', 'c;***'],
    ['bytes that are no text', 'c;/w=='],
    ['more than 100 KB', `c;${base64('x'.repeat(103_000))}`],
  ])('is not %s', (_, data) => {
    expect(clipboardText(data)).toBeUndefined();
  });
});

describe('the families of the terminal', () => {
  const list = " ui-monospace, 'SF Mono', 'JetBrains Mono', monospace";
  it('are all asked for on a Mac', () => {
    expect(families(list, true)).toBe(list);
  });
  it('are those that can be there elsewhere', () => {
    expect(families(list, false)).toBe("'JetBrains Mono', monospace");
  });
});

describe('keys', () => {
  const key = (name: string, held = ''): Key => ({
    key: name,
    ctrlKey: held.includes('ctrl'),
    shiftKey: held.includes('shift'),
    altKey: held.includes('alt'),
    metaKey: held.includes('meta'),
  });
  it.each([
    ['Enter', 'shift', false, false, 'newline'],
    ['Enter', '', false, false, undefined],
    ['Enter', 'ctrl shift', false, false, undefined],
    ['c', 'ctrl', true, false, 'copy'],
    ['c', 'ctrl', false, false, undefined],
    ['C', 'ctrl shift', false, false, 'copy'],
    ['c', 'ctrl', true, true, undefined],
    ['c', 'meta', true, true, 'copy'],
    ['F', 'ctrl shift', false, false, 'find'],
    ['f', 'ctrl', false, false, undefined],
    ['f', 'meta', false, true, 'find'],
    ['F6', 'ctrl', false, false, 'leave'],
    ['c', 'ctrl alt', true, false, undefined],
  ])('%s with %j, selected %s, Mac %s: %s', (name, held, selected, mac, action) => {
    expect(keyAction(key(name, held), selected, mac)).toBe(action);
  });
});

it('a click opens a link only with the key of the system', () => {
  const click = (ctrlKey: boolean, metaKey: boolean) => ({ ctrlKey, metaKey }) as MouseEvent;
  expect(opensLink(click(true, false), false)).toBe(true);
  expect(opensLink(click(false, false), false)).toBe(false);
  expect(opensLink(click(true, false), true)).toBe(false);
  expect(opensLink(click(false, true), true)).toBe(true);
});
