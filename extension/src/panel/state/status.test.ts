import { expect, it } from 'vitest';
import type { TerminalInfo } from '$ui/protocol/protocol';
import { endedSentence } from '../core/words';
import { linkSentence, statusWord, type StatusInput } from './status';

const terminal: TerminalInfo = {
  id: 'p1',
  session: 'default',
  tab: 't1',
  agent: 'claude',
  name: 'Claude Code',
  title: '',
  state: 'live',
  status: 'idle',
  epoch: 1,
  cols: 80,
  rows: 24,
  startedAt: '2026-01-01T00:00:00Z',
  viewers: 1,
};
const word = (part: Partial<StatusInput>): string | undefined =>
  statusWord({ link: 'live', known: true, starting: false, terminal, stream: 'live', ...part })
    ?.text;

it('has a word for every state', () => {
  expect(word({})).toBe('Live');
  expect(word({ terminal: undefined })).toBeUndefined();
  expect(word({ starting: true, terminal: undefined })).toBe('Starting…');
  expect(word({ terminal: { ...terminal, state: 'starting' } })).toBe('Starting…');
  expect(word({ terminal: { ...terminal, status: 'working' } })).toBe('Working');
  expect(word({ terminal: { ...terminal, status: 'needs_you' } })).toBe('Needs you');
  expect(word({ terminal: { ...terminal, state: 'ended' }, stream: 'ended' })).toBe('Ended');
  expect(word({ terminal: { ...terminal, state: 'missing' } })).toBe('Not installed');
  expect(word({ stream: 'waiting' })).toBe('Reconnecting…');
  expect(word({ stream: 'attaching' })).toBe('Connecting…');
  expect(word({ stream: 'taken' })).toBe('Elsewhere');
  expect(word({ link: 'waiting' })).toBe('Reconnecting…');
  expect(word({ link: 'waiting', known: false })).toBe('Connecting…');
  expect(word({ link: 'unpaired' })).toBe('Offline');
});

it('says nothing about a connection that works, and something about every other', () => {
  expect(linkSentence('live', true)).toBeUndefined();
  for (const link of ['unpaired', 'connecting', 'waiting', 'impostor', 'outdated'] as const)
    expect(linkSentence(link, false)?.text).toMatch(/Pilotfish|program|versions/);
});

it('says how a process ended', () => {
  expect(endedSentence('sh', undefined)).toBe('sh ended.');
  expect(endedSentence('sh', { code: 0 })).toBe('sh ended.');
  expect(endedSentence('sh', { code: 3 })).toBe('sh ended with exit code 3.');
  expect(endedSentence('sh', { code: -1, signal: 'SIGKILL' })).toBe('sh was ended by SIGKILL.');
});
