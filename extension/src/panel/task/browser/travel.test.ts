import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../core/fakes/clock';
import { PAGE_TIMEOUT } from '../../core/timing';
import { arrived, wayOf } from './bypageways';
import { travel, type Arrival, type Way } from './travel';

const names = [
  'onCommitted',
  'onHistoryStateUpdated',
  'onReferenceFragmentUpdated',
  'onErrorOccurred',
] as const;
type Name = (typeof names)[number];
type Hear = (happened: { tabId: number; frameId: number; error?: string }) => void;

let listeners: Record<Name, Set<Hear>>;
let asked: unknown[][];
let clock: FakeClock;
let given: AbortController;
let nowhere: boolean;

beforeEach(() => {
  listeners = Object.fromEntries(names.map((name) => [name, new Set<Hear>()])) as typeof listeners;
  asked = [];
  clock = new FakeClock();
  given = new AbortController();
  nowhere = false;
  const does =
    (name: string) =>
    (...args: unknown[]): Promise<void> => {
      asked.push([name, ...args]);
      return nowhere ? Promise.reject(new Error('no page')) : Promise.resolve();
    };
  const event = (name: Name) => ({
    addListener: (hear: Hear) => listeners[name].add(hear),
    removeListener: (hear: Hear) => listeners[name].delete(hear),
  });
  vi.stubGlobal('chrome', {
    webNavigation: Object.fromEntries(names.map((name) => [name, event(name)])),
    tabs: {
      reload: does('reload'),
      update: does('update'),
      goBack: does('goBack'),
      goForward: does('goForward'),
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function happens(
  name: Name,
  part: { tabId?: number; frameId?: number; error?: string } = {},
): void {
  for (const hear of listeners[name]) hear({ tabId: 7, frameId: 0, ...part });
}
const go = (way: Way): Promise<Arrival> => travel(7, way, { clock, signal: given.signal });
/** The number of listeners and timers that are left. */
const left = (): number =>
  clock.pending + names.reduce((sum, name) => sum + listeners[name].size, 0);

describe('a way', () => {
  it.each<[Way, unknown[]]>([
    [{ to: 'https://a.test/' }, ['update', 7, { url: 'https://a.test/' }]],
    ['reload', ['reload', 7]],
    ['back', ['goBack', 7]],
    ['forward', ['goForward', 7]],
  ])('%j is asked of the tab, and ends with its document', async (way, call) => {
    const going = go(way);
    // An error in another tab or frame does not end the navigation.
    happens('onErrorOccurred', { tabId: 8, error: 'E' });
    happens('onErrorOccurred', { frameId: 3, error: 'E' });
    happens('onCommitted');
    expect(await going).toEqual({ came: 'document' });
    expect([asked, left()]).toEqual([[call], 0]);
  });

  it.each<[string, () => void, Arrival]>([
    [
      'within the page',
      () => {
        happens('onHistoryStateUpdated');
      },
      { came: 'within' },
    ],
    [
      'to a place in the page',
      () => {
        happens('onReferenceFragmentUpdated');
      },
      { came: 'within' },
    ],
    [
      'to a download',
      () => {
        happens('onErrorOccurred', { error: 'net::ERR_ABORTED' });
      },
      { came: 'kept' },
    ],
    [
      'to a server that is not there',
      () => {
        happens('onErrorOccurred', { error: 'net::ERR_CONNECTION_REFUSED' });
      },
      { came: 'failed', why: 'net::ERR_CONNECTION_REFUSED' },
    ],
    [
      'too slow',
      () => {
        clock.advance(PAGE_TIMEOUT);
      },
      { came: 'late' },
    ],
  ])('%s', async (_, then, arrival) => {
    const going = go({ to: 'https://a.test/' });
    then();
    expect(await going).toEqual(arrival);
    expect(left()).toBe(0);
  });

  it('to nowhere is known at once', async () => {
    nowhere = true;
    expect(await go('back')).toEqual({ came: 'nowhere' });
    expect(left()).toBe(0);
  });

  it('is given up with its task', async () => {
    const going = go('reload');
    given.abort(new Error('stopped'));
    await expect(going).rejects.toThrow('stopped');
    expect(left()).toBe(0);
  });
});

it.each<[Way, Arrival, string]>([
  [{ to: 'x' }, { came: 'document' }, 'went there, moved'],
  ['back', { came: 'within' }, 'went back; the page is the same one, at another address, moved'],
  ['reload', { came: 'kept' }, 'the page stayed: the answer was a download, or nothing'],
  ['forward', { came: 'nowhere' }, 'not_actable: There is no later page in this tab.'],
  ['back', { came: 'nowhere' }, 'not_actable: There is no earlier page in this tab.'],
  ['reload', { came: 'late' }, 'deadline: The page did not come in time.'],
  ['reload', { came: 'failed', why: 'E' }, 'navigation: The page could not be loaded (E).'],
])('%j that came %j is told as %s', (way, arrival, words) => {
  const described = (): string => {
    try {
      const { head, moved } = arrived(way, arrival);
      return head + (moved ? ', moved' : '');
    } catch (error) {
      const { code, message } = error as Error & { code: string };
      return `${code}: ${message}`;
    }
  };
  expect(described()).toBe(words);
});

it('only these commands are ways', () => {
  expect(['goto', 'back', 'reload', 'click'].map((command) => wayOf(command, 'u'))).toEqual([
    { to: 'u' },
    'back',
    'reload',
    undefined,
  ]);
});
