import { describe, expect, it } from 'vitest';
import { end, kinds, make } from './fakes/loop';
import { step } from './fakes/world';
import { recipeOf } from './recipe';
import { recorded, untold } from './record';
import { describeStep, readAction } from './step';
import { systemPrompt } from './prompt';
import { mostLetters, toolLines } from './tools';
import type { Action, Result, ServerTools } from './types';
import { inWords } from './words';

const schema = {
  type: 'object',
  required: ['query'],
  properties: {
    query: { type: 'string', description: 'words\nto find' },
    limit: { type: ['integer', 'null'] },
    in: { enum: ['title', 'text'] },
    tags: { type: 'array', items: { type: 'string' } },
    range: { type: 'object', required: ['from'], properties: { from: { type: 'number' } } },
    any: {},
  },
};

describe('the lines of the tools', () => {
  it('are declarations', () => {
    expect(
      toolLines([
        {
          name: 'docs',
          tools: [
            { name: 'search', description: 'finds\npages', schema },
            { name: 'ping', schema: { type: 'object' } },
            { name: 'large' },
          ],
        },
      ]),
    ).toBe(
      [
        'server docs:',
        '- search(query: string (words to find), limit?: integer | null, in?: "title" | "text", tags?: (string)[], range?: {from: number}, any?: any): finds pages',
        '- ping()',
        '- large(…)',
      ].join('\n'),
    );
  });

  it('are none without tools, and bounded with many', () => {
    expect(toolLines([{ name: 'docs', tools: [] }])).toBe('');
    const tools = Array.from({ length: 100 }, (_, i) => ({
      name: `t${String(i)}`,
      description: 'x'.repeat(290),
    }));
    const text = toolLines([{ name: 'docs', tools }]);
    expect(text.length).toBeLessThan(mostLetters + 100);
    expect(text).toMatch(/… \d+ more tools are left out$/);
  });

  it('survive schemas that are none', () => {
    for (const odd of [null, 3, 'x', [], { properties: [] }, { properties: { a: null } }])
      expect(toolLines([{ name: 'd', tools: [{ name: 't', schema: odd }] }])).toContain('- t(');
    let deep: unknown = { type: 'string' };
    for (let i = 0; i < 50; i += 1) deep = { type: 'object', properties: { a: deep } };
    expect(toolLines([{ name: 'd', tools: [{ name: 't', schema: deep }] }])).toContain('object');
  });
});

const use = { do: 'tool', server: 'docs', tool: 'search', arguments: { query: 'milk' } } as const;

/** Servers that record their calls. */
class Servers implements ServerTools {
  readonly calls: Action[] = [];
  answer: (signal: AbortSignal) => Promise<Result> = () =>
    Promise.resolve({
      ok: true,
      text: '3 pages, key hunter2',
      kept: { arguments: { query: '•' }, text: '3 pages' },
    });
  offers: ServerTools['offered'] = () =>
    Promise.resolve({ told: '- search(query: string)', notices: ['One is left out.'] });
  offered = (signal: AbortSignal) => this.offers(signal);
  call = (action: Action & { do: 'tool' }, signal: AbortSignal): Promise<Result> => {
    this.calls.push(action);
    return this.answer(signal);
  };
}

describe('a task with servers', () => {
  it('tells the model of the tools, uses one, and returns its answer to the model', async () => {
    const tools = new Servers();
    const { loop, model, events } = make([step('look', use), end], { tools });
    expect((await loop.run()).state).toBe('done');
    expect(tools.calls).toEqual([use]);
    const [first, second] = model.prompts;
    expect(first?.text).toContain('# Tools of MCP servers, for the action tool\n- search(');
    expect(first?.system).toBe(systemPrompt({ eval: false, tools: true }));
    expect(JSON.stringify(first?.tool?.schema)).toContain('"arguments"');
    expect(second?.text).toContain('Use search of docs: 3 pages, key hunter2');
    expect(kinds(events).slice(0, 3)).toEqual(['status', 'preparing', 'notice']);
  });

  it('returns errors to the model, and goes on without servers that cannot be listed', async () => {
    const tools = new Servers();
    tools.offers = () => Promise.reject(new Error('It is offline.'));
    tools.answer = () => Promise.reject(new Error('Lost.'));
    const { loop, model, events } = make([step('look', use), end], { tools });
    expect((await loop.run()).state).toBe('done');
    expect(model.prompts[0]?.text).not.toContain('MCP');
    expect(model.prompts[1]?.text).toContain('FAILED (internal): Lost.');
    expect(events.find(({ kind }) => kind === 'notice')).toMatchObject({
      text: 'The task goes on without your MCP servers: It is offline.',
    });
  });

  it('stops in the middle of a call, and while the servers start', async () => {
    const never = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        const give = () => {
          reject(signal.reason as Error);
        };
        if (signal.aborted) give();
        signal.addEventListener('abort', give);
      });
    const tools = new Servers();
    tools.answer = never;
    const { loop, until } = make([step('look', use), end], { tools });
    const over = loop.run();
    await until('acting');
    loop.stop();
    expect((await over).state).toBe('stopped');

    const starting = new Servers();
    starting.offers = never;
    const second = make([end], { tools: starting });
    const stopped = second.loop.run();
    await second.until('preparing');
    second.loop.stop();
    expect((await stopped).state).toBe('stopped');
  });

  it('pauses after a call that is on its way', async () => {
    const tools = new Servers();
    let answered: (result: Result) => void = () => undefined;
    tools.answer = () =>
      new Promise((resolve) => {
        answered = resolve;
      });
    const { loop, until, model } = make([step('look', use), end], { tools });
    const over = loop.run();
    await until('acting');
    await Promise.resolve();
    loop.pause();
    const paused = until('status');
    answered({ ok: true, text: 'found' });
    expect(await paused).toMatchObject({ status: 'paused' });
    loop.resume();
    expect((await over).state).toBe('done');
    expect(model.prompts[1]?.text).toContain('Use search of docs: found');
  });
});

describe('without servers', () => {
  it('nothing in a prompt names them, and the action is refused', async () => {
    const { loop, model } = make([step('look', use), end]);
    expect((await loop.run()).state).toBe('done');
    const [first, second] = model.prompts;
    expect(first?.text).not.toContain('MCP');
    expect(first?.system).not.toContain('MCP');
    expect(JSON.stringify(first?.tool)).not.toMatch(/MCP|"tool"|arguments/);
    expect(second?.text).toContain('FAILED (refused): The person has no MCP servers.');
    expect(describeStep({ eval: true, vision: true })).toEqual(
      describeStep({ eval: true, vision: true, tools: false }),
    );
  });
});

describe('the action', () => {
  it('takes its arguments as an object, or as its text', () => {
    expect(readAction(use)).toEqual(use);
    expect(readAction({ ...use, arguments: '{"query":"milk"}' })).toEqual(use);
    expect(readAction({ do: 'tool', server: 'docs', tool: 'ping', arguments: null })).toEqual({
      do: 'tool',
      server: 'docs',
      tool: 'ping',
    });
    for (const wrong of [[1], 3, '[1]', 'milk'])
      expect(readAction({ ...use, arguments: wrong })).toContain('it is no object');
    expect(readAction({ do: 'tool', server: 'docs' })).toContain('tool: it is missing');
  });

  it('is written with credentials masked, and is no part of a recording', () => {
    const result: Result = {
      ok: true,
      text: 'key hunter2',
      kept: { arguments: { query: '•' }, text: 'key •' },
    };
    const secret: Action = { ...use, arguments: { query: 'hunter2' } };
    const whole = {
      n: 1,
      tab: 't1',
      url: 'https://a.test/',
      title: 'A',
      thought: { evaluation: '', memory: '', goal: 'look', actions: [secret, secret] },
      deeds: [{ action: secret, result }],
      tokens: 0,
      took: 0,
      modelTook: 0,
    };
    const written = recorded(whole, '', []);
    expect(JSON.stringify(written)).not.toContain('hunter2');
    expect(written.deeds[0]).toMatchObject({
      action: { ...use, arguments: { query: '•' } },
      result: { ok: true, text: 'key •' },
    });
    expect(JSON.stringify(untold(whole).thought)).not.toContain('hunter2');
    expect(recipeOf([written]).deeds).toEqual([]);
    expect(inWords(use)).toBe('Use search of docs');
  });
});
