import { describe, expect, it } from 'vitest';
import { ModelError, type Prompt } from '../core/types';
import { anthropicModel } from './anthropic';
import type { Fetch } from './models';

const tool = { name: 'step', about: 'do', schema: { properties: { a: { type: 'number' } } } };
const prompt = (part: Partial<Prompt> = {}): Prompt => ({
  system: 'rules',
  text: 'the page',
  pictures: [],
  ...part,
});
const json = (body: unknown, status = 200): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });
const message = (content: unknown[], usage: object = {}): unknown => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 4, ...usage },
});

/** Asks once, and returns the answer and the body of the request. */
async function ask(given: Prompt, response: () => Response) {
  let body: Record<string, unknown> = {};
  let calls = 0;
  const call: Fetch = (_, init) => {
    calls += 1;
    body = JSON.parse(init?.body as string) as Record<string, unknown>;
    return Promise.resolve(response());
  };
  const asked = anthropicModel('m', call).complete(given, AbortSignal.timeout(5_000));
  return { answer: await asked, body, calls };
}

describe('a request', () => {
  it('has the rules where the provider can keep them, pictures before the text', async () => {
    const { body } = await ask(prompt({ pictures: ['AAAA'], tool }), () => json(message([])));
    expect(body).toMatchObject({
      model: 'm',
      system: [{ type: 'text', text: 'rules', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'step', description: 'do', input_schema: { type: 'object' } }],
      tool_choice: { type: 'tool', name: 'step' },
    });
    const [{ content }] = body.messages as [{ content: { type: string }[] }];
    expect(content.map(({ type }) => type)).toEqual(['image', 'text']);
  });

  it('without a tool names none', async () => {
    const { body } = await ask(prompt(), () => json(message([])));
    expect([body.tools, body.tool_choice]).toEqual([undefined, undefined]);
  });
});

describe('an answer', () => {
  it('is its text, the first use of the tool, and all tokens', async () => {
    const use = (name: string, input: unknown) => ({ type: 'tool_use', id: 'u', name, input });
    const content = [
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'see' },
      use('other', { a: 0 }),
      use('step', { a: 1 }),
      use('step', { a: 2 }),
    ];
    const usage = { cache_creation_input_tokens: 10, cache_read_input_tokens: 20 };
    const { answer } = await ask(prompt({ tool }), () => json(message(content, usage)));
    expect(answer).toEqual({ text: 'I see', input: { a: 1 }, tokens: 37 });
  });

  it.each([
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    [401, { type: 'error', error: { type: 'authentication_error', message: 'bad key' } }],
  ])('of status %d is an error of the model, asked for once', async (status, body) => {
    let calls = 0;
    const failing = ask(prompt(), () => {
      calls += 1;
      return json(body, status);
    });
    await expect(failing).rejects.toBeInstanceOf(ModelError);
    expect(calls).toBe(1);
  });

  it('that breaks off is an error that says so', async () => {
    await expect(ask(prompt(), () => json('{"content":['))).rejects.toThrow(
      'The answer of the model broke off.',
    );
  });
});
