import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SITES_KEY } from '../../clean/sites';
import type { Cleaned } from '../../clean/types';
import { cleanAction, cleanUp, CleanUp, hiddenText } from './clean.svelte';
import { fakeDesk } from './fakes/desk';
import * as worker from './worker';

const cleaned: Cleaned = {
  on: true,
  hidden: { ad: 2 },
  unlocked: false,
  site: 'shop.example',
  always: false,
};

let sites: unknown;
beforeEach(() => {
  sites = undefined;
  const local = {
    get: () => Promise.resolve({ [SITES_KEY]: sites }),
    set: (values: Record<string, unknown>) => {
      sites = values[SITES_KEY];
      return Promise.resolve();
    },
  };
  vi.stubGlobal('chrome', { storage: { local } });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const answers = (answer: Cleaned | Error) =>
  vi
    .spyOn(worker, 'askWorker')
    .mockImplementation(() =>
      answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never),
    );

it.each([
  [{}, ''],
  [{ ad: 1 }, '1 ad'],
  [{ bar: 2, ad: 3, notice: 1 }, '3 ads, 1 cookie notice, 2 bars'],
  [{ other: 0, overlay: 1, newsletter: 2 }, '2 newsletter walls, 1 overlay'],
])('%j is hidden: %s', (hidden, want) => {
  expect(hiddenText(hidden)).toBe(want);
});

describe('Clean up', () => {
  it('asks the worker about the tab, and is on for that page only', async () => {
    const ask = answers(cleaned);
    const { desk } = fakeDesk();
    const clean = new CleanUp();
    await clean.do(desk, 'clean');
    expect(ask.mock.calls).toEqual([['clean', { tab: 7, do: 'clean' }]]);
    expect([clean.on(desk), clean.busy, clean.problem]).toEqual([true, false, '']);
    expect(clean.on(fakeDesk({ tab: { url: 'https://shop.example/next' } }).desk)).toBe(false);
  });

  it('says why a page cannot be cleaned up', async () => {
    answers(
      Object.assign(new Error('This page cannot be cleaned up.'), { hint: 'It is an extension.' }),
    );
    const clean = new CleanUp();
    await clean.do(fakeDesk().desk, 'clean');
    expect([clean.result, clean.problem, clean.busy]).toEqual([
      undefined,
      'This page cannot be cleaned up. It is an extension.',
      false,
    ]);
  });

  it('pressed in another tab meanwhile, cleans that up next; Undo is of the tab of the result', async () => {
    const ask = answers(cleaned);
    const clean = new CleanUp();
    const other = fakeDesk({ tab: { id: 't2', chromeTabId: 8 } }).desk;
    const first = fakeDesk().desk;
    await Promise.all([
      clean.do(first, 'clean'),
      clean.do(first, 'clean'),
      clean.do(other, 'clean'),
    ]);
    await clean.do(first, 'undo');
    expect(ask.mock.calls.map(([, params]) => params)).toEqual([
      { tab: 7, do: 'clean' },
      { tab: 8, do: 'clean' },
      { tab: 8, do: 'undo' },
    ]);
  });

  it('does nothing without a tab', async () => {
    const ask = answers(cleaned);
    await new CleanUp().do(fakeDesk({ tab: null }).desk, 'clean');
    expect(ask).not.toHaveBeenCalled();
  });

  it('on a page that is clean only shows what can be undone', async () => {
    const ask = answers(cleaned);
    const { desk, happened } = fakeDesk();
    for (let n = 0; n < 2; n++) {
      await cleanAction.run(desk);
      await vi.waitFor(() => {
        expect(cleanUp(desk).busy).toBe(false);
      });
    }
    expect(ask.mock.calls.map(([, params]) => params)).toEqual([
      { tab: 7, do: 'clean' },
      { tab: 7, do: 'state' },
    ]);
    expect(happened).toEqual([['show'], ['show']]);
    expect(cleanAction.state?.(desk)).toBe('on');
  });
});

describe('sites that are always cleaned up', () => {
  it('are kept, and show in the result', async () => {
    answers(cleaned);
    const clean = new CleanUp();
    await clean.do(fakeDesk().desk, 'clean');
    await clean.always('shop.example', true);
    expect([sites, clean.sites, clean.result?.always]).toEqual([
      ['shop.example'],
      ['shop.example'],
      true,
    ]);
    await clean.always('shop.example', false);
    expect([clean.sites, clean.result?.always]).toEqual([[], false]);
  });

  it.each([
    [' https://www.News.example/today ', true, ['news.example']],
    ['news.example', true, ['news.example']],
    ['two words', false, []],
    ['', false, []],
  ])('%j is a site: %j', async (typed, is, want) => {
    const clean = new CleanUp();
    expect(await clean.add(typed)).toBe(is);
    expect(clean.sites).toEqual(want);
    expect(clean.problem).toBe(is ? '' : 'That is no site. Type a name such as example.com.');
  });

  it('are bounded, and say so', async () => {
    sites = Array.from({ length: 500 }, (_, n) => `s${String(n)}.example`);
    const clean = new CleanUp();
    expect(await clean.add('one-more.example')).toBe(false);
    expect(clean.problem).toContain('The list is full');
  });
});
