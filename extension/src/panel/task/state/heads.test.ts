import { describe, expect, it } from 'vitest';
import type { PanelEvent, Task } from '$ui/protocol/protocol';
import { Heads, isLeft, isOver } from './heads.svelte';

const task = (id: string, part: Partial<Task> = {}): Task => ({
  id,
  title: id,
  goal: id,
  tab: 't1',
  tabs: ['t1'],
  state: 'running',
  steps: 0,
  maxSteps: 40,
  tokens: 0,
  budget: 0,
  created: '2026-11-21T09:30:00Z',
  updated: '2026-11-21T09:30:00Z',
  index: 1,
  ...part,
});
const hello = (...tasks: Task[]): PanelEvent =>
  ({ type: 'hello', panel: 'p1', tasks }) as unknown as PanelEvent;
const ids = (heads: Heads): string[] => heads.all.map(({ id }) => id);

it.each([
  ['running', undefined, false, false],
  ['done', undefined, true, false],
  ['stopped', undefined, true, false],
  ['failed', undefined, true, true],
  ['failed', true, true, false],
] as const)('%s (closed: %s) is over: %s, left: %s', (state, closed, over, left) => {
  const one = task('a', { state, ...(closed !== undefined && { closed }) });
  expect([isOver(one), isLeft(one)]).toEqual([over, left]);
});

describe('the tasks of a session', () => {
  it('stand with the newest first', () => {
    const heads = new Heads();
    heads.put(task('old', { created: '2026-11-20T00:00:00Z' }));
    heads.put(task('new', { created: '2026-11-22T00:00:00Z' }));
    heads.put(task('middle'));
    expect(ids(heads)).toEqual(['new', 'middle', 'old']);
  });

  it('are what the backend says, and those that ended before it asked', () => {
    const heads = new Heads();
    heads.put(task('ended', { state: 'done', created: '2026-11-20T00:00:00Z' }));
    heads.put(task('gone'));
    heads.apply(hello(task('here')));
    expect([heads.panel, ids(heads)]).toEqual(['p1', ['here', 'ended']]);
  });

  it('change as they are reported', () => {
    const heads = new Heads();
    heads.apply({ type: 'task', task: task('a') });
    heads.apply({ type: 'task', task: task('a', { index: 2, state: 'paused' }) });
    expect(heads.get('a')?.state).toBe('paused');
    heads.apply({ type: 'task_gone', task: 'a' });
    expect(heads.all).toEqual([]);
  });

  it('do not go back to an older state', () => {
    const heads = new Heads();
    heads.put(task('a', { index: 5, state: 'paused' }));
    heads.put(task('a', { index: 4 }));
    heads.put(task('a', { index: 5, updated: '2026-11-21T09:29:00Z' }));
    expect(heads.get('a')?.state).toBe('paused');
    heads.put(task('a', { index: 5, updated: '2026-11-21T09:31:00Z' }));
    expect(heads.get('a')?.state).toBe('running');
  });
});

describe('the task of a tab', () => {
  it('is the newest that is not finished, in any of its tabs', () => {
    const heads = new Heads();
    heads.put(task('done', { state: 'done', created: '2026-11-23T00:00:00Z' }));
    heads.put(task('own', { created: '2026-11-20T00:00:00Z' }));
    heads.put(task('wide', { tab: 't2', tabs: ['t2', 't1'], created: '2026-11-22T00:00:00Z' }));
    expect(heads.unfinishedOf('t1')?.id).toBe('wide');
    expect(heads.unfinishedOf('t9')).toBeUndefined();
  });

  it('that failed stays until the user closes it', () => {
    const heads = new Heads();
    heads.put(task('a', { state: 'failed' }));
    expect(heads.failedOf('t1')?.id).toBe('a');
    heads.put(task('a', { state: 'failed', closed: true, index: 2 }));
    expect(heads.failedOf('t1')).toBeUndefined();
  });
});
