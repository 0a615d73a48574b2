import { expect, test } from 'vitest';
import type { ChatEntry } from '$ui/protocol/protocol';
import { wholeAnswer } from './answer';

const cells = (...entries: [id: string, kind: ChatEntry['kind'], text?: string][]) =>
  entries.map(([id, kind, text]) => ({ id, entry: { kind, text } as ChatEntry }));

test('an answer in parts is copied whole, and one of a single text has its own button', () => {
  const all = cells(
    ['u1', 'user', 'Why?'],
    ['a1', 'text', 'Because.'],
    ['e1', 'end'],
    ['u2', 'user', 'And?'],
    ['a2', 'text', 'I look.\n'],
    ['t1', 'tool'],
    ['a3', 'text', '**Ten**'],
    ['e2', 'end'],
    ['a4', 'text', 'more'],
  );
  expect(wholeAnswer(all, 'e2')).toBe('I look.\n\n**Ten**');
  expect(wholeAnswer(all, 'e1')).toBe('');
  expect(wholeAnswer(all, 'none')).toBe('');
});
