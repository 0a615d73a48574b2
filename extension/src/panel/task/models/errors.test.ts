import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { ModelError, type Answer, type Prompt } from '../core/types';
import { anthropicModel } from './anthropic';
import { asModelError } from './errors';
import { openaiModel } from './openai';

const prompt: Prompt = {
  system: 'be brief',
  text: 'what now',
  pictures: [],
  tool: { name: 'step', about: 'do', schema: { properties: {} } },
};
const { signal } = new AbortController();
const json = { 'content-type': 'application/json' };

/** Asks a model of either kind; `answer` is the provider's response. */
function asked(kind: 'anthropic' | 'openai', answer: () => Response | Promise<Response>) {
  const bodies: Record<string, unknown>[] = [];
  const call = async (_: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(init?.body as string) as Record<string, unknown>);
    return answer();
  };
  const model = kind === 'anthropic' ? anthropicModel('m', call) : openaiModel('m', call, 'openai');
  return {
    bodies,
    ask: (more: Partial<Prompt> = {}) => model.complete({ ...prompt, ...more }, signal),
  };
}

describe.each(['anthropic', 'openai'] as const)('a model of %s', (kind) => {
  const fails = async (
    status: number,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<unknown> =>
    asked(
      kind,
      () => new Response(JSON.stringify(body), { status, headers: { ...json, ...headers } }),
    )
      .ask()
      .catch((error: unknown) => error);
  const said = (message: string) => ({ error: { message } });

  it.each<[string, number, object, Record<string, string>, Partial<ModelError>]>([
    [
      'refuses the key',
      401,
      said('bad key.'),
      {},
      { message: 'The provider refuses the key: bad key.', again: false },
    ],
    ['does not know the model', 404, {}, {}, { message: 'The provider does not know this model.' }],
    [
      'is busy',
      429,
      said('slow down'),
      { 'retry-after': '7' },
      { message: 'The model answered with the error 429: slow down.', again: true, wait: 7000 },
    ],
    ['names a date', 503, {}, { 'retry-after': 'Tue' }, { again: true, wait: 0 }],
    ['is broken', 500, {}, {}, { again: true, hint: 'Choose another model.' }],
    ['is asked wrongly', 400, said('x'.repeat(500)), {}, { again: false }],
  ])('that %s is told in words', async (_, status, body, headers, error) => {
    const failure = await fails(status, body, headers);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject(error);
    expect((failure as Error).message.length).toBeLessThan(400);
  });

  it('that the app refuses is told in the app’s words, and not asked again', async () => {
    const body = { error: { code: 'no_key', message: 'There is no key', hint: 'enter it' } };
    expect(await fails(503, body)).toMatchObject({
      message: 'There is no key',
      hint: 'enter it',
      again: false,
    });
  });

  it.each(['', '{"choices":[{"message":{"content":"Ha', '{"content":[{"type":"text","text":"Ha'])(
    'that breaks off after %j ends as an error, and may be asked again',
    async (start) => {
      const { ask } = asked(kind, () => new Response(start, { headers: json }));
      await expect(ask()).rejects.toMatchObject({
        message: 'The answer of the model broke off.',
        again: true,
      });
    },
  );

  it('whose connection is closed while it answers ends as an error', async () => {
    const { ask } = asked(kind, () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"content":[]'));
        },
        pull(controller) {
          controller.error(new TypeError('network error'));
        },
      });
      return new Response(body, { headers: json });
    });
    await expect(ask()).rejects.toMatchObject({
      message: 'The answer of the model broke off.',
      again: true,
    });
  });

  it('that cannot be reached may be asked again', async () => {
    const { ask } = asked(kind, () => Promise.reject(new TypeError('failed')));
    await expect(ask()).rejects.toMatchObject({
      message: 'The model cannot be reached.',
      again: true,
    });
  });
});

it('what is no error of the library stays what it is', () => {
  const own = new Error('mine');
  expect(asModelError(own, Anthropic)).toBe(own);
});

describe('Anthropic’s messages', () => {
  const answers = (...content: object[]) =>
    asked('anthropic', () =>
      Response.json({
        id: 'm',
        type: 'message',
        role: 'assistant',
        content,
        usage: {
          input_tokens: 1,
          output_tokens: 20,
          cache_creation_input_tokens: 300,
          cache_read_input_tokens: null,
        },
      }),
    );

  it('are the words and the first call of the tool, with every token counted', async () => {
    const { ask } = answers(
      { type: 'text', text: 'I ' },
      { type: 'tool_use', id: 'a', name: 'other', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'step', input: { goal: 'a' } },
      { type: 'tool_use', id: 'c', name: 'step', input: { goal: 'b' } },
      { type: 'text', text: 'do' },
    );
    expect(await ask()).toEqual({
      text: 'I do',
      input: { goal: 'a' },
      tokens: 321,
    } satisfies Answer);
  });

  it('have pictures before the text, and the tool by its name', async () => {
    const { bodies, ask } = answers();
    await ask({ pictures: ['AAAA'] });
    expect(bodies[0]).toMatchObject({
      model: 'm',
      system: [{ text: 'be brief', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { data: 'AAAA' } }, { text: 'what now' }],
        },
      ],
      tools: [{ name: 'step', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'tool', name: 'step' },
    });
  });

  it('have no tool where a plain text is wanted', async () => {
    const { bodies, ask } = answers({ type: 'text', text: 'ok' });
    expect(await ask({ tool: undefined } as never)).toMatchObject({ text: 'ok' });
    expect(Object.keys(bodies[0] ?? {})).not.toContain('tools');
  });
});
