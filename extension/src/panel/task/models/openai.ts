import OpenAI from 'openai';
import type { LLMProvider } from '$ui/protocol/protocol';
import type { Answer, Model, Prompt } from '../core/types';
import { asModelError } from './errors';
import { nowhere, whole, type Fetch } from './models';

/**
 * Providers that do not accept the name of the tool to call. They accept
 * "required", which has the same effect because there is only one tool.
 */
const unnamed: readonly LLMProvider[] = ['mistral', 'lmstudio', 'llamacpp', 'ollama'];

/** A model with OpenAI's chat completions API, which most providers offer. */
export function openaiModel(model: string, call: Fetch, provider: LLMProvider): Model {
  const client = new OpenAI({
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
        const completion = await client.chat.completions.create(
          {
            model,
            messages: [
              { role: 'system', content: prompt.system },
              {
                role: 'user',
                // Servers without image support accept only a plain text.
                content:
                  prompt.pictures.length === 0
                    ? prompt.text
                    : [
                        { type: 'text', text: prompt.text },
                        ...prompt.pictures.map((data) => ({
                          type: 'image_url' as const,
                          image_url: { url: `data:image/jpeg;base64,${data}` },
                        })),
                      ],
              },
            ],
            ...(prompt.tool !== undefined && {
              tools: [
                {
                  type: 'function' as const,
                  function: {
                    name: prompt.tool.name,
                    description: prompt.tool.about,
                    parameters: prompt.tool.schema,
                  },
                },
              ],
              tool_choice: unnamed.includes(provider)
                ? ('required' as const)
                : { type: 'function' as const, function: { name: prompt.tool.name } },
            }),
          },
          { signal },
        );
        const message = completion.choices[0]?.message;
        const use = message?.tool_calls?.find(
          (one) => one.type === 'function' && one.function.name === prompt.tool?.name,
        );
        const input = use?.type === 'function' ? parsed(use.function.arguments) : undefined;
        return { text: message?.content ?? '', input, tokens: completion.usage?.total_tokens ?? 0 };
      } catch (error) {
        throw asModelError(error, OpenAI);
      }
    },
  };
}

/** The arguments should be JSON. If they are not, `readAnswer` reports what is wrong. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
