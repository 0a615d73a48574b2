import Anthropic from '@anthropic-ai/sdk';
import type { Answer, Model, Prompt } from '../core/types';
import { asModelError } from './errors';
import { nowhere, whole, type Fetch } from './models';

/** The most tokens of one answer. A step is short; a summary or extracted rows may be longer. */
const maxTokens = 8192;

/** A model with Anthropic's Messages API. */
export function anthropicModel(model: string, call: Fetch): Model {
  const client = new Anthropic({
    ...nowhere,
    fetch: whole(call),
    // The app waits and retries as the provider asks.
    maxRetries: 0,
    // Safe, because no key is present here.
    dangerouslyAllowBrowser: true,
  });
  return {
    async complete(prompt: Prompt, signal: AbortSignal): Promise<Answer> {
      try {
        const message = await client.messages.create(
          {
            model,
            max_tokens: maxTokens,
            // The rules and the tool are the same in every step, so the provider
            // reads them from its cache.
            system: [{ type: 'text', text: prompt.system, cache_control: { type: 'ephemeral' } }],
            messages: [
              {
                role: 'user',
                content: [
                  ...prompt.pictures.map((data) => ({
                    type: 'image' as const,
                    source: { type: 'base64' as const, media_type: 'image/jpeg' as const, data },
                  })),
                  { type: 'text', text: prompt.text },
                ],
              },
            ],
            ...(prompt.tool !== undefined && {
              tools: [
                {
                  name: prompt.tool.name,
                  description: prompt.tool.about,
                  input_schema: { type: 'object' as const, ...prompt.tool.schema },
                },
              ],
              tool_choice: { type: 'tool' as const, name: prompt.tool.name },
            }),
          },
          { signal },
        );
        let text = '';
        let input: unknown;
        for (const block of message.content) {
          if (block.type === 'text') text += block.text;
          else if (block.type === 'tool_use' && block.name === prompt.tool?.name)
            input ??= block.input;
        }
        const { usage } = message;
        return {
          text,
          input,
          tokens:
            usage.input_tokens +
            usage.output_tokens +
            (usage.cache_creation_input_tokens ?? 0) +
            (usage.cache_read_input_tokens ?? 0),
        };
      } catch (error) {
        throw asModelError(error, Anthropic);
      }
    },
  };
}
