import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from './fakes/clock';
import { Heartbeat } from './heartbeat';
import { backoff, LastingSocket, type Socket, type SocketEvents } from './lastingsocket';
import { DEAD_AFTER, PING_INTERVAL, RECONNECT_MAX, RECONNECT_MIN } from './timing';

describe('the pause before another attempt', () => {
  it('doubles up to the longest, a half of it by chance', () => {
    const pauses = (chance: number) => [0, 1, 2, 40].map((n) => backoff(n, () => chance));
    expect(pauses(1)).toEqual([RECONNECT_MIN, 2 * RECONNECT_MIN, 4 * RECONNECT_MIN, RECONNECT_MAX]);
    expect(pauses(0)).toEqual([RECONNECT_MIN, RECONNECT_MIN, 2 * RECONNECT_MIN, RECONNECT_MAX / 2]);
  });
});

describe('a heartbeat', () => {
  let clock: FakeClock;
  let pings: number[];
  let deaths: number;
  let heart: Heartbeat;
  beforeEach(() => {
    clock = new FakeClock();
    pings = [];
    deaths = 0;
    heart = new Heartbeat(
      clock,
      (id) => pings.push(id),
      () => (deaths += 1),
    );
    heart.start();
  });

  it('pings with a number of its own each time', () => {
    clock.advance(PING_INTERVAL);
    heart.heard();
    clock.advance(PING_INTERVAL);
    expect(pings).toEqual([1, 2]);
  });

  it('takes a socket for dead once, when nothing was heard for long', () => {
    clock.advance(DEAD_AFTER - 1);
    heart.heard();
    clock.advance(DEAD_AFTER - 1);
    expect(deaths).toBe(0);
    clock.advance(1);
    expect(deaths).toBe(1);
    const before = pings.length;
    clock.advance(10 * DEAD_AFTER);
    expect([deaths, pings.length]).toEqual([1, before]);
  });

  it('leaves nothing behind when it stops', () => {
    heart.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('a lasting socket', () => {
  let clock: FakeClock;
  let heard: string[];
  let lasting: LastingSocket;

  const on = {
    opened: () => heard.push('opened'),
    message: (data: unknown) => heard.push(String(data)),
    closed: (code: number) => heard.push(`closed ${String(code)}`),
  };
  /** A `dial` function that records its arguments; the test resolves it. */
  function dialler() {
    const sent: unknown[] = [];
    let closed = false;
    let events: SocketEvents | undefined;
    let resolve: (socket: Socket) => void = () => undefined;
    let reject: (why: Error) => void = () => undefined;
    const socket: Socket = {
      send: (data) => sent.push(data),
      close: () => (closed = true),
    };
    return {
      sent,
      isClosed: () => closed,
      says: (data: string) => events?.message(data),
      drops: (code: number) => events?.closed(code),
      open: () => {
        resolve(socket);
      },
      fail: () => {
        reject(new Error('refused'));
      },
      dial: (given: SocketEvents) => {
        events = given;
        return new Promise<Socket>((yes, no) => {
          resolve = yes;
          reject = no;
        });
      },
    };
  }

  beforeEach(() => {
    clock = new FakeClock();
    heard = [];
    lasting = new LastingSocket({
      clock,
      random: () => 1,
      ping: () => undefined,
      dead: () => heard.push('dead'),
    });
  });

  it('passes on what its current attempt says', async () => {
    const one = dialler();
    const done = lasting.dial(one.dial, on);
    lasting.send('too early');
    one.open();
    await done;
    lasting.send('a');
    one.says('b');
    one.drops(1006);
    expect([one.sent, heard]).toEqual([['a'], ['opened', 'b', 'closed 1006']]);
  });

  it('hears nothing of an attempt that another one replaced, and closes it', async () => {
    const [one, two] = [dialler(), dialler()];
    const first = lasting.dial(one.dial, on);
    const second = lasting.dial(two.dial, on);
    one.open();
    await first;
    one.says('late');
    one.drops(1006);
    two.open();
    await second;
    expect([one.isClosed(), heard]).toEqual([true, ['opened']]);
  });

  it('throws why it could not be opened, but not after it was dropped', async () => {
    const one = dialler();
    const failed = lasting.dial(one.dial, on);
    one.fail();
    await expect(failed).rejects.toThrow('refused');
    const two = dialler();
    const dropped = lasting.dial(two.dial, on);
    lasting.drop();
    two.fail();
    await expect(dropped).resolves.toBeUndefined();
  });

  it('waits longer after each failure, until it was reached', () => {
    const tries: number[] = [];
    const again = () => tries.push(clock.now);
    lasting.later(again);
    clock.advance(RECONNECT_MIN);
    lasting.later(again);
    clock.advance(2 * RECONNECT_MIN);
    expect([tries, lasting.failures]).toEqual([[RECONNECT_MIN, 3 * RECONNECT_MIN], 2]);
    lasting.reached();
    lasting.later(again);
    clock.advance(RECONNECT_MIN);
    expect(tries).toHaveLength(3);
  });

  it('dropped leaves no timer, no socket and no attempt behind', async () => {
    const one = dialler();
    const done = lasting.dial(one.dial, on);
    one.open();
    await done;
    lasting.later(() => heard.push('again'));
    lasting.drop();
    one.says('late');
    clock.advance(10 * DEAD_AFTER);
    expect([lasting.open, one.isClosed(), clock.pending, heard]).toEqual([
      false,
      true,
      0,
      ['opened'],
    ]);
  });
});
