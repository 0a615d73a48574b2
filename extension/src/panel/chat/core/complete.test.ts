import { describe, expect, it } from 'vitest';
import { matching, wanted } from './complete';

describe('what is wanted', () => {
  it('is a command at the beginning only', () => {
    expect(wanted('/re', 3)).toEqual({ kind: 'command', query: 're', from: 0, to: 3 });
    expect(wanted('see /re', 7)).toBeUndefined();
    expect(wanted('/review now', 11)).toBeUndefined();
  });

  it('is a mention behind a space, and no address', () => {
    expect(wanted('compare @ex', 11)).toEqual({ kind: 'mention', query: 'ex', from: 8, to: 11 });
    expect(wanted('@', 1)).toEqual({ kind: 'mention', query: '', from: 0, to: 1 });
    expect(wanted('me@example', 10)).toBeUndefined();
  });

  it('is looked for before the caret', () => {
    expect(wanted('@ex and more', 3)).toMatchObject({ query: 'ex' });
    expect(wanted('@ex and more', 12)).toBeUndefined();
  });
});

it('finds the best first', () => {
  const items = ['preview', 'my review', 'review', 'none'];
  expect(matching(items, 'RE', (item) => item)).toEqual(['review', 'my review', 'preview']);
  expect(matching(items, '', (item) => item)).toEqual(items);
});
