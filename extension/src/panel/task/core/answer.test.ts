import { expect, test } from 'vitest';
import { answered, answerOf } from './answer';

test('an answer is read as it was given', () => {
  expect(answered('Skip')).toEqual({ ok: true, text: 'The person answers: Skip', answer: 'Skip' });
  expect(answerOf({ text: 'in any words', answer: ' Skip ' })).toBe('Skip');
});

test('an answer in a journal of an older version is read from its text', () => {
  expect(answerOf({ text: 'The person answers: skip' })).toBe('skip');
  expect(answerOf({ text: 'skip' })).toBe('skip');
});
