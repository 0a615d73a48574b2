import { expect, test } from 'vitest';
import type { ActivityEntry, ActivityQuery } from '$ui/protocol/protocol';
import { answeredOf, history } from './history';

const entry = (part: Partial<ActivityEntry>): ActivityEntry => ({
  index: 1,
  kind: 'question',
  time: '2026-11-21T09:30:00Z',
  actor: { kind: 'person', name: 'you' },
  session: 'default',
  command: 'eval',
  ok: true,
  durationMs: 0,
  ...part,
});
const asks = entry({
  index: 4,
  phase: 'waiting',
  summary: 'claude wants to run JavaScript on https://example.com',
});
const allowed = entry({
  index: 6,
  phase: 'answered',
  parent: 4,
  summary: 'Allowed once',
  args: { answer: 'once', in: 'tray' },
  time: '2026-11-21T09:31:00Z',
});

test('an answer says who asked, what, where, and who answered where and when', () => {
  expect(answeredOf('work', [allowed, asks])).toEqual([
    {
      session: 'work',
      index: 6,
      question: 'claude wants to run JavaScript on https://example.com',
      answer: 'Allowed once by you in the tray menu',
      tone: 'ok',
      time: '2026-11-21T09:31:00Z',
    },
  ]);
});

test('an answer on a control page names the page', () => {
  const there = {
    ...allowed,
    args: { answer: 'once', in: 'control page Firefox on Linux (K7QF)' },
  };
  expect(answeredOf('work', [there])).toMatchObject([
    { answer: 'Allowed once by you on the control page in Firefox on Linux (K7QF)' },
  ]);
});

test('a question that nobody answered says why', () => {
  const gone = entry({ index: 5, phase: 'answered', parent: 2, ok: false, summary: 'It ended' });
  expect(answeredOf('work', [gone])).toMatchObject([
    { question: '', answer: 'It ended', tone: 'off' },
  ]);
});

test('the answers of all sessions are together, and a question is found on the next page', async () => {
  const queries: ActivityQuery[] = [];
  const found = await history(['default', 'work'], (session, query) => {
    queries.push(query);
    const rest = { gaps: [], last: 9, shots: [] };
    if (session === 'work')
      return Promise.resolve({
        ...rest,
        before: 0,
        entries: [{ ...allowed, time: '2026-11-22T00:00:00Z' }],
      });
    return Promise.resolve(
      query.before === undefined
        ? { ...rest, before: 6, entries: [allowed] }
        : { ...rest, before: 0, entries: [asks] },
    );
  });
  expect(found.map(({ session, question }) => [session, question !== ''])).toEqual([
    ['work', false],
    ['default', true],
  ]);
  expect(queries).toContainEqual({ kinds: ['question'], limit: 100, before: 6 });
});
