// The small stores of tasks: heads, routines, settings, the chosen tasks, requests.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PanelEvent, Task, TaskRoutine } from '$ui/protocol/protocol';
import { OfflineError } from '../../connection/connection';
import { AskedConnection } from '../../connection/fakes/asked';
import { RefusedError } from '../../connection/request';
import { FakeClock } from '../../core/fakes/clock';
import { WRITE_AGAIN } from '../../core/timing';
import { Asking } from './asking.svelte';
import { Chosen } from './chosen.svelte';
import { Heads } from './heads.svelte';
import { Later } from './later';
import { contextOf, newTask } from './newtask';
import { Routines } from './routines.svelte';
import { readSettings, writeSettings } from './settings';

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
const ids = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id);

let kept: Record<string, unknown>;
beforeEach(() => {
  kept = {};
  const local = {
    get: (key: string) => Promise.resolve({ [key]: structuredClone(kept[key]) }),
    set: (part: object) => Promise.resolve(Object.assign(kept, part)),
  };
  vi.stubGlobal('chrome', { storage: { local } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the heads of tasks', () => {
  it.each<[string, Partial<Task>, string]>([
    ['of a later event', { index: 2, updated: '2026-11-21T09:00:00Z' }, 'said'],
    ['of an earlier event', { index: 0, updated: '2026-11-21T10:00:00Z' }, 'known'],
    ['that is newer', { updated: '2026-11-21T09:30:00.5Z' }, 'said'],
    ['that is older', { updated: '2026-11-21T09:29:59.999Z' }, 'known'],
    ['of the same moment', {}, 'said'],
  ])('one %s is taken or not', (_, part, title) => {
    const heads = new Heads();
    heads.put(task('a', { title: 'known' }));
    heads.put(task('a', { title: 'said', ...part }));
    expect(heads.all.map((one) => one.title)).toEqual([title]);
  });

  it('a new socket says all that is not over; what is over stays', () => {
    const heads = new Heads();
    heads.put(task('over', { state: 'done' }));
    heads.put(task('gone'));
    heads.apply({
      type: 'hello',
      panel: 'p1',
      tasks: [task('new', { created: '2026-11-22T00:00:00Z' })],
    } as PanelEvent);
    expect([ids(heads.all), heads.panel]).toEqual([['new', 'over'], 'p1']);
    heads.apply({ type: 'task_gone', task: 'over' });
    expect(ids(heads.all)).toEqual(['new']);
  });

  it.each<[string, Partial<Task>, boolean, boolean]>([
    ['running', {}, true, false],
    ['interrupted', { state: 'interrupted' }, true, false],
    ['failed', { state: 'failed' }, false, true],
    ['failed and put away', { state: 'failed', closed: true }, false, false],
    ['done', { state: 'done' }, false, false],
    ['elsewhere', { tab: 't3', tabs: ['t3'] }, false, false],
    ['at work in this tab', { tab: 't3', tabs: ['t1', 't3'] }, true, false],
  ])('a task %s is shown beside its tab or not', (_, part, unfinished, failed) => {
    const heads = new Heads();
    heads.put(task('a', part));
    expect([heads.unfinishedOf('t1') !== undefined, heads.failedOf('t1') !== undefined]).toEqual([
      unfinished,
      failed,
    ]);
  });
});

describe('routines', () => {
  const routine = (name: string) =>
    ({ name, goal: '', params: [], steps: [], created: '' }) as unknown as TaskRoutine;
  const recipe = {
    url: 'https://a.test/',
    deeds: [{ action: { do: 'back' as const } }],
    params: [
      { name: 'name', value: 'Ada', secret: false },
      { name: 'password', value: 'hunter2', secret: true },
    ],
  };
  async function saved(title: string, ...known: string[]) {
    const connection = new AskedConnection();
    const routines = new Routines(new Asking(connection.whole));
    routines.all = known.map(routine);
    connection.answers['/task/save-routine'] = () => ({ routines: [] });
    await routines.save({ title, goal: 'do it', recipe });
    return connection.of('/task/save-routine')[0]?.routine as TaskRoutine;
  }

  it.each([
    ['Fill the form', [], 'fill-the-form'],
    ['Über: Straße!', [], 'u-ber-stra-e'],
    ['日本', [], 'routine'],
    ['Fill', ['fill', 'fill-2'], 'fill-3'],
    [`${'a'.repeat(49)} b`, [], 'a'.repeat(49)],
  ])('%j beside %j is called %s', async (title, known, name) => {
    expect((await saved(title, ...known)).name).toBe(name);
  });

  it('are saved with lines and actions, and without a secret', async () => {
    const made = await saved('Fill');
    expect(made).toMatchObject({
      params: ['name', 'password'],
      defaults: { name: 'Ada', password: '' },
      secrets: ['password'],
      steps: ['goto "https://a.test/"', 'back'],
    });
  });

  it('with lines only have no recipe', () => {
    const routines = new Routines(new Asking(new AskedConnection().whole));
    expect(routines.recipe(routine('a'))).toBeUndefined();
    const empty = { recipe: { ...recipe, deeds: [] } };
    expect(routines.recipe({ ...routine('a'), actions: empty })).toBeUndefined();
    expect(routines.recipe({ ...routine('a'), actions: { recipe } })?.deeds).toHaveLength(1);
  });
});

describe('settings of tasks', () => {
  it('are the defaults where they are missing or damaged, one by one', async () => {
    expect(await readSettings()).toMatchObject({ steps: 40, minutes: 30, eval: false });
    kept['pilotfish.task'] = { steps: 12, minutes: -1, tokens: 'many', eval: true };
    expect(await readSettings()).toMatchObject({
      steps: 12,
      minutes: 30,
      tokens: 400_000,
      eval: true,
    });
    kept['pilotfish.task'] = 'nonsense';
    expect((await readSettings()).steps).toBe(40);
  });

  it('are read as they were written', async () => {
    const settings = { ...(await readSettings()), profile: 'p1', steps: 7 };
    await writeSettings(settings);
    expect(await readSettings()).toEqual(settings);
  });
});

describe('the task that a tab shows', () => {
  it('is remembered, and what is chosen while the old choice is read is newer', async () => {
    new Chosen().set('t1', 'old');
    const chosen = new Chosen();
    const loaded = chosen.load();
    chosen.set('t2', 'new');
    await loaded;
    expect([chosen.get('t1'), chosen.get('t2'), chosen.has('t3')]).toEqual(['old', 'new', false]);
  });

  it('is kept for the fifty tabs that were chosen last', () => {
    const chosen = new Chosen();
    for (let n = 0; n < 51; n += 1) chosen.set(`t${String(n)}`, 'a');
    chosen.set('t1', 'b');
    const tabs = Object.keys(kept['pilotfish.tasks.chosen'] as object);
    expect([tabs.length, tabs.includes('t0'), tabs.at(-1)]).toEqual([50, false, 't1']);
  });
});

describe('what goes wrong with a request', () => {
  it.each([
    [new RefusedError({ code: 'internal', message: 'No.', hint: 'wait' }, 500), 'No.', 'wait'],
    [new OfflineError(), 'Pilotfish is not connected.', 'Try again when it is connected.'],
    [new DOMException('x', 'TimeoutError'), 'Pilotfish did not respond in time.', 'Try again.'],
    [new Error('a fault'), 'a fault', ''],
    ['a text', 'a text', ''],
  ])('%s is a problem, until something goes well', async (error, message, hint) => {
    const asking = new Asking(new AskedConnection().whole);
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- anything may be thrown
    expect(await asking.try(() => Promise.reject(error))).toBe(false);
    expect(asking.problem).toEqual({ message, hint });
    expect(await asking.try(() => Promise.resolve())).toBe(true);
    expect(asking.problem).toBeUndefined();
  });
});

describe('what failed is tried again', () => {
  const { signal } = new AbortController();

  it('a while later while the panel is connected, never at once', async () => {
    const clock = new FakeClock();
    const later = new Later({ connection: { link: 'live' }, clock });
    let again = false;
    const waited = later.after(signal).then(() => (again = true));
    await Promise.resolve();
    expect(again).toBe(false);
    clock.advance(WRITE_AGAIN);
    await waited;
  });

  it.each([
    [
      'when it is connected again',
      (later: Later) => {
        later.wake();
      },
    ],
    [
      'when its task is over',
      (_: Later, task: AbortController) => {
        task.abort();
      },
    ],
  ])('%s, without a timer', async (_, then) => {
    const clock = new FakeClock();
    const later = new Later({ connection: { link: 'waiting' }, clock });
    const ended = new AbortController();
    const waited = later.after(ended.signal);
    expect(clock.pending).toBe(0);
    then(later, ended);
    await waited;
  });
});

describe('a new task', () => {
  const settings = { steps: 9, tokens: 100, keepGroup: true } as Parameters<typeof newTask>[2];

  it('is called by its first line, cut between characters', () => {
    const title = (goal: string) => newTask('t1', goal, settings, {}).title;
    expect(title('Buy tea\nthe green one')).toBe('Buy tea');
    expect(title('a'.repeat(80))).toHaveLength(60);
    expect(title(`${'a'.repeat(59)}👍`)).not.toMatch(/\p{Cs}/u);
  });

  it('has the limits of the settings, or those that it was given', () => {
    expect(newTask('t1', 'x', settings, {})).toMatchObject({
      maxSteps: 9,
      budget: 100,
      tabs: ['t1'],
    });
    expect(newTask('t1', 'x', settings, { maxSteps: 3 }).maxSteps).toBe(3);
  });

  it('is told how the one before it ended, the newest words at most', () => {
    expect(contextOf(task('buy tea', { summary: 'bought' }), '')).toBe(
      'Goal: buy tea\nHow it ended: bought',
    );
    expect(contextOf(task('buy tea', { summary: '', state: 'stopped' }), 'before')).toBe(
      'before\n\nGoal: buy tea\nHow it ended: stopped',
    );
    const long = contextOf(task('a', { summary: `👍${'x'.repeat(5_999)}` }), 'before');
    expect(long).not.toMatch(/\p{Cs}/u);
    expect(long.length).toBeLessThanOrEqual(6_002);
  });
});
