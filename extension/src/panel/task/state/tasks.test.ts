// The tasks of a panel, with runs that the test ends.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Task } from '$ui/protocol/protocol';
import { AskedConnection } from '../../connection/fakes/asked';
import { RefusedError } from '../../connection/request';
import { FakeClock } from '../../core/fakes/clock';
import { SessionStore } from '../../state/session.svelte';
import { allClosed } from '../core/runcontrol';
import { Planners as FakePlanners } from './fakes/planners';
import { Run as FakeRun } from './fakes/run';
import { Heads } from './heads.svelte';
import { Tasks } from './tasks.svelte';

vi.mock('../run/run', () => import('./fakes/run'));
vi.mock('../run/planners', () => import('./fakes/planners'));

let connection: AskedConnection;
let heads: Heads;
let session: SessionStore;
let tasks: Tasks;
beforeEach(() => {
  FakeRun.all = [];
  FakePlanners.asked = [];
  FakePlanners.unknown = '';
  FakePlanners.without = undefined;
  const local = { get: () => Promise.resolve({}), set: () => Promise.resolve() };
  const windows = { getCurrent: () => Promise.resolve({ id: 7 }) };
  vi.stubGlobal('chrome', { storage: { local }, windows });
  connection = new AskedConnection();
  heads = new Heads();
  session = new SessionStore();
  tasks = new Tasks({ connection: connection.whole, session, heads, clock: new FakeClock() });
});
afterEach(() => {
  vi.unstubAllGlobals();
});
/** Lets everything happen that waits only for promises. */
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
const run = (at: number): FakeRun => {
  const found = FakeRun.all.at(at);
  if (found === undefined) throw new Error('there is no such run');
  return found;
};
/** Starts a task in t1. */
const start = async (goal = 'buy tea'): Promise<FakeRun> => {
  expect(await tasks.start('t1', goal)).toBe(true);
  return run(-1);
};
/** A stored task of t1, as the backend knows it. */
const stored = (part: Partial<Task> = {}): Task => ({
  id: 'old',
  title: 'old',
  goal: 'old goal',
  tab: 't1',
  tabs: ['t1'],
  state: 'interrupted',
  steps: 0,
  maxSteps: 40,
  tokens: 5,
  budget: 0,
  created: '2026-11-21T09:30:00Z',
  updated: '2026-11-21T09:30:00Z',
  index: 1,
  ...part,
});
const refuse = (message: string) => () => {
  throw new RefusedError({ code: 'internal', message, hint: 'later' }, 500);
};

describe('a task that starts', () => {
  it('is the one of its tab, until it ends', async () => {
    const { head, end } = await start();
    expect([tasks.of('t1')?.id, tasks.runsHere(head.id)]).toEqual([head.id, true]);
    end();
    await settle();
    expect([tasks.of('t1')?.id, tasks.runsHere(head.id)]).toEqual([head.id, false]);
    tasks.choose('t1', undefined);
    expect(tasks.of('t1')).toBeUndefined();
  });

  it('after another in its tab knows how that ended', async () => {
    await start('buy tea');
    const { config } = await start('and milk');
    expect(config.before).toBe('Goal: buy tea\nHow it ended: idle');
    expect(config.first).toEqual({ before: config.before });
  });

  it('without a model says why, and does not start', async () => {
    FakePlanners.without = new RefusedError({ code: 'internal', message: 'no key' }, 400);
    expect(await tasks.start('t1', 'buy tea')).toBe(false);
    expect([tasks.asking.problem?.message, tasks.of('t1')]).toEqual(['no key', undefined]);
  });

  it('that could not be stored gives its goal back, and the tab what it showed', async () => {
    const before = await start('first');
    const { fail } = Object.assign(await start('second'), { kept: false });
    fail(new Error('disk full'));
    await settle();
    expect([tasks.unbegun, tasks.asking.problem?.message]).toEqual(['second', 'disk full']);
    expect([tasks.of('t1')?.id, heads.all.length]).toEqual([before.head.id, 1]);
  });

  it('that is stored and fails is interrupted, with the reason', async () => {
    const { fail, head } = await start();
    fail(new RefusedError({ code: 'internal', message: 'gone', hint: 'start it' }, 500));
    await settle();
    expect(heads.get(head.id)).toMatchObject({
      state: 'interrupted',
      error: { message: 'gone', hint: 'start it' },
    });
  });
});

describe('a task that is resumed', () => {
  it('goes on with its steps and tokens', async () => {
    connection.answers['/task/get'] = () => ({ head: stored(), events: [] });
    expect(await tasks.resume('old')).toBe(true);
    expect(run(0).config.restored).toMatchObject({ steps: [], tokens: 5 });
    expect(tasks.of('t1')?.id).toBe('old');
  });

  it('runs once, however often Resume is pressed', async () => {
    connection.answers['/task/get'] = () => ({ head: stored(), events: [] });
    expect(await Promise.all([tasks.resume('old'), tasks.resume('old')])).toEqual([true, true]);
    expect(await tasks.resume('old')).toBe(true);
    expect(FakeRun.all).toHaveLength(1);
  });

  it('that cannot be read is not resumed, and says why', async () => {
    connection.answers['/task/get'] = refuse('no such task');
    expect(await tasks.resume('old')).toBe(false);
    expect(tasks.asking.problem).toEqual({ message: 'no such task', hint: 'later' });
    expect(FakeRun.all).toEqual([]);
  });
});

it('a replay keeps the values that are not secret, and uses all', async () => {
  const params = [
    { name: 'name', value: 'Ada', secret: false },
    { name: 'password', value: '', secret: true },
  ];
  const recipe = { url: 'https://a.test/', deeds: [{ action: { do: 'back' as const } }], params };
  const values = { name: 'Bob', password: 'hunter2' };
  expect(await tasks.replay('t1', { goal: 'sign in', recipe, values, routine: 'r' })).toBe(true);
  const again = FakePlanners.asked[0]?.again;
  expect(again?.values).toEqual(values);
  expect(again?.recipe.params.map(({ value }) => value)).toEqual(['Bob', '']);
  expect(run(0).head).toMatchObject({ maxSteps: 22, routine: 'r' });
  expect(tasks.missing(run(0).head.id).map(({ name }) => name)).toEqual(['password']);
});

describe('the user of a task', () => {
  it('pauses, resumes, speaks and stops it', async () => {
    const { head, did } = await start();
    tasks.pause(head.id);
    tasks.goOn(head.id, 'signed in');
    expect(await tasks.say(head.id, 'green tea')).toBe(true);
    await tasks.stop(head.id);
    expect(did).toEqual(['pause', 'resume signed in', 'say green tea', 'stop']);
    expect(connection.asked).toEqual([]);
  });

  it('learns that a message cannot be used', async () => {
    const { head, did } = await start();
    FakePlanners.unknown = 'I do not know “ponder”.';
    expect(await tasks.say(head.id, 'ponder')).toBe(false);
    expect([tasks.asking.problem?.message, did]).toEqual(['I do not know “ponder”.', []]);
    expect(await tasks.unknown('ponder')).toBe('I do not know “ponder”.');
  });

  it('does the same with one that runs elsewhere, through the backend', async () => {
    tasks.choose('t1', 'old');
    tasks.pause('old');
    tasks.takeOver('old', true);
    tasks.goOn('old');
    expect(await tasks.say('old', 'green tea')).toBe(true);
    expect(connection.of('/task/order').map(({ order, text }) => [order, text])).toEqual([
      ['pause', ''],
      ['take_over', ''],
      ['pause', ''],
      ['go_on', ''],
      ['say', 'green tea'],
    ]);
    await tasks.stop('old');
    await tasks.close('old');
    expect(connection.asked.slice(5).map(({ path }) => path)).toEqual([
      '/task/stop',
      '/task/close',
    ]);
    expect(tasks.of('t1')).toBeUndefined();
  });

  it('learns of the end of a task that no tab shows any more', async () => {
    const { config, head } = await start();
    config.show({ kind: 'end', outcome: { state: 'failed', text: allClosed } }, head);
    expect(tasks.lost).toBe(`“buy tea” has ended: ${allClosed}`);
  });
});

describe('an order of a program', () => {
  const order = (kind: string, task: Task): void => {
    tasks.apply({ type: 'task_order', order: kind, task });
  };
  const task = stored({ id: 'ordered', state: 'idle', asker: { kind: 'cli' } as never });

  it('is taken once, by the panel of its window, with the limits of the settings', async () => {
    connection.answers['/llm'] = refuse('not now');
    session.tabs = [{ id: 't1', windowId: 7 } as never];
    order('run', { ...task, maxSteps: 0 });
    order('run', { ...task, maxSteps: 0 });
    await settle();
    expect(FakeRun.all.map(({ head }) => [head.id, head.maxSteps])).toEqual([['ordered', 40]]);
    order('pause', task);
    order('take_over', task);
    order('go_on', task);
    order('stop', task);
    expect(run(0).did).toEqual(['pause', 'take over', 'pause', 'resume', 'stop']);
  });

  it('of the user in another panel reaches the run, with what is no instruction', async () => {
    const { head, did } = await start();
    const told = (kind: string, text = ''): void => {
      tasks.apply({ type: 'task_order', order: kind, task: head, text });
    };
    told('take_over');
    told('go_on');
    told('say', 'green tea');
    await settle();
    FakePlanners.unknown = 'I do not know “ponder”.';
    told('say', 'ponder');
    await settle();
    expect(did).toEqual([
      'take over',
      'pause',
      'resume',
      'say green tea',
      'notice I do not know “ponder”.',
    ]);
  });

  it('for the task page is taken and resumed there, and by no panel', async () => {
    session.tabs = [{ id: 't1', windowId: 7 } as never];
    const page = (kind: string): void => {
      tasks.apply({ type: 'task_order', order: kind, task, page: true });
    };
    page('run');
    page('resume');
    await settle();
    expect(FakeRun.all).toEqual([]);
    const clock = new FakeClock();
    tasks = new Tasks({ connection: connection.whole, session, heads, clock, taskPage: true });
    order('run', task);
    page('run');
    await settle();
    expect(FakeRun.all.map(({ head }) => head.id)).toEqual(['ordered']);
    page('give_up');
    expect(run(0).did).toContain('give up');
    run(0).end();
    await settle();
    connection.answers['/task/get'] = () => ({ head: stored({ id: 'ordered' }), events: [] });
    page('resume');
    page('resume');
    await expect.poll(() => FakeRun.all.length).toBe(2);
    await settle();
    expect(FakeRun.all).toHaveLength(2);
  });

  it('for another window is left to its panel', async () => {
    session.tabs = [{ id: 't1', windowId: 8 } as never];
    order('run', task);
    await settle();
    expect(FakeRun.all).toEqual([]);
  });

  it('that cannot start is refused with the reason', async () => {
    FakePlanners.without = new Error('no model');
    session.tabs = [{ id: 't1', windowId: 7 } as never];
    order('run', task);
    await settle();
    expect(connection.of('/task/write')[0]?.head).toMatchObject({
      state: 'failed',
      error: { message: 'no model' },
    });
  });
});

describe('what the backend reports', () => {
  it('reaches the run, and a tab that the task opened shows it', async () => {
    const { head, did } = await start();
    tasks.apply({ type: 'task', task: { ...head, tabs: ['t1', 't2'], index: 1 } });
    expect([did, tasks.of('t2')?.id]).toEqual([[`took ${head.id}`], head.id]);
  });

  it('is read where another panel writes a task that is shown here', async () => {
    connection.answers['/task/get'] = () => ({ head: stored({ index: 3 }), events: [] });
    heads.put(stored());
    tasks.history.begin('old');
    tasks.apply({ type: 'task', task: stored({ index: 3 }) });
    await settle();
    expect(connection.of('/task/get')).toEqual([{ task: 'old', after: 0 }]);
    tasks.apply({ type: 'task_gone', task: 'old' });
    expect(tasks.history.known('old')).toBeUndefined();
  });
});
