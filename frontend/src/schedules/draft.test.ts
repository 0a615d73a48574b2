import { describe, expect, it } from 'vitest';
import type { Schedule } from '$ui/protocol/protocol';
import { draftOf, scheduleOf } from './draft';

const made: Schedule = {
  name: 'report',
  what: { routine: 'report', params: { city: 'Paris', note: 'a=b' }, start: 'https://a.example' },
  when: { at: 'mon-fri 09:30' },
  session: 'work',
  startSession: true,
  off: true,
  maxMinutes: 5,
  maxSteps: 20,
  maxTokens: 9000,
  notify: 'always',
  created: '2026-03-04T12:00:00Z',
  runs: [],
};

describe('the form of a schedule', () => {
  it.each<[string, Partial<Schedule>]>([
    ['a routine at a time', {}],
    ['a task', { what: { task: 'look', profile: 'fast' } }],
    ['commands', { what: { commands: ['goto a.example', 'screenshot'] } }],
    ['a page that changes', { when: { page: 'https://a.example', everySeconds: 1800 } }],
    [
      'a part of a page',
      { when: { page: 'https://a.example', selector: '.price', everySeconds: 60 } },
    ],
    ['a file', { when: { folder: '/home/ada', pattern: '*.csv' } }],
  ])('gives back %s as it was', (_name, part) => {
    const schedule = { ...made, ...part };
    expect(scheduleOf(draftOf(schedule), schedule)).toEqual(schedule);
  });

  it('of a new one has what most people want', () => {
    const draft = draftOf();
    expect([draft.runs, draft.starts, draft.session, draft.notify]).toEqual([
      'task',
      'at',
      'default',
      'failure',
    ]);
    expect([draft.minutes, draft.everyMinutes, draft.steps]).toEqual(['15', '15', '']);
  });

  it('drops what the chosen kind does not use', () => {
    const draft = {
      ...draftOf(made),
      runs: 'task',
      task: 'look',
      starts: 'page',
      page: 'p',
    } as const;
    const { what, when } = scheduleOf({ ...draft, everyMinutes: '0.5' });
    expect(what).toEqual({ task: 'look', start: 'https://a.example' });
    expect(when).toEqual({ page: 'p', everySeconds: 30 });
  });

  it('is filled in with what the side panel asks for, and named after it', () => {
    const what = { task: 'Read “The News”, and write it down', start: 'https://a.example' };
    const draft = draftOf(undefined, { what, session: 'work' });
    expect(draft).toMatchObject({ ...what, runs: 'task', session: 'work' });
    expect(draft.name).toBe('read-the-news-and-write');
    const routine = draftOf(undefined, { what: { routine: 'report' }, session: 'work' });
    expect([routine.runs, routine.routine, routine.name]).toEqual(['routine', 'report', 'report']);
  });

  it('reads numbers and parameters as they were typed', () => {
    const draft = { ...draftOf(made), params: { city: 'Paris ', days: '' }, minutes: 'soon' };
    const schedule = scheduleOf(draft);
    expect(schedule.what.params).toEqual({ city: 'Paris ' });
    expect(schedule.maxMinutes).toBe(0);
  });
});
