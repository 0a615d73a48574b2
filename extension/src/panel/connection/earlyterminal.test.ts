import { expect, test } from 'vitest';
import type { TerminalInfo } from '$ui/protocol/protocol';
import type { Cancel, Clock } from '../core/clock';
import type { Socket, SocketEvents } from '../core/lastingsocket';
import { EarlyTerminal } from './earlyterminal';

const info = { id: 'k1', cols: 61, rows: 40 } as TerminalInfo;

/** An early terminal whose socket the test controls. */
function stage(): {
  early: EarlyTerminal;
  sent: unknown[];
  closed: () => boolean;
  wire: () => SocketEvents;
  expire: () => void;
} {
  const sent: unknown[] = [];
  let closed = false;
  let wire: SocketEvents | undefined;
  let due: (() => void) | undefined;
  const clock: Clock = {
    after(_, run): Cancel {
      due = run;
      return () => {
        due = undefined;
      };
    },
  };
  const dial = (events: SocketEvents): Promise<Socket> => {
    wire = events;
    return Promise.resolve({
      send: (data) => sent.push(data),
      close() {
        closed = true;
      },
    });
  };
  const early = new EarlyTerminal(info, dial, clock);
  return {
    early,
    sent,
    closed: () => closed,
    wire() {
      if (wire === undefined) throw new Error('nobody dialled');
      return wire;
    },
    expire: () => due?.(),
  };
}

test('it attaches at once, and its stream gets everything once, in order', async () => {
  const { early, sent, wire, expire, closed } = stage();
  await Promise.resolve();
  expect(sent).toEqual(['{"type":"attach","epoch":0,"offset":0,"cols":61,"rows":40}']);
  wire().message('one');
  const heard: unknown[] = [];
  const socket = await early.adopt({
    message: (data) => heard.push(data),
    closed: (code) => heard.push(code),
  });
  wire().message('two');
  expect(heard).toEqual([]);
  socket.send('the attach of the stream');
  expect(heard).toEqual(['one', 'two']);
  wire().message('three');
  socket.send('input');
  wire().closed(4003);
  expect(heard).toEqual(['one', 'two', 'three', 4003]);
  expect(sent.slice(1)).toEqual(['input']);
  expire();
  expect(closed()).toBe(false);
});

test('one that nobody adopts is let go, and one that was closed is not adopted', async () => {
  const left = stage();
  left.expire();
  await expect(
    left.early.adopt({ message: () => undefined, closed: () => undefined }),
  ).rejects.toThrow('1000');
  await Promise.resolve();
  await Promise.resolve();
  expect(left.closed()).toBe(true);
  // It opened too late: the panel may have attached by another socket.
  expect(left.sent).toEqual([]);

  const dead = stage();
  await Promise.resolve();
  dead.wire().closed(4004);
  await expect(
    dead.early.adopt({ message: () => undefined, closed: () => undefined }),
  ).rejects.toThrow('4004');
});
