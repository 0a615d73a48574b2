import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as timing from './timing';

const go = readFileSync(new URL('../../../../backend/protocol/limits.go', import.meta.url), 'utf8');

/** The value of a constant of the backend: milliseconds or a plain number. */
function limit(name: string): number {
  const source = new RegExp(`\\b${name}\\s*=\\s*([^/\\n]+)`).exec(go)?.[1]?.trim() ?? '';
  const units: Record<string, string> = {
    'time.Millisecond': '1',
    'time.Second': '1000',
    'time.Minute': '60000',
  };
  const plain = source.replaceAll(/time\.\w+/g, (unit) => units[unit] ?? unit).replaceAll('_', '');
  const [, left = plain, operator = '*', right = '1'] =
    /^(\d+)\s*(\*|<<)\s*(\d+)$/.exec(plain) ?? [];
  return operator === '*' ? Number(left) * Number(right) : Number(left) * 2 ** Number(right);
}

it.each([
  ['PingInterval', timing.PING_INTERVAL],
  ['DeadAfter', timing.DEAD_AFTER],
  ['AckEvery', timing.ACK_EVERY],
  ['CheckpointEvery', timing.CHECKPOINT_EVERY],
  ['CheckpointQuiet', timing.CHECKPOINT_QUIET],
  ['MaxCheckpoint', timing.MAX_CHECKPOINT],
  ['MinCols', timing.MIN_COLS],
  ['MaxCols', timing.MAX_COLS],
  ['MinRows', timing.MIN_ROWS],
  ['MaxRows', timing.MAX_ROWS],
  ['MaxAttachment', timing.MAX_ATTACHMENT],
  ['RestartBackoffMin', timing.RECONNECT_MIN],
  ['RestartBackoffMax', timing.RECONNECT_MAX],
])('%s is the same on both sides', (name, ours) => {
  expect(ours).toBe(limit(name));
});

it('acknowledges long before the backend would stop reading', () => {
  expect(timing.ACK_EVERY * 4).toBeLessThan(limit('AckWindow'));
});
