import { expect, test } from 'vitest';
import type { Client, StoredData } from '$ui/protocol/protocol';
import { ageWord, clientWord, revokeWord, span } from './clients';
import { amountWord, inUse, sessionOptions, sizeWord } from './stored';

const now = Date.parse('2026-11-20T12:00:00Z');
const client: Client = {
  id: 'a',
  kind: 'mcp',
  name: 'Zed',
  made: '2026-11-20T11:00:00Z',
  open: 0,
};

test('a client says since when it has its token, and when it last used it', () => {
  expect(ageWord(client, now)).toBe('Connected 60 min ago · not used yet');
  expect(ageWord({ ...client, kind: 'chat', used: '2026-11-20T11:59:50Z', open: 2 }, now)).toBe(
    'Token made 60 min ago · last used 10 s ago · 2 open connections',
  );
  expect(ageWord({ ...client, revoked: '2026-11-18T11:00:00Z' }, now)).toBe('Revoked 2 days ago');
  expect(clientWord(client)).toBe('Program connected by MCP · all sessions');
  expect(clientWord({ ...client, kind: 'terminal', session: 'work', tab: 't2' })).toBe(
    'Agent in a terminal · session work, tab t2',
  );
  expect(revokeWord({ ...client, kind: 'panel', name: 'Side panel' })).toContain('at once');
  // A clock that was set back.
  expect([span(-5), span(119_000), span(7_199_000), span(172_799_000)]).toEqual([
    '0 s',
    '119 s',
    '119 min',
    '47 h',
  ]);
});

const data: StoredData = {
  kind: 'tasks',
  title: 'Tasks',
  about: '',
  loss: '',
  unit: 'task',
  parts: [
    { session: 'default', bytes: 1500, count: 1, oldest: '2026-02-03T09:30:00Z', inUse: true },
    { session: 'work', bytes: 10, count: 2, oldest: '2026-01-03T09:30:00.5Z' },
  ],
};

test('stored data says how much there is, since when, and who uses it', () => {
  expect([999, 1500, 2_500_000, 3_000_000_000].map(sizeWord)).toEqual([
    '999 B',
    '2 kB',
    '2.5 MB',
    '3.0 GB',
  ]);
  expect(amountWord(data)).toMatch(/^3 tasks · oldest from .*Jan.*2026.* · 2 sessions$/);
  expect(amountWord({ ...data, parts: [] })).toBe('Nothing stored');
  expect(amountWord({ ...data, parts: [{ bytes: 0, count: 1 }] })).toBe('1 task');
  expect(sessionOptions(data).map(({ value }) => value)).toEqual(['', 'default', 'work']);
  expect(sessionOptions({ ...data, parts: data.parts.slice(1) })).toEqual([]);
  expect([inUse(data, ''), inUse(data, 'default'), inUse(data, 'work')]).toEqual([
    ['default'],
    ['default'],
    [],
  ]);
});
