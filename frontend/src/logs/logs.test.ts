import { expect, test } from 'vitest';
import { line, LogView, logCapacity, rank } from './logs.svelte';
import { logRecord } from '../../test/fakes/scenarios';

const records = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => logRecord(from + n));
const seqs = (view: LogView) => view.shown.map((record) => record.seq);

test('the tail that was asked for goes in front of what came by event', () => {
  const view = new LogView();
  view.push(records(9, 11));
  view.push(records(1, 10));
  expect(seqs(view)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  view.push(records(10, 12));
  expect(seqs(view).at(-1)).toBe(12);
  expect(new Set(seqs(view)).size).toBe(view.shown.length);
});

test('pause counts what comes, and resume shows it', () => {
  const view = new LogView();
  view.push(records(1, 5));
  view.paused = true;
  view.push(records(6, 8));
  expect(view.shown).toHaveLength(5);
  expect(view.missed).toBe(3);
  view.paused = false;
  expect(view.shown).toHaveLength(8);
  expect(view.missed).toBe(0);
});

test('it keeps the newest, and says how many rows fell off the front', () => {
  const view = new LogView();
  view.push(records(1, logCapacity));
  view.push(records(logCapacity + 1, logCapacity + 30));
  expect(view.shown).toHaveLength(logCapacity);
  expect(seqs(view)[0]).toBe(31);
  expect(view.dropped).toBe(30);
});

test('level and words filter together, also what comes later', () => {
  const view = new LogView();
  view.push(records(1, 16));
  view.level = 'WARN';
  expect(view.shown.every((record) => rank(record.level) >= rank('WARN'))).toBe(true);
  view.text = 'Status NAVIGATION';
  expect(view.shown.map((record) => record.message)).toEqual([
    'navigation failed',
    'navigation failed',
  ]);
  view.push(records(17, 24));
  expect(view.shown).toHaveLength(3);
  view.level = 'DEBUG';
  view.text = '';
  expect(view.filtered).toBe(false);
  expect(view.shown).toHaveLength(24);
});

test('clear empties the view and goes on', () => {
  const view = new LogView();
  view.push(records(1, 5));
  view.clear();
  expect(view.shown).toEqual([]);
  view.push(records(5, 6));
  expect(seqs(view)).toEqual([6]);
});

test('a level that nobody knows is never filtered away', () => {
  expect(rank('FATAL')).toBeGreaterThan(rank('ERROR'));
  expect(rank('ERROR+4')).toBe(rank('ERROR'));
});

test('a record as a line', () => {
  expect(line({ seq: 1, time: 'T', level: 'INFO', message: 'm', attrs: 'a=1' })).toBe(
    'T INFO m a=1',
  );
});
