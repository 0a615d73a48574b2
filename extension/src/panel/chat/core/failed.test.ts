import { expect, it } from 'vitest';
import type { ChatEntry } from '$ui/protocol/protocol';
import { failedAnswer } from './failed';

const cell = (id: string, part: Partial<ChatEntry> & Pick<ChatEntry, 'kind'>) => ({
  id,
  entry: { id, index: 1, at: '2026-11-21T09:30:00Z', ...part },
});
const asked = cell('e1', { kind: 'user', text: 'hello' });
const ended = (reason: 'done' | 'failed' | 'crashed' | 'restarted' | 'cancelled') =>
  cell('e3', { kind: 'end', end: { reason, durationMs: 5 } });

it.each(['failed', 'crashed', 'restarted'] as const)('an answer that %s', (reason) => {
  const cells = [asked, cell('e2', { kind: 'text', text: 'well' }), ended(reason)];
  expect(failedAnswer(cells)).toEqual({ message: asked.entry, end: 'e3' });
});

it('is none when it was complete, stopped by the user, or followed by another message', () => {
  expect(failedAnswer([])).toBeUndefined();
  expect(failedAnswer([asked, ended('done')])).toBeUndefined();
  expect(failedAnswer([asked, ended('cancelled')])).toBeUndefined();
  expect(failedAnswer([asked, ended('failed'), cell('e4', { kind: 'user' })])).toBeUndefined();
});
