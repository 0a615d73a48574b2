import { describe, expect, it } from 'vitest';
import type { ChatEnd } from '$ui/protocol/protocol';
import {
  contextShare,
  contextWords,
  duration,
  endedWell,
  endWords,
  routeRule,
  routeWord,
  toolLine,
  usageWords,
} from './words';

it('says durations as people do', () => {
  expect([duration(0.2), duration(84), duration(2_140), duration(61_000)]).toEqual([
    '1 ms',
    '84 ms',
    '2.1 s',
    '1 min 1 s',
  ]);
});

it('says what was used, and nothing that the agent did not say', () => {
  expect(usageWords({ input: 1_200, output: 34, cost: 0.0123 })).toBe('1.2K tokens · $0.0123');
  expect(usageWords({ cost: 1.5, currency: 'EUR' })).toBe('EUR 1.50');
  expect(usageWords(undefined)).toBe('');
  expect(contextWords({ context: 50_000, contextSize: 200_000 })).toBe('25 % of 200K');
  expect(contextWords({})).toBe('');
  expect(contextShare({ context: 50_000, contextSize: 200_000 })).toBe('25 %');
  expect(contextShare({ context: 50_000 })).toBe('');
});

it('knows what a message suggests for good', () => {
  const reason = 'x';
  expect(routeRule({ kind: 'strong', reason, word: 'find bugs' }, 'find bugs')).toMatchObject({
    word: 'find bugs',
    strong: false,
  });
  expect(routeRule({ kind: 'strong', reason }, 'a long text')).toBeUndefined();
  expect(routeRule({ kind: 'fast', reason }, ' Please Tidy the form')).toMatchObject({
    word: 'tidy',
    strong: true,
  });
  expect(routeRule({ kind: 'instant', reason }, 'ärgere dich nicht')?.word).toBe('ärgere');
  expect(routeRule({ kind: 'fast', reason }, '/screenshot')).toBeUndefined();
});

describe('the end of a turn', () => {
  const end = (part: Partial<ChatEnd>): ChatEnd => ({ reason: 'done', durationMs: 300, ...part });

  it('has a line for each reason', () => {
    expect(endWords(end({}), 'Pilot')).toBe('Done in 300 ms');
    expect(endWords(end({ reason: 'cancelled' }), 'Pilot')).toBe('Stopped by you');
    expect(endWords(end({ reason: 'crashed' }), 'Codex')).toBe('Codex stopped unexpectedly');
    const error = { code: 'internal' as const, message: 'Codex ended with exit code 3.' };
    expect(endWords(end({ reason: 'crashed', error }), 'Codex')).toBe(error.message);
  });

  it('is good when it is done or was wanted', () => {
    expect(endedWell(end({}))).toBe(true);
    expect(endedWell(end({ reason: 'max_turns' }))).toBe(false);
  });
});

it('prefers our own words for a step in the browser', () => {
  const tool = { call: 'c', kind: 'browser', status: 'done' as const, content: [], title: 'act' };
  expect(toolLine({ ...tool, line: 'Clicked Save' })).toBe('Clicked Save');
  expect(toolLine(tool)).toBe('act');
  expect(toolLine({ ...tool, title: '' })).toBe('browser');
});

it('names the model on a route where there is one', () => {
  expect(routeWord({ kind: 'strong', reason: '', model: 'opus' })).toBe('opus');
  expect(routeWord({ kind: 'instant', reason: '' })).toBe('Instant');
});
