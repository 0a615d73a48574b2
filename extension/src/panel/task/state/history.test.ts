import { beforeEach, describe, expect, it } from 'vitest';
import type { Task, TaskEvent } from '$ui/protocol/protocol';
import { AskedConnection } from '../../connection/fakes/asked';
import { RefusedError } from '../../connection/request';
import { Asking } from './asking.svelte';
import { Heads } from './heads.svelte';
import { TaskHistory } from './history.svelte';

const head: Task = {
  id: 'a',
  title: 'buy tea',
  goal: 'buy tea',
  tabs: [],
  state: 'done',
  steps: 0,
  maxSteps: 40,
  tokens: 0,
  budget: 0,
  created: '2026-11-21T09:30:00Z',
  updated: '2026-11-21T09:30:00Z',
  index: 5,
};
const written = [1, 2, 3, 4, 5].map((index): TaskEvent => ({
  index,
  kind: 'person',
  at: head.created,
  data: { text: `word ${String(index)}` },
}));

let connection: AskedConnection;
let heads: Heads;
let asking: Asking;
let history: TaskHistory;
const refuse = (): never => {
  throw new RefusedError({ code: 'internal', message: 'no' }, 500);
};

beforeEach(() => {
  connection = new AskedConnection();
  // Two events per page.
  connection.answers['/task/get'] = ({ after }) => ({
    head,
    events: written.filter(({ index }) => index > Number(after)).slice(0, 2),
  });
  heads = new Heads();
  asking = new Asking(connection.whole);
  history = new TaskHistory(asking, heads);
});
const texts = (): string[] =>
  history.view('a').lines.map((line) => (line.kind === 'step' ? '' : line.text));

describe('a task that is looked at', () => {
  it('is read page by page, once', async () => {
    const view = history.begin('a');
    expect(await history.fetch('a', view)).toMatchObject({ id: 'a' });
    expect(connection.of('/task/get').map(({ after }) => after)).toEqual([0, 2, 4, 5]);
    expect(texts()).toEqual(['word 1', 'word 2', 'word 3', 'word 4', 'word 5']);
    expect(heads.get('a')?.title).toBe('buy tea');
    await history.fetch('a', view);
    expect(texts()).toHaveLength(5);
  });

  it('is fetched when it is looked at first, and kept until it is forgotten', () => {
    expect(history.known('a')).toBeUndefined();
    const view = history.view('a');
    expect([history.view('a') === view, history.known('a') === view]).toEqual([true, true]);
    expect(connection.asked).toHaveLength(1);
    history.forget('a');
    expect(history.known('a')).toBeUndefined();
  });

  it('that cannot be read is a problem, and keeps what was read', async () => {
    const view = history.begin('a');
    const pages = connection.answers['/task/get'];
    connection.answers['/task/get'] = (body) => (body.after === 0 ? pages?.(body) : refuse());
    expect(await history.fetch('a', view)).toMatchObject({ id: 'a' });
    expect([texts(), asking.problem?.message]).toEqual([['word 1', 'word 2'], 'no']);
  });
});

it('all that was written of a task can be had', async () => {
  expect((await history.events('a')).map(({ index }) => index)).toEqual([1, 2, 3, 4, 5]);
});

it('a search finds tasks that were not known', async () => {
  connection.answers['/task/list'] = () => ({ tasks: [head] });
  expect((await history.search('tea')).tasks).toHaveLength(1);
  expect(heads.get('a')).toBeDefined();
  connection.answers['/task/list'] = refuse;
  expect(await history.search('tea')).toEqual({ tasks: [] });
});

it.each([
  ['has one', () => ({ kind: 'image', name: 'x', data: 'eA==' }), 'data:image/jpeg;base64,eA=='],
  ['has an empty one', () => ({ kind: 'image', name: 'x', data: '' }), undefined],
  ['lost it', refuse, undefined],
])('the picture of a step that %s', async (_, answer, url) => {
  connection.answers['/task/picture'] = answer;
  expect(await history.picture('a', 3)).toBe(url);
  expect(asking.problem).toBeUndefined();
});

it('a request that succeeds does not hide what another one reported meanwhile', async () => {
  const slow = asking.try(() => new Promise((done) => setImmediate(done)));
  await asking.try(refuse);
  await slow;
  expect(asking.problem?.message).toBe('no');
  await asking.try(() => Promise.resolve());
  expect(asking.problem).toBeUndefined();
});
