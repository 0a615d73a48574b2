import { expect, test } from 'vitest';
import type { LLMProvider } from '$ui/protocol/protocol';
import { openaiModel } from './openai';

/** Asks a model for a step, and returns the body of the request. */
async function asked(provider: LLMProvider): Promise<Record<string, unknown>> {
  let body: unknown;
  const model = openaiModel(
    'm',
    (_, init) => {
      body = JSON.parse(init?.body as string);
      const call = { id: 'c', type: 'function', function: { name: 'step', arguments: '{"a":1}' } };
      const message = { role: 'assistant', content: null, tool_calls: [call] };
      const answer = { choices: [{ message }], usage: { total_tokens: 7 } };
      return Promise.resolve(
        new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } }),
      );
    },
    provider,
  );
  const tool = { name: 'step', about: 'do', schema: { type: 'object' } };
  const answer = await model.complete(
    { system: 's', text: 't', pictures: [], tool },
    AbortSignal.timeout(5_000),
  );
  expect(answer).toEqual({ text: '', input: { a: 1 }, tokens: 7 });
  return body as Record<string, unknown>;
}

test('the tool is named where that is taken, and required where it is not', async () => {
  for (const provider of ['openai', 'azure', 'google', 'deepseek', 'qwen', 'compatible'] as const)
    expect((await asked(provider)).tool_choice).toEqual({
      type: 'function',
      function: { name: 'step' },
    });
  for (const provider of ['mistral', 'lmstudio', 'llamacpp', 'ollama'] as const)
    expect((await asked(provider)).tool_choice).toBe('required');
});
