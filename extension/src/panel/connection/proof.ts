import type { Pairing } from '$ui/protocol/protocol';
import { healthSchema } from '$ui/protocol/schemas/command';
import * as v from 'valibot';
import { REQUEST_TIMEOUT } from '../core/timing';

/** Thrown when the program on the port does not know the pairing's key. */
export class ImpostorError extends Error {
  override readonly name = 'ImpostorError';
}

/** The origin of the backend that a pairing names. */
export function origin(pairing: Pairing, scheme: 'http' | 'ws' = 'http'): string {
  return `${scheme}://127.0.0.1:${String(pairing.port)}`;
}

/**
 * Makes the backend prove that it is the app that paired us, before we send it the
 * token. After a crash of the app any program could listen on the same port.
 */
export async function prove(pairing: Pairing, signal: AbortSignal): Promise<void> {
  const challenge = hex(crypto.getRandomValues(new Uint8Array(32)));
  // Import the key while the request runs; neither needs the other.
  const importing = crypto.subtle.importKey(
    'raw',
    base64url(pairing.key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const response = await fetch(`${origin(pairing)}/health?challenge=${challenge}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT)]),
    cache: 'no-store',
    credentials: 'omit',
  });
  const health = v.safeParse(healthSchema, await response.json().catch(() => undefined));
  if (!health.success || health.output.proof === undefined) throw new ImpostorError('no proof');

  const proof = unhex(health.output.proof);
  const text = new TextEncoder().encode(challenge);
  // `verify` compares in constant time.
  if (proof === undefined || !(await crypto.subtle.verify('HMAC', await importing, proof, text)))
    throw new ImpostorError('wrong proof');
}

/** Bytes in hex. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of a text in hex; undefined for another text. */
export function unhex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function base64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );
}
