import { expect, it } from 'vitest';
import * as v from 'valibot';
import { UserServers } from './servers';

/** Servers whose app replies with `reply`; it records the requests. */
function make(reply: unknown) {
  const did: unknown[] = [];
  const servers = new UserServers({
    task: 'a',
    viewer: () => 'panel',
    written: () => {
      did.push('written');
      return Promise.resolve();
    },
    connection: {
      request: (path, body, schema) => {
        did.push([path, body]);
        return Promise.resolve(v.parse(schema, reply));
      },
    },
  });
  return { servers, did };
}

const { signal } = new AbortController();

it('offers the tools in an envelope, and says what is left out', async () => {
  const { servers, did } = make({
    servers: [
      { name: 'docs', tools: [{ name: 'search', description: 'finds' }], more: 2 },
      {
        name: 'files',
        tools: [],
        error: { code: 'crashed', message: 'files does not work', detail: 'no key' },
      },
    ],
  });
  const { told, notices } = await servers.offered(signal);
  expect(told).toMatch(/^<page-[0-9a-f]{16} origin="mcp">\nserver docs:\n- search\(…\): finds\n</);
  expect(notices).toEqual([
    'docs has 2 tools more than a task can use.',
    'The task goes on without files: files does not work. It wrote: no key',
  ]);
  expect(did).toEqual([['/task/tools', { task: 'a', viewer: 'panel' }]]);
  expect((await make({ servers: null }).servers.offered(signal)).told).toBe('');
});

it('uses a tool once the journal is written', async () => {
  const { servers, did } = make({
    ok: true,
    text: '<page-1 origin="mcp:docs">found</page-1>',
    kept: { arguments: { q: '•' }, text: 'kept' },
  });
  const action = { do: 'tool', server: 'docs', tool: 'search', arguments: { q: 'milk' } } as const;
  expect(await servers.call(action, signal)).toEqual({
    ok: true,
    text: '<page-1 origin="mcp:docs">found</page-1>',
    kept: { arguments: { q: '•' }, text: 'kept' },
  });
  expect(did).toEqual([
    'written',
    [
      '/task/tool',
      { task: 'a', viewer: 'panel', server: 'docs', tool: 'search', arguments: { q: 'milk' } },
    ],
  ]);
});

it('returns an error with what the tool said', async () => {
  const { servers } = make({
    ok: false,
    text: 'why',
    error: { code: 'refused', message: 'docs reports an error', hint: '' },
    kept: { text: 'why' },
  });
  expect(await servers.call({ do: 'tool', server: 'docs', tool: 'search' }, signal)).toEqual({
    ok: false,
    code: 'refused',
    shown: 'docs reports an error: why',
    text: 'docs reports an error: why',
    kept: { arguments: undefined, text: 'docs reports an error: why' },
  });
});
