import OpenAI from 'openai';
import type { LLMProvider } from '$ui/protocol/protocol';
import type { Answer, Model, Prompt } from '../core/types';
import { asModelError } from './errors';
import { nowhere, type Fetch } from './models';

/**
 * Those that take no function by its name to be called, but that one must be
 * called: there is only one.
 */
const unnamed: readonly LLMProvider[] = ['mistral', 'lmstudio', 'llamacpp', 'ollama'];

/** A model that speaks OpenAI's chat completions, as nearly everybody does. */
export function openaiModel(model: string, call: Fetch, provider: LLMProvider): Model {
  const client = new OpenAI({
    ...nowhere,
    fetch: call,
    // The app waits and asks again as the provider says.
    maxRetries: 0,
    // There is no key here that could be seen.
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
                // Servers without pictures take a plain text only.
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

/** The arguments are a text that should be JSON; the reader of answers says what is wrong with others. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
