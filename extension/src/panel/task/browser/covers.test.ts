import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tabEvent } from '../../../messages/envelope';
import { COVER_PAUSE, type CoverSays } from '../../../messages/methods';
import { Covers } from './covers';

const own = 'ownownownownownownownownownownow';
const says = { text: 'Working' } as unknown as CoverSays;

/** The panel's end of a port to a page. */
class Port {
  readonly said: unknown[] = [];
  open = true;
  hear: (message: unknown) => void = () => undefined;
  end: () => void = () => undefined;
  readonly onMessage = { addListener: (hear: (message: unknown) => void) => (this.hear = hear) };
  readonly onDisconnect = { addListener: (end: () => void) => (this.end = end) };

  constructor(readonly tab: number) {}

  postMessage(message: unknown): void {
    this.said.push(message);
  }
  disconnect(): void {
    this.open = false;
  }
}

let ports: Port[];
let listening: Set<(message: unknown, sender: object) => void>;
let readied: number[];
let pauses: number;
let lastError: object | undefined;
let covers: Covers;

beforeEach(() => {
  ports = [];
  listening = new Set();
  readied = [];
  pauses = 0;
  lastError = undefined;
  vi.stubGlobal('chrome', {
    runtime: {
      id: own,
      get lastError() {
        return lastError;
      },
      onMessage: {
        addListener: (hear: never) => listening.add(hear),
        removeListener: (hear: never) => listening.delete(hear),
      },
    },
    tabs: {
      connect: (tab: number) => {
        const port = new Port(tab);
        ports.push(port);
        return port;
      },
    },
  });
  covers = new Covers({
    ready: (tab) => {
      readied.push(tab);
      return Promise.resolve();
    },
    pause: () => (pauses += 1),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const open = (): [number, unknown[]][] =>
  ports.filter((port) => port.open).map(({ tab, said }) => [tab, said]);
/** Sends the event with which a page's content script reports that it is ready. */
const here = (tab: number): void => {
  const sender = { id: own, tab: { id: tab }, frameId: 0, url: 'https://a.test/' };
  for (const hear of listening) hear(tabEvent('executor-ready', Date.now() + 1_000), sender);
};

describe('the covers of a task', () => {
  it('are over the pages that were added, before or after they say something', () => {
    covers.add(7);
    expect(ports).toEqual([]);
    covers.say(says);
    covers.add(8);
    covers.add(8);
    expect(open()).toEqual([
      [7, [says]],
      [8, [says]],
    ]);
  });

  it('say something else over the same ports', () => {
    covers.add(7);
    covers.say(says);
    const other = { text: 'Paused' } as unknown as CoverSays;
    covers.say(other);
    expect(open()).toEqual([[7, [says, other]]]);
  });

  it('go, and nothing listens any more', () => {
    covers.add(7);
    covers.say(says);
    covers.say(null);
    expect([open(), listening.size]).toEqual([[], 0]);
    covers.say(says);
    expect(open()).toEqual([[7, [says]]]);
  });

  it('are over the next document as soon as its script is there', () => {
    covers.add(7);
    covers.say(says);
    ports[0]?.end();
    expect(readied).toEqual([7]);
    here(9);
    expect(ports).toHaveLength(1);
    here(7);
    expect(ports.map(({ tab }) => tab)).toEqual([7, 7]);
  });

  it('ignore the end of a port that another one replaced', () => {
    covers.add(7);
    covers.say(says);
    here(7);
    ports[0]?.end();
    expect(readied).toEqual([]);
  });

  it('pass on that the person wants a pause, and nothing else', () => {
    covers.add(7);
    covers.say(says);
    ports[0]?.hear('something');
    ports[0]?.hear(COVER_PAUSE);
    expect(pauses).toBe(1);
  });
});
