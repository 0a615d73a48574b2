import { expect, test } from 'vitest';
import type { AgentsFile } from '$ui/protocol/protocol';
import { mending, modelAgent, profileOf, talkers, usual } from './agents';

const file: AgentsFile = {
  version: 1,
  default: 'shell',
  agents: [
    { kind: 'claude', name: 'Claude Code', installed: false, chatInstall: 'npm install it' },
    { kind: 'shell', name: 'Shell', installed: true },
  ],
  models: [
    { kind: modelAgent('a1'), name: 'Mine', installed: true, chat: 'model', detail: 'OpenAI, m' },
  ],
};

test('each model profile can be talked to, beside Pilot and the agents', () => {
  const agents = talkers(file);
  expect(agents.map(({ kind, installed }) => [kind, installed])).toEqual([
    ['pilot', true],
    ['claude', false],
    ['model:a1', true],
  ]);
  expect(profileOf('model:a1')).toBe('a1');
  expect(profileOf('claude')).toBeUndefined();
});

test('a new conversation has the first agent that can answer', () => {
  expect(usual(talkers(file), 'auto')).toBe('model:a1');
  expect(usual(talkers(file), 'claude')).toBe('claude');
  expect(usual(talkers(file), 'model:removed')).toBe('model:a1');
  expect(usual(talkers({ ...file, models: [] }), 'model:removed')).toBe('pilot');
});

test('what is wrong with a model says how it is mended', () => {
  expect(mending('no_key')).toBe('change');
  expect(mending('unknown_model')).toBe('new');
  expect(mending('busy')).toBeUndefined();
});
