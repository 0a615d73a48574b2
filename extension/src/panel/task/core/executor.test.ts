import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fakes/clock';
import { ScriptedModel, SmallBrowser } from './fakes/world';
import { Executor, inWords } from './executor';
import { Planner } from './planner';
import { RunControl, TabsClosed } from './runcontrol';
import type { Action, Observation } from './types';

let browser: SmallBrowser;
let control: RunControl;
let written: () => Promise<void>;
const tell = () => Promise.resolve();

function executor(allowed: { eval?: boolean; vision?: boolean } = {}): Executor {
  return new Executor({
    tab: 't1',
    browser,
    control,
    planner: new Planner(new ScriptedModel([]), control, tell),
    eval: allowed.eval ?? false,
    vision: allowed.vision ?? false,
    written: () => written(),
  });
}
const page = (part: Partial<Observation> = {}): Observation => ({
  tab: 't1',
  url: 'https://a.test/shop/',
  title: 'A',
  text: 'e1 btn "Save"\n  e2 date "Day"\ne20 edit "Note"',
  ...part,
});
const done = (): Action[] => browser.done.map(({ action }) => action);
const open = (tab: string, part: Partial<Observation> = {}): void => {
  browser.pages[tab] = page({ tab, ...part });
};

beforeEach(() => {
  browser = new SmallBrowser();
  const clock = new FakeClock();
  control = new RunControl({ clock, now: () => clock.now, tell, time: 1e9 });
  written = () => Promise.resolve();
});

describe('the tab that is worked on', () => {
  it('is left for another one of the task when it was closed', async () => {
    const own = executor();
    browser.pages = {};
    open('t2');
    open('t3');
    expect(await own.observe()).toMatchObject({ page: { tab: 't2' }, lost: 't1' });
    expect(own.tab).toBe('t2');
    expect(await own.observe()).not.toHaveProperty('lost');
  });

  it('may be known only when what the last step did is written', async () => {
    const own = executor();
    browser.pages = {};
    written = () => {
      open('t5');
      return Promise.resolve();
    };
    expect((await own.observe()).page.tab).toBe('t5');
  });

  it('is left when the backend knows sooner that it was closed', async () => {
    open('t1', { refused: { code: 'unknown_tab', message: '', hint: '' } });
    open('t2');
    const { page: seen, tabs } = await executor().observe();
    expect([seen.tab, tabs.map(({ tab }) => tab)]).toEqual(['t2', ['t2']]);
  });

  it('none left ends the task', async () => {
    browser.pages = {};
    await expect(executor().observe()).rejects.toBeInstanceOf(TabsClosed);
  });

  it.each([
    ['2', { ok: true, moved: true, text: 'Now in t2.' }, 't2'],
    ['t2', { ok: true, moved: true, text: 'Now in t2.' }, 't2'],
    [
      't7',
      { ok: false, code: 'unknown_tab', text: 't7 does not belong to the task; it has t1, t2.' },
      't1',
    ],
  ])('is switched by %j only to one of the task', async (tab, result, now) => {
    open('t2');
    const own = executor();
    expect(await own.act({ do: 'switch_tab', tab }, page())).toEqual(result);
    expect(own.tab).toBe(now);
  });

  it('is the one that was opened, unless that failed', async () => {
    const own = executor();
    browser.answer = () => ({ ok: false, text: 'no' });
    await own.act({ do: 'open_tab', url: 'https://b.test/' }, page());
    expect(own.tab).toBe('t1');
    browser.answer = () => {
      open('t4');
      return { ok: true, text: 'opened' };
    };
    await own.act({ do: 'open_tab', url: 'https://b.test/' }, page());
    expect(own.tab).toBe('t4');
  });
});

describe('an action', () => {
  it.each([
    ['/basket', 'https://a.test/basket'],
    ['../x?y', 'https://a.test/x?y'],
    ['?page=2', 'https://a.test/shop/?page=2'],
    ['#top', 'https://a.test/shop/#top'],
    ['b.test/x', 'b.test/x'],
    ['https://b.test/', 'https://b.test/'],
  ])('to the address %j goes to %j', async (url, goes) => {
    await executor().act({ do: 'goto', url }, page());
    expect(done()).toEqual([{ do: 'goto', url: goes }]);
  });

  it.each([
    ['e2', true],
    ['e20', undefined],
    ['e1', undefined],
    ['e9', undefined],
  ])('that types into %s puts it in as a whole: %s', async (ref, whole) => {
    await executor().act({ do: 'type', ref, text: '2026-11-24' }, page());
    expect((done()[0] as { whole?: boolean }).whole).toBe(whole);
  });

  it.each<[Action, object, string]>([
    [{ do: 'eval', code: '1' }, { eval: true }, 'refused'],
    [{ do: 'screenshot' }, { vision: true }, 'not_actable'],
  ])('%j is done only where it is allowed', async (action, allowed, code) => {
    expect(await executor().act(action, page())).toMatchObject({ ok: false, code });
    expect(done()).toEqual([]);
    await executor(allowed).act(action, page());
    expect(done()).toEqual([action]);
  });

  it('that throws is a result, unless the task was stopped', async () => {
    const own = executor();
    browser.answer = () => {
      throw new Error('the socket is gone');
    };
    const result = { ok: false, code: 'internal', text: 'the socket is gone' };
    expect(await own.act({ do: 'back' }, page())).toEqual(result);
    control.stop();
    await expect(own.act({ do: 'back' }, page())).rejects.toThrow('stopped');
  });
});

it.each([
  [new Error('why'), 'why'],
  ['why', 'why'],
  [undefined, 'Something went wrong that gave no reason.'],
  [new Error(''), 'Something went wrong that gave no reason.'],
])('the error %j is “%s”', (error, words) => {
  expect(inWords(error)).toBe(words);
});
