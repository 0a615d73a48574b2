import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PairingKey } from '$ui/protocol/protocol';
import { CLOSED_QUIET } from './timing';
import { catchUp, tellWelcomePages, watchPanels } from './welcome';

type Panel = { windowId: number };
type Message = [number, { method: string; params: unknown }];

let pairing: unknown;
let tabs: { id?: number; url?: string; windowId: number }[];
let messages: Message[];
let asked: unknown[];
let deaf: boolean;
let injected: unknown[];
let closed: (panel: Panel) => void;
let opened: (panel: Panel) => void;

beforeEach(() => {
  vi.useFakeTimers();
  pairing = { port: 4711 };
  tabs = [
    { id: 1, url: 'http://127.0.0.1:4711/welcome', windowId: 3 },
    { id: 2, url: 'https://shop.example/welcome', windowId: 3 },
    { id: 4, url: 'http://127.0.0.1:4711/welcome', windowId: 5 },
    { url: 'http://127.0.0.1:4711/welcome', windowId: 3 },
  ];
  messages = [];
  asked = [];
  injected = [];
  deaf = false;
  vi.stubGlobal('chrome', {
    storage: { session: { get: () => Promise.resolve({ [PairingKey]: pairing }) } },
    tabs: {
      query: ({ windowId }: { windowId?: number }) =>
        Promise.resolve(tabs.filter((tab) => windowId === undefined || tab.windowId === windowId)),
      sendMessage: (tab: number, message: Message[1]) => {
        if (deaf) {
          deaf = false;
          return Promise.reject(new Error('Receiving end does not exist'));
        }
        messages.push([tab, message]);
        return Promise.resolve();
      },
    },
    scripting: {
      executeScript: (how: unknown) => {
        injected.push(how);
        return Promise.resolve([]);
      },
    },
    runtime: {
      sendMessage: (message: unknown) => {
        asked.push(message);
        return Promise.reject(new Error('no panel listens'));
      },
    },
    sidePanel: {
      onClosed: { addListener: (on: typeof closed) => (closed = on) },
      onOpened: { addListener: (on: typeof opened) => (opened = on) },
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const states = (): [number, unknown][] => messages.map(([tab, { params }]) => [tab, params]);
const connected = { port: 4711, panel: 'connected' };

describe('the welcome pages', () => {
  it('of ours hear that a panel is connected, other pages do not', async () => {
    await tellWelcomePages();
    expect(states()).toEqual([
      [1, connected],
      [4, connected],
    ]);
  });

  it.each([[undefined], ['text'], [{ port: 'x' }], [null]])(
    'hear nothing before the pairing: %j',
    async (value) => {
      pairing = value;
      await tellWelcomePages();
      await catchUp();
      expect([messages, asked]).toEqual([[], []]);
    },
  );

  it('that have no content script yet get one first', async () => {
    tabs = tabs.slice(0, 1);
    deaf = true;
    await tellWelcomePages();
    expect(injected).toEqual([{ target: { tabId: 1, frameIds: [0] }, files: ['content.js'] }]);
    expect(states()).toEqual([[1, connected]]);
  });
});

describe('a panel that is closed', () => {
  beforeEach(() => {
    watchPanels();
  });

  it('is told to the pages of its window, once it stays closed', async () => {
    closed({ windowId: 3 });
    await vi.advanceTimersByTimeAsync(CLOSED_QUIET - 1);
    expect(messages).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(states()).toEqual([[1, { port: 4711, panel: 'closed' }]]);
  });

  it('and opened again at once is not told', async () => {
    closed({ windowId: 3 });
    opened({ windowId: 3 });
    await vi.advanceTimersByTimeAsync(2 * CLOSED_QUIET);
    expect(messages).toEqual([]);
  });
});

describe('a worker that starts late', () => {
  it('asks the panels to report again when a welcome page waits', async () => {
    await catchUp();
    expect(asked).toMatchObject([{ kind: 'tab:event', event: 'welcome-loaded' }]);
  });

  it('asks nobody without such a page', async () => {
    tabs = [{ id: 2, url: 'https://shop.example/', windowId: 3 }];
    await catchUp();
    expect(asked).toEqual([]);
  });
});
