import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Pairing } from '$ui/protocol/protocol';
import { ImpostorError, origin, prove } from './proof';
import { post, RefusedError } from './request';

const secret = new Uint8Array(32).fill(7);
const pairing: Pairing = {
  v: 1,
  port: 4711,
  token: 'the-token',
  key: Buffer.from(secret).toString('base64url'),
} as unknown as Pairing;

const answers = (status: number, text: string): ReturnType<typeof vi.fn<typeof fetch>> => {
  const made = vi.fn<typeof fetch>(() => Promise.resolve(new Response(text, { status })));
  vi.stubGlobal('fetch', made);
  return made;
};

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a request', () => {
  it('goes to the app on this computer with the token, and to nobody’s cache', async () => {
    const asked = answers(200, '{"ok":true}');
    expect(await post(pairing, '/chat/send', { text: 'hi' })).toEqual({ ok: true });
    const [url, init] = asked.mock.calls[0] ?? [];
    expect(url).toBe('http://127.0.0.1:4711/chat/send');
    expect(init).toMatchObject({
      method: 'POST',
      body: '{"text":"hi"}',
      cache: 'no-store',
      credentials: 'omit',
      headers: { Authorization: 'Bearer the-token' },
    });
  });

  it('may have a reply that says nothing', async () => {
    answers(200, '');
    expect(await post(pairing, '/x', {})).toBeUndefined();
  });

  it.each([
    [
      'in its own words',
      409,
      '{"error":{"code":"busy","message":"It is busy","hint":"wait"}}',
      { code: 'busy', message: 'It is busy', hint: 'wait', status: 409 },
    ],
    [
      'without a hint',
      400,
      '{"error":{"code":"bad_argument","message":"No"}}',
      { code: 'bad_argument', message: 'No', hint: '', status: 400 },
    ],
    [
      'in a form that is not ours',
      500,
      '{"oops":1}',
      { code: 'internal', message: 'The backend answered with status 500', status: 500 },
    ],
    [
      'in words that are no JSON',
      502,
      '502 Bad Gateway',
      { code: 'internal', message: 'The backend answered with status 502', status: 502 },
    ],
  ])('is refused %s', async (_, status, text, refusal) => {
    answers(status, text);
    const error: unknown = await post(pairing, '/x', {}).catch((why: unknown) => why);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject(refusal);
  });

  it('ends when its asker gives up', async () => {
    vi.stubGlobal(
      'fetch',
      (_: string, { signal }: { signal: AbortSignal }) =>
        new Promise((__, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
    );
    const given = new AbortController();
    const asked = post(pairing, '/x', {}, { signal: given.signal });
    given.abort(new Error('given up'));
    await expect(asked).rejects.toThrow('given up');
  });
});

describe('the proof of the app', () => {
  const health = { status: 'ok', version: '1', protocol: 'v1', uptimeS: 1 };
  /** An app with a key, which may answer with a proof of its own. */
  function app(key: Uint8Array<ArrayBuffer>, says?: (proof: string) => string): URL[] {
    const asked: URL[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(new URL(url));
      const challenge = new TextEncoder().encode(asked.at(-1)?.searchParams.get('challenge') ?? '');
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const own = await crypto.subtle.importKey('raw', key, hmac, false, ['sign']);
      const proof = Buffer.from(await crypto.subtle.sign('HMAC', own, challenge)).toString('hex');
      return new Response(says?.(proof) ?? JSON.stringify({ ...health, proof }));
    });
    return asked;
  }
  const { signal } = new AbortController();

  it('is asked for before the token is shown, with another challenge each time', async () => {
    const asked = app(secret);
    await prove(pairing, signal);
    await prove(pairing, signal);
    const challenges = asked.map(({ searchParams }) => searchParams.get('challenge') ?? '');
    expect(challenges[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(challenges).size).toBe(2);
    expect(asked.map(String).join()).not.toContain('the-token');
  });

  it.each<[string, Uint8Array<ArrayBuffer>, ((proof: string) => string)?]>([
    ['has another key', new Uint8Array(32).fill(8)],
    ['is no JSON', secret, () => '<html>'],
    ['has no proof', secret, () => JSON.stringify(health)],
    ['is no number', secret, () => JSON.stringify({ ...health, proof: 'zz' })],
    ['is cut', secret, (proof) => JSON.stringify({ ...health, proof: proof.slice(2) })],
  ])('does not hold when it %s', async (_, key, says) => {
    app(key, says);
    await expect(prove(pairing, signal)).rejects.toBeInstanceOf(ImpostorError);
  });
});

it('the app is on this computer', () => {
  expect([origin(pairing), origin(pairing, 'ws')]).toEqual([
    'http://127.0.0.1:4711',
    'ws://127.0.0.1:4711',
  ]);
});
