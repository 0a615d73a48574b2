import { expect, test } from 'vitest';
import type { Setting } from '$ui/protocol/protocol';
import registry from '../../../backend/config/testdata/registry.json' with { type: 'json' };
import { agents } from '../../test/fakes/scenarios';
import { agentOptions, browserOptions, numberOptions } from './options';

test('the current grace time can always be chosen', () => {
  const setting = registry.settings.find(({ name }) => name === 'terminal_grace_minutes');
  expect(numberOptions(setting as Setting, '30')).toHaveLength(6);
  expect(numberOptions(setting as Setting, '7').at(-1)).toEqual({ value: '7', text: '7 minutes' });
});

test('agents: what automatic means, what is missing, and a command', () => {
  const texts = agentOptions(agents, 'auto').map((option) => option.text);
  expect(texts).toEqual([
    'Automatic (Claude Code)',
    'Claude Code',
    'Codex (not installed)',
    'Shell (bash)',
    'A command of your own…',
  ]);
  expect(agentOptions(agents, 'aider').at(-1)?.value).toBe('aider');
});

test('browsers: none found is said', () => {
  expect(browserOptions([])[0]?.text).toBe('Automatic (none found)');
  expect(browserOptions([{ name: 'Chromium', path: '/c' }]).map((option) => option.value)).toEqual([
    '',
    '/c',
    'other:',
  ]);
});
