import { expect, test } from 'vitest';
import type { Approval } from '$ui/protocol/protocol';
import { settled, settleTime } from '$ui/settled';
import { announcement, inOrder } from './approvals';

function approval(id: string, tab: string, origin = 'https://example.com'): Approval {
  return {
    id,
    session: 'default',
    actor: { kind: 'terminal', id: 'k', name: `claude in ${tab}`, agent: 'Claude Code', tab },
    tab,
    origin,
    command: 'eval',
    kind: 'eval',
    words: {
      sentence: `Claude Code in the terminal of ${tab} wants to run JavaScript on ${origin}`,
      who: `Claude Code in the terminal of ${tab}`,
      what: 'run JavaScript',
      where: origin,
      may: 'run JavaScript',
    },
    since: '2026-11-21T09:30:00Z',
    expires: '2026-11-21T09:35:00Z',
  };
}

test('a click that was on its way before the question does not answer it', () => {
  expect(settled(undefined, 9_999)).toBe(false);
  expect(settled(1_000, 1_000 + settleTime - 1)).toBe(false);
  expect(settled(1_000, 1_000 + settleTime)).toBe(true);
  // The second half of a slow double click.
  expect(settled(1_000, 1_700)).toBe(false);
});

test('the questions of the tab in view come first', () => {
  const all = [approval('a', 't1'), approval('b', 't2'), approval('c', 't1')];
  expect(inOrder(all, 't2').map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  expect(inOrder(all, undefined).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('what is said names who, what and where, without what would turn it', () => {
  expect(announcement([])).toBe('');
  expect(announcement([approval('a', 't1'), approval('b', 't2', 'https://a\u202e.example')])).toBe(
    'Claude Code in the terminal of t2 wants to run JavaScript on https://a .example. 2 approvals are waiting.',
  );
});
