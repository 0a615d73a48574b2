import type { Pairing, PanelEvent } from '$ui/protocol/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { WebSocket } from 'ws';
import { FakeBackend } from '../../../test/fakes/backend';
import { FakeClock } from '../core/fakes/clock';
import { Connection, OfflineError, type Link } from './connection';
import { RefusedError } from './request';

let made: FakeBackend;
let clock: FakeClock;
let links: Link[];
let events: PanelEvent[];
let abort: AbortController;
let connection: Connection;
let pair: (pairing: Pairing | undefined) => void;
let waiters: (() => void)[];

/** Resolves once `done` is true. It is checked after every event of the connection. */
async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise<void>((resolve) => waiters.push(resolve));
}

function connect(first: Pairing | undefined): void {
  const wake = (): void => {
    const woken = waiters;
    waiters = [];
    for (const waiter of woken) waiter();
  };
  connection = new Connection({
    source: {
      read: () => Promise.resolve(first),
      watch: (changed) => {
        pair = changed;
      },
      keep: (pairing) => {
        pair(pairing);
        return Promise.resolve();
      },
    },
    clock,
    random: () => 1,
    onLink: (link) => {
      links.push(link);
      wake();
    },
    onEvent: (event) => {
      events.push(event);
      wake();
    },
  });
  void connection.run(abort.signal);
}

const live = (): Promise<void> => until(() => connection.link === 'live');

beforeEach(async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  made = new FakeBackend();
  await made.start();
  clock = new FakeClock();
  links = [];
  events = [];
  waiters = [];
  abort = new AbortController();
});
afterEach(async () => {
  abort.abort();
  await made.stop();
  vi.unstubAllGlobals();
});

describe('connecting', () => {
  it('is live after hello', async () => {
    connect(made.pairing);
    await live();
    expect(links).toEqual(['connecting', 'live']);
    expect(events[0]?.type).toBe('hello');
  });

  it('waits for a pairing, and connects when it comes', async () => {
    connect(undefined);
    await Promise.resolve();
    expect(connection.link).toBe('unpaired');
    pair(made.pairing);
    await live();
  });

  it('shows no token to a program that does not know the key', async () => {
    made.impostor = true;
    connect(made.pairing);
    await until(() => connection.link === 'impostor');
    expect(made.requests).toEqual([]);
    expect(events).toEqual([]);
    made.impostor = false;
    clock.advance(100);
    await live();
  });

  it('does not talk to an app of another major version', async () => {
    connect({ ...made.pairing, version: 'pilotfish.v2' });
    await until(() => connection.link === 'outdated');
    expect(clock.pending).toBe(0);
  });
});

describe('keeping the connection', () => {
  it('comes back after a loss, with the whole state', async () => {
    connect(made.pairing);
    await live();
    made.dropPanels();
    await until(() => connection.link === 'waiting');
    clock.advance(100);
    await live();
    expect(events.filter(({ type }) => type === 'hello')).toHaveLength(2);
  });

  it('goes to a new app at once, without waiting for a pause', async () => {
    connect(made.pairing);
    await live();
    const next = new FakeBackend();
    await next.start();
    pair(next.pairing);
    await until(() => events.filter(({ type }) => type === 'hello').length === 2);
    abort.abort();
    await next.stop();
  });

  it('sends the new token over the open socket', async () => {
    connect(made.pairing);
    await live();
    made.push({ type: 'reauth' });
    made.token = 'rotated';
    pair(made.pairing);
    await made.until(() => made.messages.length > 0);
    expect(made.messages).toEqual([{ type: 'auth', token: 'rotated' }]);
    expect(events.filter(({ type }) => type === 'hello')).toHaveLength(1);
  });

  it('pings, and gives up a socket that is silent', async () => {
    connect(made.pairing);
    await live();
    clock.advance(15_000);
    await made.until(() => made.messages.length === 1);
    expect(made.messages).toEqual([{ type: 'ping', id: 1 }]);
    await until(() => events.at(-1)?.type === 'pong');
    clock.advance(29_999);
    expect(connection.link).toBe('live');
    clock.advance(1);
    expect(connection.link).toBe('waiting');
  });

  it('is not disturbed by a message that it does not know', async () => {
    connect(made.pairing);
    await live();
    made.push({ type: 'of a later version' } as unknown as PanelEvent);
    made.push({ type: 'tabs', tabs: [] });
    await until(() => events.at(-1)?.type === 'tabs');
    expect(events).toHaveLength(2);
  });
});

describe('requests', () => {
  it('pass on what the backend says', async () => {
    connect(made.pairing);
    await live();
    const refused = connection.request('/pty-close-not' as '/agents/probe', {}, v.unknown());
    await expect(refused).rejects.toBeInstanceOf(RefusedError);
    await expect(refused).rejects.toMatchObject({
      message: 'There is no such route.',
      status: 404,
    });
  });

  it('are sent again with the token that came meanwhile', async () => {
    connect(made.pairing);
    await live();
    const old = connection.request('/agents/probe', {}, v.unknown());
    made.token = 'rotated';
    pair(made.pairing);
    await expect(old).resolves.toMatchObject({ version: 1 });
  });

  it('are refused while there is nobody to ask', async () => {
    connect(undefined);
    await expect(connection.request('/agents/probe', {}, v.unknown())).rejects.toBeInstanceOf(
      OfflineError,
    );
  });
});
