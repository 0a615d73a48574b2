import type { LLMProvider, LLMProviderInfo, LLMSaveRequest } from '$ui/protocol/protocol';
import * as v from 'valibot';

/** A model's settings as older versions stored them in the browser, with the key. */
const oldSchema = v.looseObject({
  apiKey: v.pipe(v.string(), v.trim(), v.minLength(1)),
  baseURL: v.optional(v.string(), ''),
  model: v.optional(v.string(), ''),
});

/**
 * Moves keys that an older version left in the browser's storage to the app, and
 * deletes them here. A key that the app refuses stays, and is tried again at the
 * next start. The lock makes the panels of several windows do this one after the
 * other.
 */
export function moveKeys(
  providers: readonly LLMProviderInfo[],
  save: (request: LLMSaveRequest) => Promise<boolean>,
): Promise<void> {
  return navigator.locks.request('pilotfish.oldkeys', async () => {
    for (const [name, value] of Object.entries(await chrome.storage.local.get(null))) {
      const old = v.safeParse(oldSchema, value);
      if (!old.success) continue;
      const { apiKey, baseURL, model, ...rest } = old.output;
      const request = requestOf({ apiKey, baseURL: baseURL.trim(), model }, providers);
      if (!(await save(request))) continue;
      // Keep other data that was stored beside the key.
      if (Object.keys(rest).length === 0) await chrome.storage.local.remove(name);
      else await chrome.storage.local.set({ [name]: rest });
    }
  });
}

function requestOf(
  old: { readonly apiKey: string; readonly baseURL: string; readonly model: string },
  providers: readonly LLMProviderInfo[],
): LLMSaveRequest {
  const known = providers.find(
    (one) => one.url !== undefined && hostOf(one.url) === hostOf(old.baseURL),
  );
  const provider: LLMProvider =
    known?.provider ??
    (old.baseURL === ''
      ? 'openai'
      : old.baseURL.includes('.openai.azure.com')
        ? 'azure'
        : 'compatible');
  const own = known?.url !== old.baseURL.replace(/\/+$/, '') && old.baseURL !== '';
  return {
    profile: {
      id: '',
      name: '',
      provider,
      model: old.model,
      for: ['task'],
      dialect: 'openai',
      hasKey: false,
      ...(own && { url: old.baseURL }),
    },
    key: old.apiKey,
  };
}

/** The host of a URL; the text itself if it is not a URL. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
