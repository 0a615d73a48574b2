import { expect, test } from 'vitest';
import type { SessionState, WindowState } from '$ui/protocol/protocol';
import { decisionOptions, decisionWord, kindOptions, kindWord } from '../settings/siterules';
import { overall } from './overall';

const state = (states: SessionState[], part: Partial<WindowState> = {}) =>
  ({
    version: '0.1.0',
    port: 4711,
    sessions: states.map((one) => ({ state: one })),
    ...part,
  }) as WindowState;

test.each<[string, WindowState | undefined, boolean, string, string]>([
  ['starts', undefined, false, 'busy', 'Pilotfish is starting'],
  ['does not answer', undefined, true, 'danger', 'The app does not respond'],
  ['runs a session', state(['stopped', 'running']), false, 'ok', 'Local server on port 4711'],
  ['runs none', state(['stopped']), false, 'off', 'Local server on port 4711'],
  [
    'has a failed session',
    state(['running', 'failed']),
    false,
    'danger',
    'Local server on port 4711',
  ],
  [
    'has a problem',
    state(['running'], { problem: { code: 'not_writable', message: 'no' } }),
    false,
    'danger',
    'Local server on port 4711',
  ],
  [
    'has no server',
    state(['running'], { port: 0 }),
    false,
    'danger',
    'The local server is not running',
  ],
  ['failed before, and answers now', state([]), true, 'off', 'Local server on port 4711'],
])('an app that %s', (_, now, failed, tone, detail) => {
  expect(overall(now, failed)).toMatchObject({ tone, detail });
});

test('each kind of action and each decision can be chosen, by words of its own', () => {
  for (const [options, word] of [
    [kindOptions, kindWord],
    [decisionOptions, decisionWord],
  ] as const) {
    expect(new Set(options.map(({ text }) => text)).size).toBe(options.length);
    for (const { value, text } of options)
      expect((word as (value: string) => string)(value)).toBe(text);
  }
  expect(decisionOptions.map(({ value }) => value)).toEqual(['allow', 'ask', 'deny']);
});
