import { expect, it } from 'vitest';
import { MENU_WAIT, readWish, type MenuWish } from './menu';

const wish: MenuWish = {
  id: 'a',
  choice: 'link',
  window: 1,
  tab: 2,
  at: 1_000,
  url: 'https://example.com/',
  text: 'https://example.com/b',
  target: '',
};

it('reads a choice of the context menu, and nothing else', () => {
  expect(readWish(wish, 1_000)).toBe(wish);
  expect(readWish(wish, 1_001 + MENU_WAIT)).toBeUndefined();
  for (const other of [
    undefined,
    null,
    'link',
    {},
    { ...wish, choice: 'eval' },
    { ...wish, tab: '2' },
  ])
    expect(readWish(other, 1_000)).toBeUndefined();
});
