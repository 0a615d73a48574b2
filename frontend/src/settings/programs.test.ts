import { describe, expect, test } from 'vitest';
import type { Program } from '$ui/protocol/protocol';
import { extras, imported, isAddress, ordered, outcome, standing } from './programs';

const zed: Program = {
  name: 'zed',
  title: 'Zed',
  installed: true,
  connected: false,
  current: false,
  file: '/home/ada/.config/zed/settings.json',
};
const on: Program = { ...zed, connected: true, current: true };

describe('programs', () => {
  test('say how they stand', () => {
    expect(standing(zed)).toEqual({ text: 'Not connected', tone: 'off' });
    expect(standing({ ...zed, installed: false }).text).toBe('Not installed');
    expect(standing(on)).toEqual({ text: 'Connected', tone: 'ok' });
    expect(standing({ ...on, current: false }).text).toBe('Connected to another Pilotfish');
    expect(standing({ ...on, problem: 'no' })).toEqual({
      text: 'Settings cannot be read',
      tone: 'warn',
    });
  });

  test('those that matter come first, in the order of the list', () => {
    const none = { ...zed, name: 'none', installed: false };
    expect(ordered([none, zed, on]).map((one) => [one.name, one.connected])).toEqual([
      ['zed', true],
      ['zed', false],
      ['none', false],
    ]);
  });

  test('say what was done', () => {
    const done = { program: 'zed', change: '+ x', tools: 9 };
    expect(outcome(on, done)).toBe(
      'Zed is connected: the server starts and has 9 tools. Restart Zed if it runs.',
    );
    expect(outcome(on, { ...done, change: '', tools: 1 })).toContain('was connected already: the');
    expect(outcome(zed, done)).toContain('is not connected any more');
    expect(outcome(zed, { ...done, change: '' })).toBe('Zed was not connected.');
    expect(
      outcome(on, {
        ...done,
        problem: { code: 'not_running', message: 'it ends at once', hint: 'look at its log' },
      }),
    ).toBe('Zed is connected, but its server does not start: it ends at once. Look at its log.');
  });
});

describe('MCP servers', () => {
  test('say what goes to them, without values', () => {
    const hub = { name: 'hub', line: 'https://hub.example', permission: 'ask' };
    expect(extras(hub)).toBe('');
    expect(extras({ ...hub, headers: ['A', 'B'], from: 'claude' })).toBe('with A, B · from claude');
  });

  test('say what was imported', () => {
    expect(imported('Zed', { servers: [] })).toBe('Zed has no other MCP servers.');
    expect(
      imported('Zed', { servers: [], taken: ['a'], left: [{ name: 'b', why: 'it speaks SSE' }] }),
    ).toBe(
      'Imported from Zed: a. You are asked before an agent gets one. b is left out: it speaks SSE.',
    );
  });

  test.each([
    ['https://hub.example/mcp', true],
    ['http://127.0.0.1:8080', true],
    ['npx -y files https://x', false],
    ['', false],
  ])('%s', (line, is) => {
    expect(isAddress(line)).toBe(is);
  });
});
