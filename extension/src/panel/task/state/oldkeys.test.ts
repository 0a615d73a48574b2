import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LLMProviderInfo, LLMSaveRequest } from '$ui/protocol/protocol';
import { moveKeys } from './oldkeys';

const providers: LLMProviderInfo[] = [
  {
    provider: 'openai',
    name: 'OpenAI',
    dialect: 'openai',
    url: 'https://api.openai.com/v1',
    needsKey: true,
  },
];

let kept: Record<string, unknown>;

beforeEach(() => {
  kept = {};
  vi.stubGlobal('chrome', {
    storage: {
      local: {
        get: () => Promise.resolve(structuredClone(kept)),
        set: (part: Record<string, unknown>) => {
          Object.assign(kept, part);
          return Promise.resolve();
        },
        remove: (name: string) => {
          kept = Object.fromEntries(Object.entries(kept).filter(([one]) => one !== name));
          return Promise.resolve();
        },
      },
    },
  });
  vi.stubGlobal('navigator', {
    locks: { request: (_: string, work: () => Promise<void>) => work() },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('a key goes to the app and leaves the browser; what is no key stays', async () => {
  kept = {
    llmConfig: { apiKey: 'sk-old', baseURL: 'https://api.openai.com/v1/', model: 'gpt' },
    elsewhere: { apiKey: 'k2', baseURL: 'https://models.example/v1', theme: 'dark' },
    'pilotfish.task': { steps: 40 },
    empty: { apiKey: ' ' },
  };
  const saved: LLMSaveRequest[] = [];
  await moveKeys(providers, (request) => {
    saved.push(request);
    return Promise.resolve(true);
  });
  expect(kept).toEqual({
    elsewhere: { theme: 'dark' },
    'pilotfish.task': { steps: 40 },
    empty: { apiKey: ' ' },
  });
  expect(
    saved.map(({ profile, key }) => [profile.provider, profile.url, profile.model, key]),
  ).toEqual([
    ['openai', undefined, 'gpt', 'sk-old'],
    ['compatible', 'https://models.example/v1', '', 'k2'],
  ]);
});

test('a key that the app does not take is not lost', async () => {
  kept = { llmConfig: { apiKey: 'sk-old', baseURL: 'http://models.example/v1' } };
  await moveKeys(providers, () => Promise.resolve(false));
  expect(kept).toHaveProperty('llmConfig.apiKey', 'sk-old');
});
