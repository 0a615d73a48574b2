// The pairing of a panel in a browser in which the user installed the extension. The app has no
// way into that browser, so the panel shows a code, which the user enters in the app. Neither
// side sends the code: each proves that it knows it. See backend/pairing.
import { CodeBusy, CodeTimeout, PairApp, PairPanel, type Pairing } from '$ui/protocol/protocol';
import { errorReplySchema, healthSchema } from '$ui/protocol/schemas/command';
import { pairReplySchema } from '$ui/protocol/schemas/panel';
import * as v from 'valibot';
import type { Clock } from '../core/clock';
import { PAIR_AGAIN, PAIR_TIMEOUT, REQUEST_TIMEOUT } from '../core/timing';
import { hex, unhex } from './proof';
import { RefusedError } from './request';

/** 32 characters that do not look alike: five bits each. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A new code of 60 bits, as the user reads it: K7QF-2M9X-TD4A. */
export function newCode(): string {
  const drawn = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    letters.charAt(byte % letters.length),
  ).join('');
  return drawn.replace(/.{4}(?=.)/g, '$&-');
}

/** What a pairing by a code needs. */
export interface ByHandConfig {
  /** Resolves with the port of the app once the user has opened its page in this browser. */
  readonly port: (signal: AbortSignal) => Promise<number>;
  /** Stores the pairing. */
  readonly keep: (pairing: Pairing) => Promise<void>;
  /**
   * Called with the code to show; undefined while there is no app that could be told it, with the
   * reason when an app refuses this browser.
   */
  readonly onCode: (code: string | undefined, refused?: string) => void;
  readonly clock: Clock;
}

/** Shows codes until the user has entered one, or `signal` aborts. */
export async function pairByHand(config: ByHandConfig, signal: AbortSignal): Promise<void> {
  const over = (): boolean => signal.aborted;
  let code = newCode();
  while (!over()) {
    try {
      const port = await config.port(signal);
      await pairs(port, signal);
      config.onCode(code);
      await config.keep(await offer(port, code, signal));
      return;
    } catch (error) {
      if (over()) return;
      if (!(error instanceof RefusedError)) {
        config.onCode(undefined); // no app is there, or it has ended
      } else if (error.code === CodeTimeout || error.code === CodeBusy) {
        code = newCode(); // the code is too old, or wrong ones were entered
      } else {
        const { message, hint } = error;
        config.onCode(undefined, hint === '' ? message : `${message}: ${hint}`);
      }
    }
    await rest(config.clock, signal);
  }
}

/** Throws when no app on a port has a session that waits for a panel. */
async function pairs(port: number, signal: AbortSignal): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${String(port)}/health`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT)]),
    cache: 'no-store',
    credentials: 'omit',
  });
  const health: unknown = await response.json();
  if (!v.parse(healthSchema, health).pairs) throw new Error('no session waits for a panel');
}

/** Waits until the user has entered the code. Throws RefusedError when the app refuses it. */
async function offer(port: number, code: string, signal: AbortSignal): Promise<Pairing> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(code.replaceAll('-', '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  );
  const text = (side: string, ...more: readonly string[]): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode([side, String(port), nonce, ...more].join('\n'));
  const mac = hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, text(PairPanel))));
  const response = await fetch(`http://127.0.0.1:${String(port)}/pair`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ nonce, mac }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(PAIR_TIMEOUT)]),
    cache: 'no-store',
    credentials: 'omit',
  });
  const body: unknown = await response.json();
  if (!response.ok) {
    throw new RefusedError(v.parse(errorReplySchema, body).error, response.status);
  }
  const { pairing, mac: proof } = v.parse(pairReplySchema, body);
  const proved = unhex(proof);
  const known =
    proved !== undefined &&
    pairing.port === port &&
    (await crypto.subtle.verify('HMAC', key, proved, text(PairApp, pairing.token, pairing.key)));
  if (!known) throw new Error('another program answers');
  return pairing;
}

function rest(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(PAIR_AGAIN, resolve);
    signal.addEventListener(
      'abort',
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
}

/** Waits until a page of an app is open in this browser, and returns its port. */
export async function pagePort(signal: AbortSignal): Promise<number> {
  const pages = { url: 'http://127.0.0.1/welcome' };
  const end = new AbortController();
  try {
    return await new Promise<number>((resolve, reject) => {
      const look = (): void => {
        void chrome.tabs.query(pages).then((tabs) => {
          // The page that was shown last is the one that the user has just opened.
          const [newest] = tabs.sort((a, b) => b.lastAccessed - a.lastAccessed);
          const port = Number(URL.parse(newest?.url ?? '')?.port);
          if (port > 0) resolve(port);
        }, reject);
      };
      chrome.tabs.onUpdated.addListener(look);
      end.signal.addEventListener('abort', () => {
        chrome.tabs.onUpdated.removeListener(look);
      });
      signal.addEventListener(
        'abort',
        () => {
          reject(new Error('not needed any more'));
        },
        { signal: end.signal },
      );
      look();
    });
  } finally {
    end.abort();
  }
}
