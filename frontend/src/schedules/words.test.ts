import { describe, expect, it } from 'vitest';
import type { Schedule, ScheduleRun } from '$ui/protocol/protocol';
import { nextWords, runTone, runWords, timeWords, whatWords, whenWords } from './words';

const at = '2026-03-04T12:00:00Z';
const schedule = (part: Partial<Schedule>): Schedule => ({
  name: 'a',
  what: { task: 'look' },
  when: { at: 'daily 09:30' },
  session: 'default',
  maxMinutes: 15,
  notify: 'failure',
  created: at,
  runs: [],
  ...part,
});
const run = (part: Partial<ScheduleRun>): ScheduleRun => ({
  state: 'done',
  reason: 'time',
  began: at,
  ...part,
});

it.each([
  [{ at: 'daily 09:30' }, 'daily 09:30'],
  [{ page: 'https://a.example' }, 'when https://a.example changes'],
  [{ page: 'p', selector: '.price' }, 'when .price on p changes'],
  [{ folder: '/in', pattern: '*.csv' }, 'when *.csv appears in /in'],
  [{ folder: '/in' }, 'when * appears in /in'],
  [{}, ''],
])('when: %j', (when, want) => {
  expect(whenWords(when)).toBe(want);
});

it.each([
  [{ routine: 'report' }, 'Routine report'],
  [{ task: 'look\nhere' }, 'Task “look here”'],
  [{ commands: ['goto a', 'text'] }, 'goto a, then text'],
  [{}, ''],
])('what: %j', (what, want) => {
  expect(whatWords(what)).toBe(want);
});

describe('when it runs next', () => {
  it.each<[Partial<Schedule>, string]>([
    [{ off: true, next: at }, 'Paused'],
    [{ when: { folder: '/in' } }, 'Waiting for a file'],
    [{}, 'Over'],
    [{ when: { page: 'p' } }, 'Checked soon'],
    [{ next: at }, `Next: ${timeWords(at)}`],
    [{ when: { page: 'p' }, next: at }, `Next check: ${timeWords(at)}`],
  ])('%j', (part, want) => {
    expect(nextWords(schedule(part))).toBe(want);
  });
});

describe('a run', () => {
  it.each<[Partial<ScheduleRun>, string]>([
    [{ state: 'running' }, 'Running (its time came)'],
    [{ durationMs: 1240 }, 'Done after 1.2 s (its time came)'],
    [{ durationMs: 300_000, reason: 'page' }, 'Done after 5 min (the page changed)'],
    [
      { state: 'failed', durationMs: 9_000_000, reason: 'file' },
      'Failed after 2.5 h (a file appeared)',
    ],
    [{ state: 'missed', missed: 3 }, 'Missed 3 times'],
    [{ state: 'missed', missed: 1 }, 'Missed'],
    [{ reason: 'user' }, 'Done (you ran it)'],
  ])('%j', (part, want) => {
    expect(runWords(run(part))).toBe(want);
  });
  it('has a tone for each state', () => {
    const states = ['running', 'done', 'missed', 'failed'] as const;
    expect(states.map((state) => runTone(run({ state })))).toEqual([
      'busy',
      'ok',
      'attention',
      'danger',
    ]);
  });
});
