import { expect, it } from 'vitest';
import { chatAgentOptions, spoken } from './chat';

it('offers who can be talked to, and says of the others that they are missing', () => {
  const agents = {
    version: 1,
    default: 'shell',
    agents: [
      { kind: 'shell', name: 'Shell', installed: true },
      { kind: 'claude', name: 'Claude Code', installed: true, chat: 'acp' },
      { kind: 'codex', name: 'Codex', installed: true },
    ],
  };
  const options = chatAgentOptions(agents, 'gone');
  expect(options.map(({ value }) => value)).toEqual([
    'auto',
    'pilot',
    'claude',
    'codex',
    'custom',
    'gone',
  ]);
  expect(options[3]?.text).toBe('Codex (not installed)');
});

it('reads words with commas between', () => {
  expect(spoken(' why, how … ,,read … and …')).toEqual(['why', 'how …', 'read … and …']);
});
