import { expect, test } from 'vitest';

import { cutBudget, cutDepth, cutFind, difference, fold, type Line, matcher } from './lines.js';
import type { Item } from './types.js';

function line(depth: number, text: string, parent: number): Line {
  const item: Item = {
    el: {} as Element,
    role: 'text',
    name: text,
    states: [],
    offered: false,
    num: 0,
    inView: true,
    children: [],
  };
  return { depth, text, item, parent };
}

const lines = [
  line(0, 'main', -1),
  line(1, 'nav', 0),
  line(2, 'e1 link Alpha', 1),
  line(2, 'e2 link Beta', 1),
  line(1, 'e3 btn Gamma', 0),
];
const every = new Set(lines.keys());

test('a depth leaves the deeper lines behind', () => {
  expect([...cutDepth(lines, 2)]).toEqual([0, 1, 4]);
  expect(
    fold(lines, cutDepth(lines, 2)).map((one) => ('rest' in one ? one.rest.length : 0)),
  ).toEqual([0, 0, 2, 0]);
});

test('what is found keeps what it stands in, in order', () => {
  expect([...cutFind(lines, 'beta')]).toEqual([0, 1, 3]);
  expect([...cutFind(lines, '/gam+a/i')]).toEqual([0, 4]);
  expect(() => matcher('/(/')).toThrow(SyntaxError);
});

test('a budget that is large enough cuts nothing', () => {
  expect(cutBudget(lines, every, 1000, () => true)).toEqual(every);
});

test('a budget keeps what is in view, with its parents, before the rest', () => {
  const long = Array.from({ length: 100 }, (_, i) => line(0, `e${i + 1} btn Number ${i}`, -1));
  const all = new Set(long.keys());
  const kept = cutBudget(long, all, 400, (item) => item.name.endsWith(' 57'));
  expect(kept.has(57)).toBe(true);
  expect(kept.has(0)).toBe(true);
  expect(kept.has(99)).toBe(false);
});

test('a difference goes by ref, and by text where there is none', () => {
  const before = [
    { key: 'e1', text: 'e1 btn A' },
    { key: 'e2', text: 'e2 btn B' },
    { key: 'text "x"', text: '"x"' },
    { key: 'text "x"', text: '"x"' },
  ];
  const now = [
    { key: 'e2', text: 'e2 btn B [disabled]' },
    { key: 'e3', text: 'e3 btn C' },
    { key: 'text "x"', text: '"x"' },
  ];
  expect(difference(before, now)).toEqual([
    '~ e2 btn B [disabled]',
    '+ e3 btn C',
    '- e1 btn A',
    '- "x"',
  ]);
});
