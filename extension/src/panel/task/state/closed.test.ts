import { expect, test } from 'vitest';
import type { Tab, Task } from '$ui/protocol/protocol';
import { FakeClock } from '../../core/fakes/clock';
import { TABS_GONE } from '../../core/timing';
import { Closed } from './closed';

const tab = (id: string): Tab => ({ id }) as Tab;

test('a task whose tabs were all closed ends; one that has a tab goes on', () => {
  const clock = new FakeClock();
  const lost: string[] = [];
  const work = (name: string, ...tabs: string[]) => ({
    head: { tab: tabs[0], tabs } as unknown as Task,
    loop: { lose: () => lost.push(name) },
  });
  const closed = new Closed(clock, () => [work('a', 't1'), work('b', 't2', 't3')]);
  closed.tabs([tab('t1'), tab('t3')]);
  clock.advance(TABS_GONE);
  expect(lost).toEqual([]);
  closed.tabs([tab('t3')]);
  closed.tabs([tab('t3'), tab('t4')]);
  clock.advance(TABS_GONE);
  expect(lost).toEqual(['a']);
});

test('a browser that ends takes its tabs with it, and ends no task', () => {
  const clock = new FakeClock();
  const lost: string[] = [];
  const head = { tab: 't1', tabs: ['t1'] } as unknown as Task;
  const closed = new Closed(clock, () => [{ head, loop: { lose: () => lost.push('a') } }]);
  closed.tabs([tab('t2')]);
  closed.tabs([]);
  clock.advance(TABS_GONE);
  expect(lost).toEqual([]);
});
