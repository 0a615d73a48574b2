import { expect, test } from 'vitest';
import type { LLMProfile, LLMState } from '../protocol/protocol';
import { keyWord, lacksKey, purpose } from './profiles';

const state: LLMState = {
  profiles: [],
  providers: [
    { provider: 'openai', name: 'OpenAI', dialect: 'openai', needsKey: true },
    { provider: 'ollama', name: 'Ollama', dialect: 'openai', needsKey: false },
  ],
  keychain: false,
};

function profile(part: Partial<LLMProfile>): LLMProfile {
  return {
    id: 'a',
    name: 'A',
    provider: 'openai',
    model: 'm',
    for: ['task'],
    dialect: 'openai',
    hasKey: false,
    ...part,
  };
}

test('a key is missing only where one is needed', () => {
  expect(lacksKey(state, profile({}))).toBe(true);
  expect(lacksKey(state, profile({ hasKey: true }))).toBe(false);
  expect(lacksKey(state, profile({ provider: 'ollama' }))).toBe(false);
  // A provider that needs no key was given one, which is now gone.
  expect(lacksKey(state, profile({ provider: 'ollama', keyed: true }))).toBe(true);
  expect(lacksKey(undefined, profile({}))).toBe(false);
  expect(lacksKey(state, undefined)).toBe(false);
});

test('where the key is stands in words', () => {
  expect(keyWord(state, profile({}))).toBe('no key');
  expect(keyWord(state, profile({ hasKey: true, keyKept: 'memory' }))).toBe(
    'key stored until Pilotfish quits',
  );
  expect(keyWord(state, profile({ hasKey: true, keyKept: 'keychain' }))).toBe(
    'key stored in the keychain',
  );
  expect(keyWord(state, profile({ provider: 'ollama' }))).toBe('');
});

test('what a model profile is for stands in words, also a kind of another version', () => {
  expect(purpose(profile({ for: ['task', 'summary', 'dreams'] }))).toBe('tasks, summaries, dreams');
});
