import type { BridgeEvent } from '$ui/protocol/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as Bridge from './bridge';

type Hear = (...args: never[]) => void;

/** A browser event that the test fires. */
function event() {
  const all: Hear[] = [];
  return {
    addListener: (hear: Hear) => all.push(hear),
    happens: (...args: unknown[]) => {
      for (const hear of all) (hear as (...args: unknown[]) => void)(...args);
    },
  };
}
const names = [
  'onCreated',
  'onUpdated',
  'onRemoved',
  'onActivated',
  'onMoved',
  'onAttached',
  'onDetached',
  'onReplaced',
] as const;

let tabs: Partial<chrome.tabs.Tab>[];
let targets: { tabId?: number; type: string; id: string }[];
let said: BridgeEvent[];
let events: Record<(typeof names)[number], ReturnType<typeof event>>;
let opened: ReturnType<typeof event>;
let queries: number;
/** A fresh copy of the module for each test, because the module has state. */
let bridge: typeof Bridge;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  tabs = [{ id: 7, windowId: 1, index: 0, active: true, url: 'https://a.test/', title: 'A' }];
  targets = [{ tabId: 7, type: 'page', id: 'T7' }];
  said = [];
  queries = 0;
  events = Object.fromEntries(names.map((name) => [name, event()])) as typeof events;
  opened = event();
  vi.stubGlobal('pilotfishBridge', (payload: string) =>
    said.push(JSON.parse(payload) as BridgeEvent),
  );
  vi.stubGlobal('chrome', {
    tabs: {
      ...events,
      query: () => {
        queries += 1;
        return Promise.resolve(tabs);
      },
    },
    debugger: { getTargets: () => Promise.resolve(targets) },
    windows: {
      getLastFocused: () => Promise.resolve({ id: 1 }),
      onFocusChanged: event(),
      onRemoved: event(),
    },
    webNavigation: { onCreatedNavigationTarget: opened },
    runtime: { getManifest: () => ({ version: '1.2.3' }) },
  });
  bridge = await import('./bridge');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a report', () => {
  it('says which tab stands where, and which target it is', async () => {
    targets.push({ tabId: 7, type: 'worker', id: 'W' }, { type: 'page', id: 'none' });
    tabs.push({ windowId: 1 }, { id: 8, windowId: 1, index: 1, status: 'loading' });
    await bridge.report();
    expect(said).toEqual([
      {
        type: 'tabs',
        seq: 1,
        focusedWindow: 1,
        tabs: [
          {
            chromeTabId: 7,
            targetId: 'T7',
            windowId: 1,
            index: 0,
            active: true,
            loading: false,
            url: 'https://a.test/',
            title: 'A',
          },
          {
            chromeTabId: 8,
            targetId: '',
            windowId: 1,
            index: 1,
            loading: true,
            url: '',
            title: '',
          },
        ],
      },
    ]);
  });

  it('is one for all that happens before its look, and the first has the version', async () => {
    await Promise.all([bridge.report(), bridge.report('ready'), bridge.report()]);
    expect(said.map(({ type, version }) => [type, version])).toEqual([['ready', '1.2.3']]);
    await bridge.report();
    expect(said.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('comes after the next change when one could not be made', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    targets = undefined as never;
    await bridge.report();
    expect([said, warned.mock.calls.length]).toEqual([[], 1]);
    targets = [];
    await bridge.report();
    expect(said).toHaveLength(1);
  });

  it('is made again, a few times, while a window has no tab in front', async () => {
    tabs = [{ id: 7, windowId: 1, active: false }];
    await bridge.report();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(queries).toBe(10);
    tabs = [{ id: 7, windowId: 1, active: true }];
    await bridge.report();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(queries).toBe(11);
  });
});

describe('a change of a tab', () => {
  beforeEach(() => {
    bridge.watchTabs();
  });
  const reported = async () => (JSON.parse(await bridge.tell()) as BridgeEvent).tabs[0];

  it.each(names)('%s is reported', async (name) => {
    events[name].happens(7, 7);
    await vi.waitFor(() => {
      expect(said).toHaveLength(1);
    });
  });

  it('says which page opened it, until it is closed', async () => {
    opened.happens({ sourceTabId: 3, tabId: 7 });
    expect(await reported()).toMatchObject({ openerChromeTabId: 3 });
    events.onRemoved.happens(7);
    expect(await reported()).not.toHaveProperty('openerChromeTabId');
  });

  it('says which number it had before', async () => {
    events.onReplaced.happens(7, 5);
    expect(await reported()).toMatchObject({ replacesChromeTabId: 5 });
  });
});
