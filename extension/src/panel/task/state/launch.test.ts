import { beforeEach, describe, expect, it } from 'vitest';
import type { Tab, TaskRoutine } from '$ui/protocol/protocol';
import type { Recipe } from '../core/recipe';
import { Launch } from './launch.svelte';
import type { Tasks } from './tasks.svelte';

const routine = (part: Partial<TaskRoutine> = {}): TaskRoutine => ({
  name: 'fill',
  goal: 'fill it',
  params: [],
  steps: [],
  created: '',
  ...part,
});
const recipe = (part: Partial<Recipe> = {}): Recipe => ({
  url: 'https://a.test/',
  deeds: [{ action: { do: 'back' } }],
  params: [],
  ...part,
});

let done: unknown[][];
/** What the fake Tasks returns. */
let tasks: {
  llm: object | undefined;
  profile: object | undefined;
  unknown: string | undefined;
  started: boolean;
  recipe: Recipe | undefined;
  ready: Promise<void>;
};
let url: string;
let launch: Launch;

beforeEach(() => {
  done = [];
  tasks = {
    llm: {},
    profile: {},
    unknown: '',
    started: true,
    recipe: undefined,
    ready: Promise.resolve(),
  };
  url = 'https://a.test/';
  const fake = {
    models: {
      ready: () => tasks.ready,
      get llm() {
        return tasks.llm;
      },
      get profile() {
        return tasks.profile;
      },
    },
    routines: { recipe: () => tasks.recipe },
    unknown: () => Promise.resolve(tasks.unknown),
    start: (...args: unknown[]) => {
      done.push(['start', ...args]);
      return Promise.resolve(tasks.started);
    },
    replay: (...args: unknown[]) => {
      done.push(['replay', ...args]);
      return Promise.resolve(true);
    },
  };
  launch = new Launch({
    tasks: fake as unknown as Tasks,
    tab: () => ({ id: 't1', url }) as Tab,
    begins: () => done.push(['begins']),
    shows: () => done.push(['shows']),
    instead: (goal) => done.push(['instead', goal]),
  });
});
const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};

describe('a task', () => {
  it('begins beside the tab in front', async () => {
    expect(await launch.start('buy tea', { routine: 'r' })).toBe(true);
    expect(done).toEqual([['begins'], ['start', 't1', 'buy tea', { routine: 'r' }]]);
  });

  it('is pressed once, and can be pressed again when it has begun', async () => {
    let ready: () => void = () => undefined;
    tasks.ready = new Promise((go) => {
      ready = go;
    });
    const both = [launch.start('a'), launch.start('a')];
    expect(await launch.start('b')).toBe(false);
    ready();
    expect(await Promise.all(both)).toEqual([true, true]);
    expect(await launch.start('c')).toBe(true);
    expect(done.filter(([what]) => what === 'start')).toHaveLength(2);
  });

  it.each([
    ['plain instructions', '', true, ''],
    ['other words', 'I do not know “ponder”.', false, 'I do not know “ponder”.'],
    ['words that nobody could read', undefined, false, ''],
  ])('without a model begins only with %s', async (_, unknown, begun, why) => {
    tasks.profile = undefined;
    tasks.unknown = unknown;
    expect(await launch.start('ponder')).toBe(begun);
    expect(launch.unknown).toBe(why);
  });

  it('does not begin while it is not known whether there is a model', async () => {
    tasks.llm = undefined;
    expect(await launch.start('buy tea')).toBe(false);
    expect(done).toEqual([['begins']]);
  });
});

describe('what was recorded', () => {
  it('runs at once where nothing has to be asked', () => {
    launch.replay('fill', recipe(), 'fill');
    expect(done).toEqual([
      ['shows'],
      ['replay', 't1', { goal: 'fill', recipe: recipe(), values: {}, routine: 'fill' }],
    ]);
  });

  it('is pressed once in a tab, and can be pressed again when it has begun', async () => {
    launch.replay('fill', recipe());
    launch.replay('fill', recipe());
    launch.replay('send', recipe());
    await settle();
    launch.replay('fill', recipe());
    const goals = done.flatMap(([what, , run]) =>
      what === 'replay' ? [(run as { goal: string }).goal] : [],
    );
    expect(goals).toEqual(['fill', 'send', 'fill']);
  });

  it('begins where it began then', () => {
    url = 'https://b.test/';
    launch.replay('fill', recipe());
    const [, [, , { recipe: run }]] = done as [unknown, [string, string, { recipe: Recipe }]];
    expect(run.deeds.map(({ action }) => action)).toEqual([
      { do: 'goto', url: 'https://a.test/' },
      { do: 'back' },
    ]);
  });

  it('asks for its parameters first, once', () => {
    launch.replay('fill', recipe({ params: [{ name: 'name', value: 'Ada', secret: false }] }));
    expect([launch.needing?.title, done]).toEqual(['fill', [['shows']]]);
    launch.needing?.run({ name: 'Bob' });
    expect(launch.needing).toBeUndefined();
    expect(done[1]?.[2]).toMatchObject({ values: { name: 'Bob' } });
  });
});

describe('a routine', () => {
  it('does what was recorded, unless a model is wanted', async () => {
    tasks.recipe = recipe();
    launch.routine(routine(), false);
    launch.routine(routine(), true);
    await settle();
    expect(done.map(([what]) => what)).toEqual(['shows', 'replay', 'shows', 'begins', 'start']);
  });

  it('tells a model its goal, with the values that the goal speaks of', async () => {
    launch.routine(
      routine({
        goal: 'send ${what} to ${who}, not ${nobody}',
        params: ['what', 'who', 'unused'],
        defaults: { what: 'tea' },
        secrets: ['who'],
      }),
      true,
    );
    expect(launch.needing?.params).toEqual([
      { name: 'what', value: 'tea', secret: false },
      { name: 'who', value: '', secret: true },
    ]);
    launch.needing?.run({ what: 'milk', who: 'Ada' });
    await settle();
    expect(done.at(-1)).toEqual([
      'start',
      't1',
      'send milk to Ada, not ${nobody}',
      { routine: 'fill' },
    ]);
  });

  it('that could not begin gives its goal back', async () => {
    tasks.started = false;
    launch.routine(routine(), true);
    await settle();
    expect(done.at(-1)).toEqual(['instead', 'fill it']);
  });
});
