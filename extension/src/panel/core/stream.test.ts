import { beforeEach, describe, expect, it } from 'vitest';
import type { TerminalControl } from '$ui/protocol/protocol';
import { MARK } from './emulator/snapshot';
import { FakeScreen, FakeSocket } from './fakes/backend';
import { FakeClock } from './fakes/clock';
import { GoneError, Stream, type StreamState } from './stream';

let clock: FakeClock;
let screen: FakeScreen;
let sockets: FakeSocket[];
let states: StreamState[];
let exits: unknown[];
let online: boolean;
let looked: boolean;
let refuse: Error | undefined;
let stream: Stream;

/** The socket of the newest attachment. */
function socket(): FakeSocket {
  const last = sockets.at(-1);
  if (last === undefined) throw new Error('nothing was dialled');
  return last;
}

/** Lets the promises of `dial` resolve. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

async function attach(): Promise<void> {
  stream.attach();
  await settle();
}

function ready(part: Partial<TerminalControl> = {}): void {
  socket().control({ type: 'ready', epoch: 1, ...part });
}

/** Attaches, and replays `text`. */
async function live(text = ''): Promise<void> {
  await attach();
  ready();
  if (text !== '') socket().output(0, text);
  socket().control({ type: 'replayed' });
  screen.draw();
}

beforeEach(() => {
  clock = new FakeClock();
  screen = new FakeScreen();
  sockets = [];
  states = [];
  exits = [];
  online = true;
  looked = true;
  refuse = undefined;
  stream = new Stream({
    screen,
    clock,
    random: () => 1,
    encode: (text) => new TextEncoder().encode(text),
    dial: (_size, events) => {
      if (refuse !== undefined) return Promise.reject(refuse);
      const made = new FakeSocket(events);
      sockets.push(made);
      return Promise.resolve(made);
    },
    online: () => online,
    looked: () => looked,
    onState: (state) => states.push(state),
    onTerminal: () => undefined,
    onExit: (exit) => exits.push(exit),
    onTitle: () => undefined,
    onBell: () => undefined,
    onPainted: () => undefined,
  });
});

describe('attaching', () => {
  it('says that it has nothing, and its size', async () => {
    await attach();
    expect(socket().controls).toEqual([
      { type: 'attach', epoch: 0, offset: 0, cols: 80, rows: 24 },
    ]);
  });

  it('is live once the replay is drawn, not once it arrived', async () => {
    await attach();
    ready();
    socket().output(0, 'hello');
    socket().control({ type: 'replayed' });
    expect(stream.state).toBe('replaying');
    screen.draw();
    expect(screen.text).toBe('hello');
    expect(states).toEqual(['attaching', 'replaying', 'live']);
  });

  it('tells the program its size after the replay, and not during it', async () => {
    await attach();
    ready();
    stream.resize(10, 10);
    expect(socket().of('resize')).toEqual([]);
    socket().control({ type: 'replayed' });
    screen.draw();
    expect(socket().of('resize')).toEqual([
      { type: 'resize', epoch: 1, offset: 0, cols: 80, rows: 24 },
    ]);
  });

  it('takes the sizes that the output was written for, in order with it', async () => {
    await attach();
    ready();
    expect(stream.sizable).toBe(false);
    socket().control({ type: 'resize', epoch: 1, offset: 0, cols: 40, rows: 9 });
    socket().output(0, 'narrow');
    socket().control({ type: 'resize', epoch: 1, offset: 6, cols: 90, rows: 30 });
    socket().output(6, 'wide');
    socket().control({ type: 'replayed' });
    expect(stream.sizable).toBe(false);
    screen.draw();
    expect(screen.resizes).toEqual(['40x9', '90x30', 'fit']);
    expect(stream.sizable).toBe(true);
  });

  it('says up to where it had drawn when it took another size', async () => {
    await live('hello');
    socket().output(5, ' not drawn yet');
    stream.resize(10, 10);
    expect(socket().of('resize').at(-1)).toEqual({
      type: 'resize',
      epoch: 1,
      offset: 5,
      cols: 10,
      rows: 10,
    });
    socket().drop();
    expect(stream.sizable).toBe(false);
  });

  it('draws a snapshot at the size it was made for, and goes on behind it', async () => {
    await attach();
    ready({ offset: 900 });
    socket().control({
      type: 'snapshot',
      epoch: 1,
      offset: 1000,
      data: 'SCREEN',
      cols: 40,
      rows: 9,
    });
    socket().output(1000, ' and more');
    socket().control({ type: 'replayed' });
    screen.draw();
    expect(screen.text).toBe('SCREEN and more');
    expect(screen.resizes).toEqual(['40x9', 'fit']);
  });

  it('becomes what a checkpoint says, and goes on behind it', async () => {
    await attach();
    ready({ offset: 1000 });
    const data = `${MARK}SCREEN`;
    socket().control({ type: 'snapshot', epoch: 1, offset: 1000, data, cols: 40, rows: 9 });
    socket().output(1000, ' and more');
    socket().control({ type: 'replayed' });
    screen.draw();
    expect(screen.text).toBe('SCREEN and more');
    expect(screen.resizes).toEqual(['40x9', 'fit']);
    expect(stream.state).toBe('live');
  });

  it('is live after a restart in the middle of a replay', async () => {
    await attach();
    ready();
    socket().output(0, 'old');
    socket().control({ type: 'epoch', epoch: 2, offset: 0 });
    socket().output(0, 'new');
    screen.draw();
    expect(screen.text).toBe('new');
    expect(stream.state).toBe('live');
    expect(socket().of('resize')).toMatchObject([{ epoch: 2, offset: 0 }]);
  });

  it('stops when the terminal is gone', async () => {
    refuse = new GoneError('gone');
    await attach();
    expect(stream.state).toBe('gone');
    expect(clock.pending).toBe(0);
  });
});

describe('coming back', () => {
  it('asks for what it does not have, and draws no byte twice', async () => {
    await live('0123456789');
    socket().output(10, 'abc');
    socket().drop();
    expect(stream.state).toBe('waiting');
    clock.advance(100);
    await settle();
    expect(sockets).toHaveLength(2);
    expect(socket().controls[0]).toMatchObject({ type: 'attach', epoch: 1, offset: 13 });
    ready({ offset: 10 });
    socket().output(10, 'abcdef');
    socket().control({ type: 'replayed' });
    screen.draw();
    expect(screen.text).toBe('0123456789abcdef');
  });

  it('takes every cut of a stream, inside a character, too', async () => {
    const bytes = new TextEncoder().encode('aé€😀\x1b[31mred\x1b[0m');
    await live();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const [start, text] = [screen.text.length, new TextDecoder().decode(bytes)];
      const base = cut * bytes.length;
      socket().output(base, bytes.subarray(0, cut));
      socket().drop();
      clock.advance(5000);
      await settle();
      ready({ offset: base + cut });
      socket().output(base + cut, bytes.subarray(cut));
      socket().control({ type: 'replayed' });
      screen.draw();
      expect(screen.text.slice(start)).toBe(text);
    }
  });

  it('clears the screen when older output is lost', async () => {
    await live('old');
    socket().drop();
    clock.advance(100);
    await settle();
    ready({ offset: 5000 });
    socket().output(5000, 'new');
    socket().control({ type: 'replayed' });
    screen.draw();
    expect(screen.text).toBe('new');
  });

  it('asks for everything again when a byte is missing', async () => {
    await live('abc');
    socket().output(7, 'h');
    expect(stream.state).toBe('waiting');
    clock.advance(100);
    await settle();
    expect(socket().controls[0]).toMatchObject({ type: 'attach', epoch: 0, offset: 0 });
  });

  it('waits longer each time, and no longer than five seconds', async () => {
    refuse = new Error('no answer');
    await attach();
    for (const pause of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
      clock.advance(pause - 1);
      await settle();
      expect(stream.state).toBe('waiting');
      clock.advance(1);
      expect(stream.state).toBe('attaching');
      await settle();
    }
  });

  it('waits without a timer while there is nobody to ask, until it is woken', async () => {
    await live('x');
    online = false;
    socket().drop();
    expect(clock.pending).toBe(0);
    online = true;
    stream.wake();
    await settle();
    expect(sockets).toHaveLength(2);
  });

  it('leaves the terminal to a viewer that took it over', async () => {
    await live('x');
    socket().drop(4409);
    expect(stream.state).toBe('taken');
    expect(clock.pending).toBe(0);
    stream.wake();
    await settle();
    expect(sockets).toHaveLength(1);
    await attach();
    expect(sockets).toHaveLength(2);
  });

  it('notices a socket that is open and dead', async () => {
    await live();
    clock.advance(15_000);
    expect(socket().of('ping')).toEqual([{ type: 'ping', id: 1 }]);
    clock.advance(15_000);
    expect(stream.state).toBe('waiting');
    expect(sockets[0]?.open).toBe(false);
  });

  it('stays on a socket that answers', async () => {
    await live();
    for (let i = 1; i <= 10; i++) {
      clock.advance(15_000);
      socket().control({ type: 'pong', id: i });
    }
    expect(stream.state).toBe('live');
  });
});

describe('being in view', () => {
  it('is told with its time, which the backend may hear late', async () => {
    const before = Date.now();
    stream.shown = true;
    await live();
    const reports = socket().of('shown');
    expect(reports).toHaveLength(1);
    expect(reports[0]?.at).toBeGreaterThanOrEqual(before);
    expect(reports[0]?.at).toBeLessThanOrEqual(Date.now());
    stream.shown = true; // no change
    expect(socket().of('shown')).toHaveLength(1);
    stream.shown = false;
    stream.shown = true;
    expect(socket().of('shown')).toHaveLength(2);
  });

  it('is told again with the same time after a lost socket', async () => {
    stream.shown = true;
    await live();
    const first = socket().of('shown');
    socket().drop();
    clock.advance(1000);
    await settle();
    ready();
    expect(sockets).toHaveLength(2);
    expect(socket().of('shown')).toEqual(first);
  });
});

describe('being before the user', () => {
  it('is in view in a panel that the user has before them', async () => {
    await live();
    const seen = (): (boolean | undefined)[] =>
      socket()
        .of('seen')
        .map((message) => message.seen);
    looked = false;
    stream.shown = true;
    expect(seen()).toEqual([]);
    looked = true;
    stream.look();
    stream.look(); // no change
    expect(seen()).toEqual([true]);
    stream.shown = false;
    expect(seen()).toEqual([true, false]);
    looked = false;
    stream.look();
    stream.shown = true;
    expect(seen()).toEqual([true, false]);
  });

  it('is told again after a lost socket, because that viewer is new', async () => {
    stream.shown = true;
    await live();
    expect(socket().of('seen')).toHaveLength(1);
    socket().drop();
    stream.look();
    clock.advance(1000);
    await settle();
    ready();
    expect(sockets).toHaveLength(2);
    expect(socket().of('seen')).toEqual([{ type: 'seen', seen: true }]);
  });
});

describe('a restart', () => {
  it('clears the screen and counts from 0', async () => {
    await live('first process');
    socket().control({ type: 'exit', exit: { code: 1 } });
    socket().control({ type: 'epoch', epoch: 2 });
    socket().output(0, 'second');
    screen.draw();
    expect(exits).toEqual([{ code: 1 }]);
    expect(screen.text).toBe('second');
  });

  it('does not count what is still drawn of the process before', async () => {
    await live();
    socket().output(0, new Uint8Array(100_000));
    socket().control({ type: 'epoch', epoch: 2 });
    screen.draw();
    expect(socket().of('ack')).toEqual([]);
  });

  it('is followed although the backend closed after the exit', async () => {
    await live('x');
    socket().control({ type: 'exit', exit: { code: 0 } });
    socket().drop(1000);
    expect(stream.state).toBe('ended');
    stream.wake(1);
    await settle();
    expect(sockets).toHaveLength(1);
    stream.wake(2);
    await settle();
    expect(sockets).toHaveLength(2);
  });
});

describe('acknowledging', () => {
  it('counts what is drawn, every 64 KiB', async () => {
    await live();
    for (let i = 0; i < 3; i++) socket().output(i * 40_000, new Uint8Array(40_000));
    expect(socket().of('ack')).toEqual([]);
    screen.draw();
    expect(socket().of('ack')).toEqual([{ type: 'ack', offset: 80_000 }]);
  });

  it('says what is drawn when it is asked to, and no more than once', async () => {
    await live('hello');
    stream.acknowledge();
    stream.acknowledge();
    expect(socket().of('ack')).toEqual([{ type: 'ack', offset: 5 }]);
  });

  it('counts the rest when it falls quiet', async () => {
    await live('hello');
    clock.advance(300);
    expect(socket().of('ack')).toEqual([{ type: 'ack', offset: 5 }]);
  });
});

describe('checkpoints', () => {
  it('are sent after a pause, when there is enough', async () => {
    await live('a'.repeat(70_000));
    expect(socket().of('checkpoint')).toEqual([]);
    clock.advance(300);
    expect(socket().of('checkpoint')).toMatchObject([
      { epoch: 1, offset: 70_000, cols: 80, rows: 24 },
    ]);
    socket().output(70_000, 'b');
    screen.draw();
    clock.advance(300);
    expect(socket().of('checkpoint')).toHaveLength(1);
  });

  it('are sent every 4 MiB of a flood', async () => {
    await live();
    for (let i = 0; i < 65; i++) {
      socket().output(i * 65_536, new Uint8Array(65_536));
      screen.draw();
    }
    expect(socket().of('checkpoint')).toMatchObject([{ offset: 4 * 1024 * 1024 }]);
  });

  it('are not taken while a sequence is open, and after it', async () => {
    screen.serialisable = false;
    await live('a'.repeat(70_000) + '\x1b[3');
    clock.advance(300);
    expect(socket().of('checkpoint')).toEqual([]);
    screen.serialisable = true;
    socket().output(70_003, '1m');
    screen.draw();
    clock.advance(300);
    expect(socket().of('checkpoint')).toHaveLength(1);
  });

  it('are not taken of a replay, which the backend has', async () => {
    await attach();
    ready();
    socket().output(0, 'a'.repeat(70_000));
    screen.draw();
    clock.advance(300);
    expect(socket().of('checkpoint')).toEqual([]);
  });
});

describe('a character in two pieces', () => {
  const dots = new TextEncoder().encode('a…b');

  it.each([2, 3])('is drawn when it is whole (%i)', async (cut) => {
    await live();
    socket().output(0, dots.subarray(0, cut));
    screen.draw();
    expect(screen.text).toBe('a');
    clock.advance(300);
    expect(socket().of('ack')).toEqual([{ type: 'ack', offset: 1 }]);
    socket().output(cut, dots.subarray(cut));
    screen.draw();
    expect(screen.text).toBe('a…b');
    clock.advance(300);
    expect(socket().of('ack').at(-1)).toEqual({ type: 'ack', offset: 5 });
  });

  it('is asked for from its middle after a lost socket', async () => {
    await live();
    socket().output(0, dots.subarray(0, 3));
    screen.draw();
    socket().drop();
    clock.advance(5_000);
    await settle();
    expect(socket().of('attach')).toMatchObject([{ epoch: 1, offset: 3 }]);
    ready({ offset: 3 });
    socket().output(3, dots.subarray(3));
    screen.draw();
    expect(screen.text).toBe('a…b');
  });
});

describe('input', () => {
  it('puts the halves of a character together that come one after the other', async () => {
    await live();
    for (const half of 'a🐟b') for (const unit of half.split('')) stream.input(unit);
    expect(socket().typed).toBe('a🐟b');
  });

  it('drops the answers of the terminal during a replay, and only those', async () => {
    await attach();
    ready();
    for (const reply of ['\x1b[?1;2c', '\x1b[5;1R', '\x1b]11;rgb:00/00/00\x1b\\', '\x1b[I'])
      stream.input(reply);
    stream.input('ls\r');
    stream.input('\x1b[A');
    expect(socket().typed).toBe('ls\r\x1b[A');
    socket().control({ type: 'replayed' });
    screen.draw();
    stream.input('\x1b[?1;2c');
    expect(socket().typed).toBe('ls\r\x1b[A\x1b[?1;2c');
  });

  it('keeps what is typed during a short loss', async () => {
    await live();
    socket().drop();
    stream.input('typed');
    clock.advance(100);
    await settle();
    ready();
    expect(socket().typed).toBe('typed');
  });

  it('does not type into the next process what was meant for the one before', async () => {
    await live();
    socket().drop();
    stream.input('rm -r build\r');
    clock.advance(100);
    await settle();
    ready({ epoch: 2 });
    expect(socket().typed).toBe('');
  });

  it('goes in pieces, whole', async () => {
    await live();
    const text = 'x'.repeat(200_000);
    stream.input(text);
    expect(socket().input.map((piece) => piece.length)).toEqual([65536, 65536, 65536, 3392]);
    expect(socket().typed).toBe(text);
  });

  it('passes bytes that are no text', async () => {
    await live();
    stream.binary('\x1b[M\xe9');
    expect([...(socket().input[0] ?? [])]).toEqual([0x1b, 0x5b, 0x4d, 0xe9]);
  });
});

it('survives messages that make no sense', async () => {
  await live('ok');
  for (const message of ['', 'no json', '{"type":"later"}', '[]', 'null', 7, undefined])
    socket().events.message(message);
  expect(stream.state).toBe('live');
  socket().events.message(new ArrayBuffer(3));
  expect(stream.state).toBe('waiting');
});
