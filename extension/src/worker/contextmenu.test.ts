import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MENU_KEY, readWish, type MenuWish } from '../messages/menu';
import { menuEntries, offerMenu } from './contextmenu';

type Clicked = (info: object, tab?: object) => void;

let kept: Record<string, unknown>;
let made: { id: string; contexts: string[]; documentUrlPatterns: string[] }[];
let clicked: Clicked;
let installed: () => void;
let opened: unknown[];
let inPage: unknown;

beforeEach(() => {
  kept = {};
  made = [];
  opened = [];
  inPage = undefined;
  vi.stubGlobal('chrome', {
    contextMenus: {
      onClicked: { addListener: (on: Clicked) => (clicked = on) },
      removeAll: () => {
        made = [];
        return Promise.resolve();
      },
      create: (entry: (typeof made)[number], done: () => void) => {
        made.push(entry);
        done();
      },
    },
    runtime: {
      lastError: undefined,
      onInstalled: { addListener: (on: () => void) => (installed = on) },
      onStartup: { addListener: () => undefined },
    },
    sidePanel: {
      open: (where: unknown) => {
        opened.push(where);
        return Promise.resolve();
      },
    },
    scripting: {
      executeScript: () =>
        inPage instanceof Error ? Promise.reject(inPage) : Promise.resolve([{ result: inPage }]),
    },
    storage: {
      session: {
        set: (values: Record<string, unknown>) => {
          Object.assign(kept, values);
          return Promise.resolve();
        },
      },
    },
  });
  offerMenu();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Chooses an entry on a page, and returns what the panel will find. */
async function choose(menuItemId: string, info: object = {}): Promise<MenuWish | undefined> {
  clicked(
    { menuItemId, pageUrl: 'https://shop.example/cart', frameId: 0, ...info },
    { id: 7, windowId: 3 },
  );
  await vi.waitFor(() => {
    expect(kept[MENU_KEY]).toBeDefined();
  });
  return readWish(kept[MENU_KEY], Date.now());
}

it('the entries replace those of an earlier version', async () => {
  made = [{ id: 'old', contexts: [], documentUrlPatterns: [] }];
  installed();
  await vi.waitFor(() => {
    expect(made.map(({ id }) => id)).toEqual(menuEntries.map(({ id }) => id));
  });
  expect(made.every((one) => one.documentUrlPatterns.includes('https://*/*'))).toBe(true);
});

describe('a choice', () => {
  it('opens the panel of its window at once', async () => {
    clicked({ menuItemId: 'clean', pageUrl: 'https://a.example' }, { id: 7, windowId: 3 });
    expect(opened).toEqual([{ windowId: 3 }]);
    await vi.waitFor(() => {
      expect(kept[MENU_KEY]).toBeDefined();
    });
  });

  it.each([
    ['link', { linkUrl: 'https://a.example/x' }, 'https://a.example/x'],
    ['image', { srcUrl: 'https://a.example/i.png' }, 'https://a.example/i.png'],
    ['clean', {}, ''],
  ])('of %s has its text', async (id, info, text) => {
    expect(await choose(id, info)).toMatchObject({
      choice: id,
      text,
      tab: 7,
      window: 3,
      url: 'https://shop.example/cart',
    });
  });

  it('has the lines of the selection, which the browser takes away', async () => {
    inPage = { text: 'two\nlines', url: 'https://shop.example/cart' };
    expect((await choose('selection', { selectionText: 'two lines' }))?.text).toBe('two\nlines');
  });

  it('has the selection as the browser gives it where the page cannot be read', async () => {
    inPage = new Error('no access');
    expect((await choose('selection', { selectionText: 'two lines' }))?.text).toBe('two lines');
  });

  it('of an element has a mark of it, or none', async () => {
    inPage = { target: '[data-pilotfish-1]' };
    expect((await choose('element'))?.target).toBe('[data-pilotfish-1]');
    kept = {};
    inPage = new Error('no access');
    expect((await choose('inspect'))?.target).toBe('');
  });

  it('in a frame is about the frame', async () => {
    const wish = await choose('clean', { frameUrl: 'https://ads.example/' });
    expect(wish?.url).toBe('https://ads.example/');
  });

  it('without a tab does nothing', () => {
    clicked({ menuItemId: 'clean' });
    expect([opened, kept]).toEqual([[], {}]);
  });
});
