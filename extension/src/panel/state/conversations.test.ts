import { describe, expect, it } from 'vitest';
import type { Conversation } from '$ui/protocol/protocol';
import { head } from '../chat/fakes/head';
import { Conversations } from './conversations.svelte';

function of(...heads: Conversation[]): Conversations {
  const all = new Conversations();
  for (const one of heads) all.put(one);
  return all;
}
const ids = (all: readonly Conversation[]): string[] => all.map(({ id }) => id);

describe('the conversations of a session', () => {
  it.each([
    ['09:30:01Z', '09:30:00Z'],
    // Go omits the zeros at the end of a time.
    ['09:30:00.5Z', '09:30:00Z'],
    ['09:30:00.12Z', '09:30:00.1Z'],
  ])('one of %s is newer than one of %s', (newer, older) => {
    const at = (time: string) => `2026-11-21T${time}`;
    const all = of(head('a', { updated: at(newer) }), head('b', { updated: at(older) }));
    expect(ids(all.all)).toEqual(['a', 'b']);
  });

  it('of the same time are in the order of their beginnings, the newest first', () => {
    const all = of(head('a'), head('b', { created: '2026-11-21T09:31:00Z' }));
    expect(ids(all.all)).toEqual(['b', 'a']);
  });

  it('are replaced by what is said of them, and go', () => {
    const all = of(head('a'), head('b', { tab: 't2' }));
    all.apply({ type: 'conversation', conversation: head('a', { title: 'new' }) });
    expect(all.get('a')?.title).toBe('new');
    expect(ids(all.of('t2'))).toEqual(['b']);
    all.apply({ type: 'conversation_gone', conversation: 'a' });
    expect(ids(all.all)).toEqual(['b']);
  });

  it.each([
    [['idle', 'running', 'needs_you'], 'needs_you'],
    [['starting', 'failed'], 'failed'],
    [['idle', 'terminal'], undefined],
    [[], undefined],
  ] as const)('that are %j make their tab %s', (states, badge) => {
    const all = of(
      ...states.map((state, n) => head(String(n), { state })),
      head('elsewhere', { state: 'needs_you', tab: 't2' }),
    );
    expect(all.busiest('t1')).toBe(badge);
  });

  it('remembers which one is to be shown, and none for a terminal', () => {
    const all = of(head('a'));
    all.apply({ type: 'show', tab: 't1', terminal: 'k1' });
    expect(all.wanted).toBeUndefined();
    all.apply({ type: 'show', tab: 't1', conversation: 'a' });
    expect(all.wanted).toEqual({ tab: 't1', id: 'a' });
  });
});
