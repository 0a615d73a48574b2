import {
  CodeInternal,
  type Code,
  type Error as Refusal,
  type Pairing,
} from '$ui/protocol/protocol';
import { errorReplySchema } from '$ui/protocol/schemas/command';
import * as v from 'valibot';
import { REQUEST_TIMEOUT } from '../core/timing';
import { origin } from './proof';

/** An error that the backend returned, with its code, message and hint. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: Code;
  /** What the user can do about it; empty when there is nothing to do. */
  readonly hint: string;
  readonly status: number;
  constructor(refusal: Refusal, status: number) {
    super(refusal.message);
    this.code = refusal.code;
    this.hint = refusal.hint ?? '';
    this.status = status;
  }
}

/** Limits of a request; both are optional. */
export interface Bounds {
  /** Cancels the request; the backend then stops the work it was doing for it. */
  readonly signal?: AbortSignal;
  /** How long the request may take, in ms. Default: REQUEST_TIMEOUT. */
  readonly timeout?: number;
}

/** Sends a POST request with the panel's token and returns the body of the response. */
export async function post(
  pairing: Pairing,
  path: string,
  body: unknown,
  { signal, timeout = REQUEST_TIMEOUT }: Bounds = {},
): Promise<unknown> {
  const late = AbortSignal.timeout(timeout);
  const response = await fetch(origin(pairing) + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${pairing.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    cache: 'no-store',
    credentials: 'omit',
  });
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  const refused = v.safeParse(v.pipe(v.string(), v.parseJson(), errorReplySchema), text);
  throw new RefusedError(
    refused.success
      ? refused.output.error
      : {
          code: CodeInternal,
          message: `The backend answered with status ${String(response.status)}`,
        },
    response.status,
  );
}
