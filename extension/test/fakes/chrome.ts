import type { Pairing } from '$ui/protocol/protocol';

/** The initial state of the fake extension API in the page. */
export interface FakeChromeState {
  pairing: Pairing | null;
  /** Further content of the storage. */
  kept?: Record<string, unknown>;
  windowId: number;
  activeTab: number;
  /** The port of the app whose page is open in the browser. */
  welcome?: number | undefined;
  /** The number of the opening; what an earlier one stored is removed. None keeps it. */
  opening?: number | undefined;
}

/** How a test controls the fake from outside. */
export interface FakeChrome {
  pair(pairing: Pairing | null): void;
  activate(tabId: number): void;
  /** Moves the user to the window of the panel, or to another program. */
  turn(here: boolean): void;
  /** Chrome's id of the tab that is in front. */
  active(): number;
  /** Delivers a message from a tab, as if a content script of this extension had sent it. */
  hear(message: unknown, extension: string): void;
  /** What a script injected into the page returns in each frame. */
  script: () => unknown[];
  readonly opened: unknown[];
  readonly sent: unknown[];
}

/**
 * Runs in the page before the panel does: the part of the extension API that the panel uses, in
 * memory. It must not refer to anything outside itself.
 */
export function installFakeChrome(state: FakeChromeState): void {
  const event = () => {
    const listeners = new Set<(...args: never[]) => void>();
    return {
      addListener: (listener: (...args: never[]) => void) => listeners.add(listener),
      removeListener: (listener: (...args: never[]) => void) => listeners.delete(listener),
      emit: (...args: unknown[]) => {
        for (const listener of listeners) (listener as (...args: unknown[]) => void)(...args);
      },
    };
  };
  const key = 'pilotfish.pairing';
  const stored = event();
  const activated = event();
  const focused = event();
  const messages = event();
  const opened: unknown[] = [];
  const sent: unknown[] = [];
  // The extension's storage outlives the panel's document, so sessionStorage keeps it.
  if (state.opening !== undefined && sessionStorage.getItem('opening') !== String(state.opening)) {
    sessionStorage.clear();
    localStorage.clear();
    sessionStorage.setItem('opening', String(state.opening));
  }
  const kept = {
    ...state.kept,
    ...(JSON.parse(sessionStorage.getItem('kept') ?? '{}') as Record<string, unknown>),
  };
  let pairing = state.pairing;
  let active = state.activeTab;

  const fake: FakeChrome = {
    pair(next) {
      pairing = next;
      stored.emit({ [key]: { newValue: next ?? undefined } });
    },
    activate(tabId) {
      active = tabId;
      activated.emit({ tabId, windowId: state.windowId });
    },
    turn(here) {
      focused.emit(here ? state.windowId : -1);
    },
    active: () => active,
    hear(message, extension) {
      const from = { id: extension, url: 'http://127.0.0.1:1/welcome', tab: { id: 9 }, frameId: 0 };
      messages.emit(message, from, () => undefined);
    },
    script: () => [],
    opened,
    sent,
  };
  Object.assign(globalThis, {
    fakeChrome: fake,
    chrome: {
      storage: {
        session: {
          get: (asked: string) =>
            Promise.resolve(
              asked === key ? (pairing === null ? {} : { [key]: pairing }) : { ...kept },
            ),
          set: (values: Record<string, unknown>) => {
            Object.assign(kept, values);
            sessionStorage.setItem('kept', JSON.stringify(kept));
            stored.emit(
              Object.fromEntries(Object.entries(values).map(([k, newValue]) => [k, { newValue }])),
            );
            return Promise.resolve();
          },
          remove: () => {
            fake.pair(null);
            return Promise.resolve();
          },
          onChanged: stored,
        },
        local: {
          get: (asked: string) => Promise.resolve(asked in kept ? { [asked]: kept[asked] } : {}),
          set: (values: object) => {
            Object.assign(kept, values);
            sessionStorage.setItem('kept', JSON.stringify(kept));
            return Promise.resolve();
          },
        },
      },
      scripting: {
        executeScript: () =>
          new Promise((resolve) => {
            resolve(fake.script().map((result, frameId) => ({ frameId, result })));
          }),
      },
      windows: {
        getCurrent: () => Promise.resolve({ id: state.windowId, focused: true }),
        onFocusChanged: focused,
      },
      tabs: {
        query: ({ url }: { url?: string }) =>
          Promise.resolve(
            url === undefined
              ? [{ id: active }]
              : state.welcome === undefined
                ? []
                : [{ url: `http://127.0.0.1:${String(state.welcome)}/welcome` }],
          ),
        update: (tabId: number) => {
          fake.activate(tabId);
          return Promise.resolve({});
        },
        create: (options: unknown) => {
          opened.push(options);
          return Promise.resolve({});
        },
        onActivated: activated,
        onUpdated: event(),
        onReplaced: event(),
      },
      runtime: {
        id: 'panel',
        onMessage: messages,
        sendMessage: (message: unknown) => {
          sent.push(message);
          return Promise.resolve();
        },
      },
    },
  });
}
