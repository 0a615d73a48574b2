import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import type { NetworkEntry, NetworkItem } from '$ui/protocol/protocol';
import { describe, expect, it } from 'vitest';
import { asCurl, asFetch } from './copy';
import { filtered, sorted, type Filter } from './filter';
import { Requests, requestsKept } from './requests.svelte';
import { bytes, duration, initiatorOf, nameOf, sizeOf, statusOf } from './words';

function entry(part: Partial<NetworkEntry> = {}): NetworkEntry {
  return {
    id: 'n1',
    at: '2026-11-21T09:30:00Z',
    method: 'GET',
    url: 'https://example.com/api/user?q=1',
    type: 'fetch',
    done: true,
    ...part,
  };
}
const item = (part: Partial<NetworkEntry> = {}, page = 1): NetworkItem => ({
  entry: entry(part),
  page,
});

/** The arguments that a real shell gives to curl. */
function shell(line: string): string[] {
  const out = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${line}`], {
    encoding: 'utf8',
  });
  return out.split('\0').slice(0, -1);
}

describe('copy as curl', () => {
  const nasty = `it's "$(touch /tmp/x)" \`id\` \\ ! * ~ $HOME\nnext; rm -rf é`;

  it.each([nasty, '', "'", "''", '-d', '@/etc/passwd', '\\', '%00', "$'\\n'"])(
    'a shell gives the body %j back as it was',
    (body) => {
      const args = shell(asCurl(entry({ method: 'POST', postData: body })));
      expect(args.at(-1)).toBe(body === '' ? 'POST' : body);
      if (body !== '') expect(args.at(-2)).toBe('--data-raw');
    },
  );

  it('headers, method and address are words of their own', () => {
    const args = shell(
      asCurl(
        entry({
          method: 'PATCH',
          url: `https://example.com/a'b?list[]=1&x={y}#part`,
          requestHeaders: {
            ':authority': 'example.com',
            'accept-encoding': 'gzip',
            'content-length': '3',
            cookie: `sid='"; echo`,
            'x-empty': '',
            'x-nasty': nasty.replaceAll('\n', ' '),
          },
        }),
      ),
    );
    expect(args).toEqual([
      `https://example.com/a'b?list[]=1&x={y}`,
      '--globoff',
      '-X',
      'PATCH',
      '--compressed',
      '-H',
      `cookie: sid='"; echo`,
      '-H',
      'x-empty;',
      '-H',
      `x-nasty: ${nasty.replaceAll('\n', ' ')}`,
    ]);
  });

  it('HEAD has no body', () => {
    expect(shell(asCurl(entry({ method: 'HEAD' })))).toEqual([
      'https://example.com/api/user?q=1',
      '--head',
    ]);
  });
});

it('copy as fetch leaves out what a page may not set', () => {
  const text = asFetch(
    entry({
      method: 'POST',
      postData: '{"a":"</script>"}',
      requestHeaders: {
        cookie: 'a=1',
        'sec-fetch-mode': 'cors',
        'x-a': 'b',
        referer: 'https://example.com/',
      },
    }),
  );
  const [url, init] = runInNewContext(text, { fetch: (...args: unknown[]) => args }) as [
    string,
    Record<string, unknown>,
  ];
  expect(url).toBe('https://example.com/api/user?q=1');
  expect(init).toEqual({
    method: 'POST',
    headers: { 'x-a': 'b' },
    referrer: 'https://example.com/',
    body: '{"a":"</script>"}',
    credentials: 'include',
  });
});

describe('filter', () => {
  const none: Filter = { text: '', type: 'all', method: '', status: '', preserve: false };
  const all = [
    item({ id: 'n1', url: 'https://example.com/old.js', type: 'script', status: 200 }, 0),
    item({ id: 'n2', url: 'https://example.com/', type: 'document', status: 200 }),
    item({
      id: 'n3',
      url: 'https://example.com/Api/save',
      type: 'xhr',
      method: 'POST',
      status: 503,
    }),
    item({ id: 'n4', url: 'https://cdn.example/a.png', type: 'image', failed: 'ERR_ABORTED' }),
    item({ id: 'n5', url: 'wss://example.com/live', type: 'websocket', status: 101, done: false }),
  ];
  const ids = (part: Partial<Filter>): string[] =>
    filtered(all, { ...none, ...part }).map((one) => one.entry.id);

  it.each<[Partial<Filter>, string[]]>([
    [{}, ['n2', 'n3', 'n4', 'n5']],
    [{ preserve: true }, ['n1', 'n2', 'n3', 'n4', 'n5']],
    [{ text: 'api' }, ['n3']],
    [{ text: 'example.com -api' }, ['n2', 'n5']],
    [{ type: 'fetch' }, ['n3']],
    [{ method: 'POST' }, ['n3']],
    [{ status: 'failed' }, ['n3', 'n4']],
    [{ status: '5' }, ['n3']],
    [{ type: 'font' }, []],
  ])('%j', (part, want) => {
    expect(ids(part)).toEqual(want);
  });

  it('sorts by a column, and back', () => {
    expect(sorted(all, 'status', true).map((one) => one.entry.id)[0]).toBe('n3');
    expect(sorted(all, 'start', false)).toBe(all);
    expect(sorted(all, 'name', false)[0]?.entry.id).toBe('n4');
  });
});

describe('words', () => {
  it('are those of developer tools', () => {
    expect(nameOf('https://example.com/a/b.js?v=1')).toBe('b.js?v=1');
    expect(nameOf('https://example.com/')).toBe('example.com');
    expect(nameOf('https://example.com/a/')).toBe('a/');
    expect(nameOf('not an address\u202e')).toBe('not an address');
    expect([bytes(12), bytes(1234), bytes(45_678), bytes(2_500_000), bytes(undefined)]).toEqual([
      '12 B',
      '1.2 kB',
      '46 kB',
      '2.5 MB',
      '',
    ]);
    expect([duration(12.4), duration(1500), duration(90_000)]).toEqual([
      '12 ms',
      '1.50 s',
      '1.5 min',
    ]);
    expect(statusOf(item({ done: false }))).toBe('pending');
    expect(statusOf(item({ failed: 'ERR_BLOCKED_BY_CLIENT (inspector)' }))).toBe('blocked');
    expect(statusOf(item({ failed: 'ERR_ABORTED' }))).toBe('canceled');
    expect(statusOf(item({ failed: 'ERR_NAME_NOT_RESOLVED' }))).toBe('failed');
    expect(sizeOf(item({ from: 'cache', bytes: 3 }))).toBe('cache');
    expect(initiatorOf(item({ initiator: 'parser https://example.com/' }))).toBe('parser');
  });
});

describe('the list', () => {
  it('replaces, begins anew after a gap, and keeps the newest', () => {
    const list = new Requests();
    list.apply({
      batch: { items: [item({ id: 'n10', done: false }), item({ id: 'n9' })], last: 2 },
    });
    expect(list.all.map((one) => one.entry.id)).toEqual(['n9', 'n10']);
    list.apply({ batch: { items: [item({ id: 'n10', status: 200 }), 'nonsense'], last: 3 } });
    expect(list.all.map((one) => one.entry.status)).toEqual([undefined, 200]); // without the nonsense
    list.apply({ batch: { items: [], last: 4, gap: true } });
    expect(list.all).toEqual([]);
    const many = Array.from({ length: requestsKept + 10 }, (_, at) => item({ id: `n${at}` }));
    list.apply({ batch: { items: many, last: 5 } });
    expect([list.all.length, list.all[0]?.entry.id]).toEqual([requestsKept, 'n10']);
    list.apply({ batch: { items: [], last: 5 }, error: { message: 'tab t1 is closed' } });
    expect(list.error?.message).toBe('tab t1 is closed');
  });
});
