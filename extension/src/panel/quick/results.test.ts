import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { fakeDesk } from './fakes/desk';
import { baseName, blobOf, dataOf, fileOf, sizeText } from './results';

describe('the data of a reply', () => {
  const schema = v.object({ path: v.string() });
  it('is read when the command succeeded', () => {
    expect(dataOf({ ok: true, text: '', durationMs: 1, data: { path: '/a' } }, schema)).toEqual({
      path: '/a',
    });
    expect(() => dataOf({ ok: true, text: '', durationMs: 1, data: {} }, schema)).toThrow();
  });
  it('is why it failed, with what to do', () => {
    const error = { code: 'gone', message: 'The tab is closed.', hint: 'Open it.' } as const;
    expect(() => dataOf({ ok: false, text: '', durationMs: 1, error }, schema)).toThrow(
      'The tab is closed. Open it.',
    );
    expect(() => dataOf({ ok: false, text: 'plain', durationMs: 1 }, schema)).toThrow('plain');
  });
});

it('a file that a command saved comes with its bytes', async () => {
  const file = { kind: 'file', name: 'a.bin', mime: 'application/x-a', data: btoa('\x00\xffb') };
  const { desk, happened } = fakeDesk({ routes: { '/chat/file': file } });
  const blob = blobOf(await fileOf(desk, '/shots/a.bin'));
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(new Uint8Array([0, 255, 98]));
  expect(blob.type).toBe('application/x-a');
  expect(happened).toEqual([['request', '/chat/file', { path: '/shots/a.bin' }]]);
});

it.each([
  [1, '1 KB'],
  [1536, '2 KB'],
  [5 * 1024 * 1024, '5.0 MB'],
])('%d bytes are %s', (bytes, want) => {
  expect(sizeText(bytes)).toBe(want);
});

it.each([
  ['/tmp/shots/a.png', 'a.png'],
  ['C:\\shots\\a.png', 'a.png'],
  ['a.png', 'a.png'],
])('the name of %s is %s', (path, want) => {
  expect(baseName(path)).toBe(want);
});
