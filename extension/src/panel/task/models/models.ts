// The two wire formats of the providers, each with its provider's own library. The
// requests go to the app, which adds the key. No key is ever here.
import type { LLMProfile } from '$ui/protocol/protocol';
import { ModelError, type Model } from '../core/types';

/** Sends a request to the app for the profile's model, with the panel's token. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Reads an answer to its end before the library gets it. An answer that breaks off is an error
 * that names this, and never a finished answer.
 */
export function whole(call: Fetch): Fetch {
  return async (url, init) => {
    const response = await call(url, init);
    try {
      const text = await response.text();
      if (response.ok) JSON.parse(text);
      const { status, statusText, headers } = response;
      return new Response(text, { status, statusText, headers });
    } catch {
      throw new ModelError('The answer of the model broke off.', 'Try again.', true);
    }
  };
}

/** Placeholders for the provider's address and key; the app replaces both. */
export const nowhere = { baseURL: 'http://model.invalid', apiKey: 'none' };

/** The model of a profile. The library of its wire format is loaded on first use. */
export async function modelOf(profile: LLMProfile, call: Fetch): Promise<Model> {
  if (profile.dialect === 'anthropic') {
    const { anthropicModel } = await import('./anthropic');
    return anthropicModel(profile.model, call);
  }
  const { openaiModel } = await import('./openai');
  return openaiModel(profile.model, call, profile.provider);
}
