import { expect, test } from 'vitest';
import { advice } from './advice';

test('a command that a task has under another name is named so', () => {
  expect(advice({ next: [{ command: 'snapshot', does: 'shows what is there now' }] })).toBe(
    'the page of the next turn shows what is there now',
  );
  expect(
    advice({
      next: [
        { command: 'dialog', args: ['accept'], does: 'answers OK' },
        { command: 'dialog', args: ['dismiss'], does: 'answers Cancel' },
      ],
    }),
  ).toBe(
    'the action dialog with answer accept answers OK; the action dialog with answer dismiss answers Cancel',
  );
  expect(advice({ next: [{ command: 'mouse', args: ['up'], does: 'releases it' }] })).toBe(
    'the action mouse releases it',
  );
});

test('what only a command line has is left out', () => {
  expect(
    advice({
      hint: 'the page may hang',
      next: [
        { command: 'reload', does: 'loads it again' },
        { command: '', args: ['--timeout', '1m'], does: 'waits longer' },
        { command: 'rules', args: ['allow', 'open', 'a.example'], does: 'allows it, for the user' },
      ],
    }),
  ).toBe('the page may hang; the action reload loads it again');
  expect(advice({ next: [{ command: 'tabs' }] })).toBe('');
  expect(advice({})).toBe('');
});
