import { expect, test } from 'vitest';
import { atEnd, overscan, rowHeight, visibleRows } from './rows';

test('only the rows of the viewport are drawn, with some beyond', () => {
  expect(visibleRows(100 * rowHeight, 10 * rowHeight, 2_000)).toEqual({
    from: 100 - overscan,
    to: 110 + overscan,
  });
  expect(visibleRows(0, 10 * rowHeight, 3)).toEqual({ from: 0, to: 3 });
});

test('a list that shrank below its scroll position draws nothing wrong', () => {
  const { from, to } = visibleRows(5_000, 200, 4);
  expect(to).toBe(4);
  expect(from).toBeLessThanOrEqual(to);
});

test('the end is the end, half a row is not', () => {
  expect(atEnd(90 * rowHeight, 10 * rowHeight, 100)).toBe(true);
  expect(atEnd(89 * rowHeight, 10 * rowHeight, 100)).toBe(false);
});
