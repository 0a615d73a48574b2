// The two wire formats that providers speak, each through its makers' own library.
// The requests go to the app, which adds the key: none is ever here.
import type { LLMProfile } from '$ui/protocol/protocol';
import type { Model } from '../core/types';

/** How a request reaches the app: a fetch that goes to the profile's model with the panel's token. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What stands where a provider's address and key would: both are the app's business. */
export const nowhere = { baseURL: 'http://model.invalid', apiKey: 'none' };

/** The model of a profile. The library of its wire format is loaded when it is first needed. */
export async function modelOf(profile: LLMProfile, call: Fetch): Promise<Model> {
  if (profile.dialect === 'anthropic') {
    const { anthropicModel } = await import('./anthropic');
    return anthropicModel(profile.model, call);
  }
  const { openaiModel } = await import('./openai');
  return openaiModel(profile.model, call, profile.provider);
}
