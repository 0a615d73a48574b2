import { expect, test } from 'vitest';
import { settleTime } from '../settled';
import { Turn } from './turn';

test('a question takes no click before the list has rested', () => {
  const turn = new Turn();
  expect(turn.take('a', 1e6)).toBe(false);
  turn.list(['a', 'b'], 1000);
  expect(turn.take('a', 1000 + settleTime - 1)).toBe(false);
  // The same list, drawn once more, changes nothing.
  turn.list(['a', 'b'], 1500);
  expect(turn.take('a', 1000 + settleTime)).toBe(true);
});

test('one question is answered at a time, and the others wait anew when it has gone', () => {
  const turn = new Turn();
  turn.list(['a', 'b'], 0);
  expect(turn.take('a', settleTime)).toBe(true);
  expect(turn.take('b', 10 * settleTime)).toBe(false);
  expect(turn.take('a', 10 * settleTime)).toBe(false);
  turn.list(['b'], 11 * settleTime);
  expect(turn.take('b', 12 * settleTime - 1)).toBe(false);
  expect(turn.take('b', 12 * settleTime)).toBe(true);
});

test('a question that comes makes all wait anew, and ends no answer', () => {
  const turn = new Turn();
  turn.list(['a'], 0);
  turn.list(['b', 'a'], 5 * settleTime);
  expect(turn.take('a', 5 * settleTime + 1)).toBe(false);
  expect(turn.take('a', 6 * settleTime)).toBe(true);
  turn.list(['c', 'b', 'a'], 7 * settleTime);
  expect(turn.take('b', 9 * settleTime)).toBe(false);
});

test('an answer that did not arrive may be given again, here or elsewhere', () => {
  const turn = new Turn();
  turn.list(['a', 'b'], 0);
  expect(turn.take('a', settleTime)).toBe(true);
  turn.release('b');
  expect(turn.take('b', settleTime)).toBe(false);
  turn.release('a');
  expect(turn.take('b', settleTime)).toBe(true);
});
