import { describe, expect, it } from 'vitest';
import type { Tab, TerminalInfo } from '$ui/protocol/protocol';
import { SessionStore } from './session.svelte';

const terminal = (id: string, part: Partial<TerminalInfo> = {}) =>
  ({
    id,
    tab: 't1',
    epoch: 1,
    state: 'live',
    status: 'idle',
    startedAt: '2026-11-21T09:30:00Z',
    ...part,
  }) as TerminalInfo;
const tab = (id: string, chromeTabId?: number) =>
  ({ id, ...(chromeTabId !== undefined && { chromeTabId }) }) as Tab;

function store(...terminals: TerminalInfo[]): SessionStore {
  const made = new SessionStore();
  for (const one of terminals) made.put(one);
  return made;
}

describe('a terminal', () => {
  it.each([
    ['another epoch', { epoch: 2, state: 'starting' }, 'starting'],
    ['an older epoch', { epoch: 0, state: 'ended' }, 'stopping'],
    ['a later state', { state: 'ended' }, 'ended'],
    ['an earlier state', { state: 'live' }, 'stopping'],
  ] as const)('that says %s', (_, said, state) => {
    const all = store(terminal('k1', { state: 'stopping' }));
    all.put(terminal('k1', said));
    expect(all.terminal('k1')?.state).toBe(state);
  });

  it('is listed by its beginning, and times are no texts', () => {
    const at = (time: string) => ({ startedAt: `2026-11-21T${time}` });
    const all = store(
      terminal('third', at('09:30:00.5Z')),
      terminal('second', at('09:30:00.12Z')),
      terminal('first', at('09:30:00Z')),
      terminal('elsewhere', { tab: 't2' }),
    );
    expect(all.terminalsOf('t1').map(({ id }) => id)).toEqual(['first', 'second', 'third']);
  });

  it('has ended once, with the exit that was told first', () => {
    const all = store(terminal('k1'));
    all.ended('k1', { code: 1 });
    all.ended('k1', { code: 2 });
    all.ended('unknown', undefined);
    expect(all.terminals).toHaveLength(1);
    expect(all.terminal('k1')).toMatchObject({
      state: 'ended',
      status: 'ended',
      exit: { code: 1 },
    });
  });

  it('goes', () => {
    const all = store(terminal('k1'), terminal('k2'));
    all.apply({ type: 'terminal_gone', terminal: 'k1' });
    expect(all.terminals.map(({ id }) => id)).toEqual(['k2']);
  });
});

describe('the tab beside the panel', () => {
  it.each<[string, Tab[], number | undefined, string | undefined]>([
    ['is found by Chrome’s number', [tab('t1', 5), tab('t2', 6)], 6, 't2'],
    ['is the only one while the number is not known', [tab('t1', 5)], undefined, 't1'],
    ['is the only one before the worker told its number', [tab('t1')], 6, 't1'],
    ['is none when the only one is another', [tab('t1', 5)], 6, undefined],
    [
      'is none of several while the number is not known',
      [tab('t1'), tab('t2')],
      undefined,
      undefined,
    ],
    ['is none when there is none', [], 5, undefined],
  ])('%s', (_, tabs, number, id) => {
    const all = store();
    all.apply({ type: 'tabs', tabs });
    expect(all.tabOf(number)?.id).toBe(id);
  });
});

it.each([
  ['auto', 'Claude Code'],
  ['', 'Claude Code'],
  ['codex', 'Codex'],
  ['gone', undefined],
])('the agent %j is %s', (kind, name) => {
  const all = store();
  all.apply({
    type: 'agents',
    agents: {
      version: 1,
      default: 'claude',
      agents: [
        { kind: 'claude', name: 'Claude Code', installed: true },
        { kind: 'codex', name: 'Codex', installed: false },
      ],
    },
  });
  expect(all.agent(kind)?.name).toBe(name);
});
