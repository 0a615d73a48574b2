// The model profiles of the fake app: one with a key, one whose key is gone, and a server that
// answers on this machine.
import type {
  LLMProfile,
  LLMProfileRequest,
  LLMSaveRequest,
  LLMState,
} from '../../ui/protocol/protocol';

export function fakeModels(keychain: boolean): Record<string, (...args: unknown[]) => unknown> {
  const state: LLMState = {
    profiles: [
      {
        id: 'work',
        name: 'Work',
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        for: ['task', 'program'],
        dialect: 'anthropic',
        hasKey: true,
        keyKept: keychain ? 'keychain' : 'memory',
      },
      {
        id: 'short',
        name: 'OpenAI',
        provider: 'openai',
        model: 'gpt-5-mini',
        for: ['summary'],
        dialect: 'openai',
        hasKey: false,
      },
    ],
    providers: [
      {
        provider: 'anthropic',
        name: 'Anthropic',
        dialect: 'anthropic',
        url: 'https://api.anthropic.com/v1',
        needsKey: true,
        keyUrl: 'https://console.anthropic.com/settings/keys',
      },
      {
        provider: 'openai',
        name: 'OpenAI',
        dialect: 'openai',
        url: 'https://api.openai.com/v1',
        needsKey: true,
      },
      { provider: 'compatible', name: 'OpenAI-compatible', dialect: 'openai', needsKey: false },
      {
        provider: 'ollama',
        name: 'Ollama',
        dialect: 'openai',
        url: 'http://127.0.0.1:11434/v1',
        needsKey: false,
      },
    ],
    keychain,
  };
  return {
    Models: () => state,
    SaveModel: (given) => {
      const { profile, key } = given as LLMSaveRequest;
      const saved: LLMProfile = { ...profile, id: profile.id === '' ? 'new' : profile.id };
      saved.name = profile.name === '' ? profile.provider : profile.name;
      const kept = keychain ? 'keychain' : 'memory';
      if (key !== undefined) Object.assign(saved, { hasKey: true, keyKept: kept });
      const at = state.profiles.findIndex(({ id }) => id === saved.id);
      if (at < 0) state.profiles.push(saved);
      else state.profiles[at] = saved;
      return state;
    },
    DeleteModel: (request) => {
      const { profile: id } = request as LLMProfileRequest;
      state.profiles = state.profiles.filter((one) => one.id !== id);
      return state;
    },
    ListModels: () => ({ models: [{ id: 'large' }, { id: 'small', name: 'Small' }] }),
    TestModel: (request) =>
      (request as LLMProfileRequest).profile === 'short'
        ? { ok: false, message: 'OpenAI has no key', hint: 'enter one in the settings', millis: 1 }
        : { ok: true, message: 'It works', millis: 640 },
    LocalModels: () => ({
      found: [
        {
          provider: 'ollama',
          name: 'Ollama',
          url: 'http://127.0.0.1:11434/v1',
          models: [{ id: 'qwen3' }],
        },
      ],
    }),
  };
}
