import { describe, expect, it } from 'vitest';
import type { CommandReply, NetworkBody, NetworkEntry } from '$ui/protocol/protocol';
import type { RoomDesk } from '../desk';
import {
  bodyOf,
  cookiesOf,
  entryOf,
  exportHAR,
  pictureOf,
  pretty,
  queryOf,
  requestText,
  saveBody,
} from './details';

const entry = (part: Partial<NetworkEntry> = {}): NetworkEntry => ({
  id: 'n3',
  at: '2026-11-21T09:30:00Z',
  method: 'POST',
  url: 'https://shop.example/api',
  type: 'fetch',
  done: true,
  ...part,
});
const body = (part: Partial<NetworkBody> = {}): NetworkBody => ({
  entry: entry({ mime: 'application/json' }),
  bytes: 0,
  ...part,
});

/** A desk that answers every command with one reply, and keeps what it was asked. */
function desk(reply: Partial<CommandReply>): { desk: RoomDesk; asked: unknown[][] } {
  const asked: unknown[][] = [];
  const run = (...args: unknown[]): Promise<CommandReply> => {
    asked.push(args);
    return Promise.resolve({ ok: true, text: '', durationMs: 1, ...reply });
  };
  return { desk: { run } as unknown as RoomDesk, asked };
}

describe('what the room asks about a request', () => {
  it('masks credentials unless they are asked for', async () => {
    const { desk: one, asked } = desk({ data: entry() });
    expect((await entryOf(one, 'n3', false)).id).toBe('n3');
    await entryOf(one, 'n3', true);
    expect(asked).toEqual([
      ['network', { do: 'show', what: 'n3', masked: true }],
      ['network', { do: 'show', what: 'n3', masked: false }],
    ]);
  });

  it('asks for the body with its bytes, or for a file with it', async () => {
    const { desk: one, asked } = desk({ data: body({ text: '{}', path: '/tmp/a.json' }) });
    expect((await bodyOf(one, 'n3', false)).text).toBe('{}');
    expect(await saveBody(one, 'n3')).toBe('/tmp/a.json');
    expect(asked).toEqual([
      ['network', { do: 'body', what: 'n3', data: true, masked: true }],
      ['network', { do: 'body', what: 'n3', save: true }],
    ]);
  });

  it('exports with the bodies, and waits longer for it', async () => {
    const { desk: one, asked } = desk({ data: { path: '/tmp/a.har', bytes: 10 } });
    expect((await exportHAR(one, false)).path).toBe('/tmp/a.har');
    expect(asked).toEqual([
      ['network', { do: 'har', bodies: true, masked: true }, { timeout: 60_000 }],
    ]);
  });

  it('says what the backend said when it refuses', async () => {
    const error = { code: 'bad_argument', message: 'there is no request n9', hint: '' } as const;
    await expect(entryOf(desk({ ok: false, error }).desk, 'n9', false)).rejects.toThrow(
      'there is no request n9',
    );
  });

  it('refuses a reply that is no request', async () => {
    await expect(entryOf(desk({ data: { id: 3 } }).desk, 'n3', false)).rejects.toThrow();
  });
});

describe('a body', () => {
  it.each([
    ['{"a":1}', '{\n  "a": 1\n}'],
    ['{"a":', '{"a":'],
    ['', ''],
  ])('of JSON %j is shown as %j', (text, want) => {
    expect(pretty(body({ text }))).toBe(want);
  });

  it('that looks like JSON is shown as JSON, whatever its type says', () => {
    const plain = entry({ mime: 'text/plain' });
    expect(pretty({ entry: plain, text: ' [1,2]' })).toBe('[\n  1,\n  2\n]');
    expect(pretty({ entry: plain, text: 'a [1]' })).toBe('a [1]');
  });

  it('is a picture only of a type that an image element draws', () => {
    const of = (mime: string, part: Partial<NetworkBody>): string | undefined =>
      pictureOf(body({ entry: entry({ mime }), ...part }));
    expect(of('image/png', { data: 'AAAA' })).toBe('data:image/png;base64,AAAA');
    expect(of('image/svg+xml', { text: '<svg>#</svg>' })).toBe(
      'data:image/svg+xml,%3Csvg%3E%23%3C%2Fsvg%3E',
    );
    expect(of('image/png', { text: 'cut' })).toBeUndefined();
    expect(of('text/html', { data: 'AAAA' })).toBeUndefined();
    expect(of('image/png;x="', { data: 'AAAA' })).toBeUndefined();
  });
});

describe('cookies', () => {
  it('of a request stand in one line', () => {
    expect(cookiesOf('a=1; b=x=y;c', false)).toEqual([
      { name: 'a', value: '1', rest: '' },
      { name: 'b', value: 'x=y', rest: '' },
      { name: 'c', value: '', rest: '' },
    ]);
  });
  it('of a response have a line each, with what follows them', () => {
    expect(cookiesOf('a=1; Path=/; HttpOnly\nb=2', true)).toEqual([
      { name: 'a', value: '1', rest: 'Path=/; HttpOnly' },
      { name: 'b', value: '2', rest: '' },
    ]);
    expect(cookiesOf(undefined, true)).toEqual([]);
  });
});

it('the query of an address is a list of names and values', () => {
  expect(queryOf('https://a.example/?q=a%20b&q=2&empty')).toEqual([
    ['q', 'a b'],
    ['q', '2'],
    ['empty', ''],
  ]);
  expect(queryOf('no address')).toEqual([]);
});

describe('a request as text for an agent', () => {
  it('has how it ended, its headers in order, its bodies and who asked', () => {
    const one = entry({
      status: 500,
      statusText: 'Internal Server Error',
      durationMs: 41.6,
      requestHeaders: { b: '2', a: '1' },
      responseHeaders: { server: 'x' },
      postData: 'q=1',
    });
    expect(requestText(one, 'oops', 'at save (app.js:3)', 't1').split('\n')).toEqual([
      'POST https://shop.example/api',
      '500 Internal Server Error (fetch, 42 ms, n3 in t1)',
      '> a: 1',
      '> b: 2',
      '> q=1',
      '< server: x',
      '',
      'oops',
      '',
      'Asked by:',
      'at save (app.js:3)',
    ]);
  });
  it('says why there is no answer', () => {
    const line = (part: Partial<NetworkEntry>): string | undefined =>
      requestText(entry(part), undefined, '', 't1').split('\n')[1];
    expect(line({ failed: 'net::ERR_ABORTED' })).toBe('net::ERR_ABORTED (fetch, 0 ms, n3 in t1)');
    expect(line({})).toBe('no answer yet (fetch, 0 ms, n3 in t1)');
  });
  it('is bounded', () => {
    const long = 'x'.repeat(10_000);
    const text = requestText(
      entry({ requestHeaders: { a: long }, postData: long }),
      long,
      '',
      't1',
    );
    expect(text.length).toBeLessThan(7_000);
  });
});
