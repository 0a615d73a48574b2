import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SITES_KEY } from '../clean/sites';
import type { FrameState, Seen } from '../clean/types';
import { cleanState, cleanTab, uncleanTab, watchCleanSites } from './clean';

vi.mock('../clean/engine', () => ({
  loadEngine: () =>
    Promise.resolve((seen: Seen) => (seen.hostname === 'plain.example' ? '' : '.ad{}')),
}));

/** One document of the tab, as the script in it would be. */
interface Frame {
  readonly seen?: Seen;
  readonly state?: FrameState;
  readonly gone?: boolean;
}
const seen = (hostname: string): Seen => ({
  url: `https://${hostname}/`,
  hostname,
  classes: ['ad'],
  ids: [],
  hrefs: [],
});
const state = (part: Partial<FrameState> = {}): FrameState => ({
  on: false,
  hidden: {},
  unlocked: false,
  sheets: [],
  ...part,
});

let frames: Frame[];
let refused: Error | undefined;
let styles: { put: [number, string][]; removed: [number, string][] };
let swept: number;
let sites: string[];
const loaded: ((at: { tabId: number; frameId: number; url: string }) => void)[] = [];

beforeEach(() => {
  frames = [{ seen: seen('shop.example'), state: state() }];
  refused = undefined;
  styles = { put: [], removed: [] };
  swept = 0;
  sites = [];
  loaded.length = 0;
  /** Runs a function in each document, with the script of that document. */
  const inFrames = (
    ids: readonly number[],
    func: (...args: unknown[]) => unknown,
    args: unknown[],
  ) =>
    ids.map((frameId) => {
      const frame = frames[frameId];
      globalThis.pilotfishClean = {
        look: () => frame?.seen as Seen,
        match: (css) => css,
        sweep: () => (swept += 1),
        state: () => frame?.state ?? state(),
        undo: () => frame?.state?.sheets ?? [],
      };
      const result = func(...args);
      globalThis.pilotfishClean = undefined;
      return { frameId, result };
    });
  const sheet =
    (into: [number, string][]) =>
    ({ target, css }: { target: { frameIds: number[] }; css: string }) => {
      const [frame = 0] = target.frameIds;
      if (frames[frame]?.gone === true) return Promise.reject(new Error('No frame with id'));
      into.push([frame, css]);
      return Promise.resolve();
    };
  vi.stubGlobal('chrome', {
    runtime: { getURL: (path: string) => path },
    tabs: { get: () => Promise.resolve({ url: 'https://www.shop.example/cart' }) },
    scripting: {
      executeScript: (how: {
        target: { frameIds?: number[] };
        func?: (...args: unknown[]) => unknown;
        args?: unknown[];
      }) => {
        if (refused !== undefined) return Promise.reject(refused);
        if (how.func === undefined) return Promise.resolve([]);
        const ids = how.target.frameIds ?? frames.map((_, at) => at);
        return Promise.resolve(inFrames(ids, how.func, how.args ?? []));
      },
      insertCSS: sheet(styles.put),
      removeCSS: sheet(styles.removed),
    },
    storage: { local: { get: () => Promise.resolve({ [SITES_KEY]: sites }) } },
    webNavigation: {
      onDOMContentLoaded: { addListener: (on: (typeof loaded)[number]) => loaded.push(on) },
      onCompleted: { addListener: (on: (typeof loaded)[number]) => loaded.push(on) },
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('Clean up of a tab', () => {
  it('hides in every document what the lists know, and sweeps the page once', async () => {
    frames = [
      { seen: seen('shop.example'), state: state({ on: true, hidden: { ad: 2 } }) },
      { seen: seen('plain.example'), state: state() },
      { seen: seen('ads.example'), state: state({ on: true, hidden: { ad: 1, bar: 1 } }) },
    ];
    const cleaned = await cleanTab(7);
    expect(styles.put).toEqual([
      [0, '.ad{}'],
      [2, '.ad{}'],
    ]);
    expect(swept).toBe(1);
    expect(cleaned).toMatchObject({ on: true, hidden: { ad: 3, bar: 1 }, site: 'shop.example' });
  });

  it('goes on when a document goes away meanwhile', async () => {
    frames.push({ seen: seen('ads.example'), gone: true }, {});
    await cleanTab(7);
    expect(styles.put).toEqual([[0, '.ad{}']]);
  });

  it('is bounded by a number of documents', async () => {
    frames = Array.from({ length: 60 }, () => ({ seen: seen('ads.example') }));
    await cleanTab(7);
    expect(styles.put).toHaveLength(50);
  });

  it('says why a page cannot be cleaned up', async () => {
    refused = new Error('Cannot access a chrome:// URL');
    await expect(cleanTab(7)).rejects.toMatchObject({
      code: 'restricted',
      hint: 'The browser says: Cannot access a chrome:// URL',
    });
  });
});

it('what was hidden is shown again, document by document', async () => {
  frames = [
    { state: state({ sheets: ['.a{}', '.b{}'] }) },
    { state: state({ sheets: ['.c{}'] }), gone: true },
    { state: state({ sheets: ['.d{}'] }) },
  ];
  expect((await uncleanTab(7)).on).toBe(false);
  expect(styles.removed).toEqual([
    [0, '.a{}'],
    [0, '.b{}'],
    [2, '.d{}'],
  ]);
});

describe('the state of a page', () => {
  it('is that of all its documents', async () => {
    frames = [
      { state: state({ hidden: { ad: 1 } }) },
      { state: state({ on: true, unlocked: true, hidden: { ad: 2, overlay: 1 } }) },
    ];
    sites = ['shop.example'];
    expect(await cleanState(7)).toEqual({
      on: true,
      hidden: { ad: 3, overlay: 1 },
      unlocked: true,
      site: 'shop.example',
      always: true,
    });
  });

  it('of a page that cannot be read is that nothing is hidden', async () => {
    refused = new Error('no access');
    expect(await cleanState(7)).toMatchObject({ on: false, hidden: {}, always: false });
  });
});

describe('a listed site', () => {
  /** The page loads, and everything happens that follows from it. */
  const load = async (url: string, frameId = 0): Promise<void> => {
    watchCleanSites();
    for (const on of loaded) on({ tabId: 7, frameId, url });
    await new Promise((done) => setTimeout(done));
  };

  it('is cleaned up when it loads, and when its scripts are done', async () => {
    sites = ['shop.example'];
    await load('https://www.shop.example/cart');
    await vi.waitFor(() => {
      expect(swept).toBe(2);
    });
  });

  it.each([
    ['another site', 'https://news.example/', 0],
    ['a frame of it', 'https://shop.example/', 3],
    ['no site', 'about:blank', 0],
  ])('is not %s', async (_what, url, frame) => {
    sites = ['shop.example'];
    await load(url, frame);
    expect(swept).toBe(0);
  });
});
