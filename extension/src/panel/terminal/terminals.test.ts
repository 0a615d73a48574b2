import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TerminalInfo } from '$ui/protocol/protocol';
import { AskedConnection } from '../connection/fakes/asked';
import type { EarlyTerminal } from '../connection/earlyterminal';
import { RefusedError } from '../connection/request';
import { GoneError } from '../core/stream';
import { MAX_SCREENS } from '../core/timing';
import { Looking } from '../state/looking';
import { SessionStore } from '../state/session.svelte';
import { nobody, TerminalView as FakeView } from './fakes/view';
import type { Dependencies } from './dependencies';
import { Layout } from './layout.svelte';
import { isOver } from './over';
import { Terminals } from './terminals.svelte';

vi.mock('./view', () => import('./fakes/view'));

const host = {} as HTMLElement;
const terminal = (id: string, part: Partial<TerminalInfo> = {}): TerminalInfo => ({
  id,
  session: 'default',
  tab: 't1',
  agent: 'shell',
  name: 'Shell',
  title: '',
  state: 'live',
  status: 'idle',
  epoch: 1,
  cols: 80,
  rows: 24,
  startedAt: '2026-11-21T09:30:00Z',
  viewers: 0,
  ...part,
});

let connection: AskedConnection & { dial: Dependencies['connection']['dial']; identity: string };
let session: SessionStore;
let terminals: Terminals;
let early: EarlyTerminal | undefined;
let dialled: unknown[][];
beforeEach(() => {
  FakeView.all = [];
  early = undefined;
  dialled = [];
  connection = Object.assign(new AskedConnection(), {
    identity: 'run 1',
    dial: (...args: unknown[]) => {
      dialled.push(args);
      return Promise.resolve({ send: () => undefined, close: () => undefined });
    },
  });
  connection.answers['/pty-session'] = ({ terminal: id = 'new', tab = 't1' }) => ({
    terminal: terminal(id as string, { tab: tab as string }),
    attach: 'ticket',
    expires: '2026-11-21T09:31:00Z',
  });
  session = new SessionStore();
  terminals = new Terminals({
    connection: connection.whole,
    early: () => early,
    session,
    looking: new Looking(),
    fontFamily: 'monospace',
    mac: false,
    graphicsCard: () => false,
    askPaste: () => Promise.resolve(true),
    openLink: () => undefined,
    onFind: () => undefined,
    onLeave: () => undefined,
    onKey: () => false,
    layout: new Layout({
      set: () => Promise.resolve(),
    } as unknown as chrome.storage.StorageArea),
  });
  terminals.mount(host);
});
const view = (at: number): FakeView => {
  const found = FakeView.all.at(at);
  if (found === undefined) throw new Error('there is no such view');
  return found;
};
/** Lets everything happen that waits only for promises. */
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
/** Shows a terminal of t1 that the backend has reported. */
const show = (id: string, part: Partial<TerminalInfo> = {}): TerminalInfo => {
  const info = terminal(id, part);
  session.put(info);
  terminals.show(info.tab, info);
  return info;
};

describe('a terminal that starts', () => {
  it('is requested once, with its agent and size, and is then the one of its tab', async () => {
    session.put(terminal('newer', { startedAt: '2026-11-22T00:00:00Z' }));
    terminals.start('t1', 'shell', 'htop');
    terminals.start('t1', 'shell', 'htop');
    expect(terminals.starting.has('t1')).toBe(true);
    await settle();
    expect(connection.of('/pty-session')).toEqual([
      { tab: 't1', cols: 80, rows: 24, agent: 'shell', command: 'htop' },
    ]);
    expect(dialled).toEqual([['/ws', 'ticket', nobody]]);
    expect([terminals.starting.size, terminals.chosen('t1')?.id]).toEqual([0, 'new']);
  });

  it('that was closed before its name came is forgotten', async () => {
    terminals.start('t1');
    session.apply({ type: 'terminal_gone', terminal: 'new' });
    await settle();
    expect(session.terminalsOf('t1')).toHaveLength(1);
    view(0).config.onState('gone');
    expect(session.terminalsOf('t1')).toEqual([]);
  });

  it('that is refused leaves the reason and no view, until it starts', async () => {
    const refusal = { code: 'bad_argument', message: 'no such agent', hint: 'pick one' } as const;
    connection.answers['/pty-session'] = () => {
      throw new RefusedError(refusal, 400);
    };
    terminals.start('t1');
    await settle();
    expect(terminals.problems.get('t1')).toEqual({ message: 'no such agent', hint: 'pick one' });
    expect([terminals.starting.size, view(0).did.at(-1)]).toEqual([0, 'dispose']);
    terminals.startByItself('t1');
    expect(connection.of('/pty-session')).toHaveLength(1);
    terminals.start('t1');
    expect(terminals.problems.has('t1')).toBe(false);
  });

  it('whose reply does not come has a reason too', async () => {
    connection.answers['/pty-session'] = () => {
      throw new Error('socket hang up');
    };
    terminals.start('t1');
    await settle();
    expect(terminals.problems.get('t1')?.message).toBe('Pilotfish did not respond.');
  });

  it('is shown before the reply names it', () => {
    terminals.start('t1');
    show('announced first');
    expect(FakeView.all).toHaveLength(1);
  });

  it('starts by itself once in a run of the app, or in every tab', async () => {
    terminals.startByItself('t1');
    await settle();
    terminals.startByItself('t2');
    expect(connection.of('/pty-session')).toHaveLength(1);
    session.settings = { ...session.settings, everyTab: true };
    terminals.startByItself('t2');
    await settle();
    expect(connection.of('/pty-session').map(({ tab }) => tab)).toEqual(['t1', 't2']);
  });

  it('does not start by itself where the user closed one', async () => {
    session.settings = { ...session.settings, everyTab: true };
    await terminals.close(terminal('a'));
    terminals.startByItself('t1');
    expect(connection.asked.map(({ path }) => path)).toEqual(['/pty-close']);
  });
});

describe('the terminal of a tab', () => {
  it.each<[string, TerminalInfo[], string]>([
    ['newest', [terminal('b', { startedAt: '2026-11-22T00:00:00Z' }), terminal('a')], 'b'],
    ['one shown last', [terminal('a', { shown: 2 }), terminal('b', { shown: 1 })], 'a'],
    ['one of this tab', [terminal('a'), terminal('b', { tab: 't2', shown: 9 })], 'a'],
  ])('is the %s', (_, all, id) => {
    session.terminals = all;
    expect(terminals.chosen('t1')?.id).toBe(id);
  });

  it('is the chosen one, while it exists', () => {
    session.terminals = [terminal('a'), terminal('b', { shown: 5 })];
    terminals.choose('t1', 'a');
    expect(terminals.chosen('t1')?.id).toBe('a');
    session.terminals = [terminal('b')];
    expect(terminals.chosen('t1')?.id).toBe('b');
  });
});

describe('what is shown', () => {
  it('changes with the terminal; a view that stays in memory is shown again', () => {
    const first = show('a');
    show('b');
    terminals.show('t1', first);
    expect(FakeView.all).toHaveLength(2);
    expect(view(0).did).toEqual(['show', 'attach', 'focus', 'hide', 'show', 'attach', 'focus']);
    terminals.type('ls');
    expect(view(0).did.at(-1)).toBe('input ls');
  });

  it('takes a terminal back that another panel has, and only wakes one that is live', () => {
    const info = show('a');
    view(0).stream.state = 'live';
    terminals.show(undefined, undefined);
    terminals.show('t1', info);
    terminals.show('t1', { ...info, epoch: 2 });
    expect(view(0).did.slice(3)).toEqual(['hide', 'show', 'wake 1', 'focus', 'wake 2']);
    terminals.takeBack();
    expect(view(0).did.at(-1)).toBe('attach');
  });

  it('takes a terminal back that another panel has left', () => {
    const info = show('a');
    view(0).stream.state = 'taken';
    const did = view(0).did.length;
    terminals.update([{ ...info, viewers: 1 }]);
    expect(view(0).did.slice(did)).toEqual([]);
    terminals.update([{ ...info, viewers: 0 }]);
    expect(view(0).did.slice(did)).toEqual(['attach']);
    terminals.show(undefined, undefined);
    terminals.update([{ ...info, viewers: 0 }]);
    expect(view(0).did.slice(did)).toEqual(['attach', 'hide']);
  });

  it('is nothing for a terminal whose program is lost', () => {
    show('a', { state: 'missing' });
    expect(FakeView.all).toHaveLength(0);
  });

  it('keeps the views shown last, and drops those of terminals that are gone', () => {
    for (let n = 0; n <= MAX_SCREENS; n += 1) show(`k${String(n)}`);
    expect(FakeView.all.map(({ did }) => did.includes('dispose'))).toEqual([
      true,
      ...Array<boolean>(MAX_SCREENS).fill(false),
    ]);
    terminals.update([terminal('k1')]);
    expect(FakeView.all.filter(({ did }) => !did.includes('dispose'))).toEqual([view(1)]);
  });

  it('is attached early with the socket that the panel opened for it', async () => {
    const socket = { send: () => undefined, close: () => undefined };
    early = { adopt: () => Promise.resolve(socket) } as unknown as EarlyTerminal;
    show('a');
    await expect(view(0).dialled).resolves.toBe(socket);
    expect(connection.asked).toEqual([]);
  });

  it('gives up where the backend does not know the terminal, and only there', async () => {
    const fail = (code: 'unknown_terminal' | 'internal') => () => {
      throw new RefusedError({ code, message: code }, 500);
    };
    connection.answers['/pty-session'] = fail('unknown_terminal');
    show('a');
    await expect(view(0).dialled).rejects.toThrow(GoneError);
    connection.answers['/pty-session'] = fail('internal');
    terminals.takeBack();
    await expect(view(0).dialled).rejects.toThrow(RefusedError);
  });
});

describe('two terminals together', () => {
  it('the second one is shown below the first while it starts, and has the keyboard', async () => {
    const first = show('a');
    terminals.split('t1', 'shell');
    terminals.show('t1', first);
    expect([view(0).at, view(1).at, view(0).did.includes('hide')]).toEqual([
      'first',
      'second',
      false,
    ]);
    await settle();
    expect([terminals.chosen('t1')?.id, terminals.beside('t1')?.id]).toEqual(['new', 'a']);
    terminals.type('ls');
    expect(view(1).did.at(-1)).toBe('input ls');
    expect(terminals.other()).toBe(true);
    terminals.show('t1', terminals.chosen('t1'));
    expect([terminals.chosen('t1')?.id, view(0).did.at(-1), view(0).at, view(1).at]).toEqual([
      'a',
      'focus',
      'first',
      'second',
    ]);
  });

  it('the one that stays has the whole place and the keyboard', async () => {
    terminals.show('t1', show('a'));
    terminals.split('t1');
    await settle();
    terminals.show('t1', terminals.chosen('t1'));
    session.terminals = session.terminals.filter(({ id }) => id === 'a');
    terminals.update(session.terminals);
    terminals.show('t1', terminals.chosen('t1'));
    expect([terminals.beside('t1'), view(0).at, view(0).did.at(-1)]).toEqual([
      undefined,
      'whole',
      'focus',
    ]);
    expect(terminals.other()).toBe(false);
  });

  it('a second one that does not start leaves the first alone', async () => {
    const first = show('a');
    connection.answers['/pty-session'] = () => {
      throw new RefusedError({ code: 'busy', message: 'too many' }, 409);
    };
    terminals.split('t1');
    terminals.show('t1', first);
    await settle();
    terminals.show('t1', first);
    expect([terminals.beside('t1'), view(0).at, terminals.problems.get('t1')?.message]).toEqual([
      undefined,
      'whole',
      'too many',
    ]);
  });
});

describe('what a view reports', () => {
  it('a bell is kept for a terminal that is not in view, until it is shown', () => {
    vi.stubGlobal('document', { hasFocus: () => true });
    const first = show('a');
    view(0).config.onBell();
    expect(terminals.rang.size).toBe(0);
    show('b');
    view(0).config.onBell();
    expect([...terminals.rang]).toEqual(['a']);
    terminals.show('t1', first);
    expect(terminals.rang.size).toBe(0);
    vi.unstubAllGlobals();
  });

  it('its title, its exit and its state belong to its terminal', () => {
    show('a');
    view(0).config.onTitle('vim');
    view(0).config.onExit({ code: 3 });
    view(0).config.onState('live');
    expect(session.terminal('a')).toMatchObject({
      title: 'vim',
      state: 'ended',
      exit: { code: 3 },
    });
    expect(terminals.streams.get('a')).toBe('live');
    expect(isOver(session.terminal('a'))).toBe(true);
  });
});

it('a search goes to the view that is shown, and its end gives the keyboard back', () => {
  show('a');
  terminals.find('needle', 'next');
  view(0).config.onMatches(1, 3);
  expect([terminals.found, view(0).did.at(-1)]).toEqual([
    { index: 1, count: 3 },
    'find needle next',
  ]);
  terminals.endFind();
  expect([terminals.found.count, ...view(0).did.slice(-2)]).toEqual([0, 'endFind', 'focus']);
});

it('what a view that is not shown finds does not count', () => {
  show('a');
  terminals.find('needle', 'next');
  show('b');
  view(1).config.onMatches(0, 2);
  view(0).config.onMatches(1, 3); // it goes on searching its output
  expect(terminals.found).toEqual({ index: 0, count: 2 });
});

it('a restart that fails says why beside the terminal of its tab', async () => {
  connection.answers['/pty-restart'] = () => {
    throw new RefusedError({ code: 'internal', message: 'no shell' }, 500);
  };
  await terminals.restart(terminal('a'), 'shell', undefined, true);
  expect(connection.of('/pty-restart')).toEqual([
    { terminal: 'a', agent: 'shell', confined: true },
  ]);
  expect(terminals.problems.get('t1')?.message).toBe('no shell');
  terminals.dismiss('t1');
  expect(terminals.problems.size).toBe(0);
});
