import type { RequestBodies } from '$ui/protocol/requests';
import {
  CloseUnauthorized,
  PanelAuth,
  PanelHello,
  PanelPairing,
  PanelPing,
  PanelReauth,
  PanelTasks,
  Version,
  type Pairing,
  type PanelEvent,
  type PanelMessage,
} from '$ui/protocol/protocol';
import { panelEventSchema } from '$ui/protocol/schemas/panel';
import * as v from 'valibot';
import type { Clock } from '../core/clock';
import { LastingSocket, type Socket } from '../core/lastingsocket';
import type { PairingSource } from './pairing';
import { ImpostorError, origin, prove } from './proof';
import { post, RefusedError, type Bounds } from './request';
import { openSocket } from './socket';

/**
 * The state of the panel's connection to the app:
 * - unpaired: no pairing yet
 * - connecting: an attempt is in progress
 * - live: connected
 * - waiting: waits before the next attempt
 * - impostor: another program listens on the port, so the token is not sent
 * - outdated: the app has another version, so no attempt is made
 */
export type Link = 'unpaired' | 'connecting' | 'live' | 'waiting' | 'impostor' | 'outdated';

/** The code with which the app closes a socket when it stops. */
const GOING_AWAY = 1001;

export interface ConnectionConfig {
  readonly source: PairingSource;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether this is the task page, which is not counted as a panel. */
  readonly tasks?: boolean;
  readonly onLink: (link: Link) => void;
  readonly onEvent: (event: PanelEvent) => void;
}

/**
 * The panel's one socket to the backend. It reconnects whenever it is lost, always
 * uses the newest pairing, and also sends the panel's HTTP requests.
 */
export class Connection {
  readonly #config: ConnectionConfig;
  readonly #socket: LastingSocket;
  #pairing: Pairing | undefined;
  #link: Link = 'unpaired';
  #opening = new AbortController();
  /** The token that the open socket last authenticated with. */
  #shown = '';
  #reauth = false;

  constructor(config: ConnectionConfig) {
    this.#config = config;
    this.#socket = new LastingSocket({
      clock: config.clock,
      random: config.random,
      ping: (id) => {
        this.send({ type: PanelPing, id });
      },
      dead: () => {
        this.#lost();
      },
    });
  }

  get link(): Link {
    return this.#link;
  }

  /** Identifies one run of the app; empty before pairing. */
  get identity(): string {
    return this.#pairing === undefined ? '' : `${String(this.#pairing.port)} ${this.#pairing.key}`;
  }

  /** Whether the user paired this panel by a code: nothing else pairs it again. */
  get byHand(): boolean {
    return this.#pairing?.byHand === true;
  }

  /** Stores a pairing that the user made by a code, or forgets it. */
  keep(pairing: Pairing | undefined): Promise<void> {
    return this.#config.source.keep(pairing);
  }

  /** Connects, and stays connected until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { source } = this.#config;
    source.watch((pairing) => {
      this.#paired(pairing);
    }, signal);
    signal.addEventListener('abort', () => {
      this.#disconnect();
    });
    const pairing = await source.read();
    if (!signal.aborted && this.#pairing === undefined) this.#paired(pairing);
  }

  /**
   * Sends a message. Without an open socket the message is dropped: the next hello
   * carries the current state anyway.
   */
  send(message: PanelMessage): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Connects now instead of waiting for the next attempt. */
  retry(): void {
    if (!this.#socket.open && this.#pairing !== undefined) this.#open(this.#pairing);
  }

  /**
   * Sends a request to the backend. Throws RefusedError with the backend's message
   * when it refuses.
   */
  async request<P extends keyof RequestBodies, S extends v.GenericSchema>(
    path: P,
    body: RequestBodies[P],
    schema: S,
    bounds?: Bounds,
  ): Promise<v.InferOutput<S>> {
    const pairing = this.#pairing;
    if (pairing === undefined || this.#link !== 'live') throw new OfflineError();
    try {
      return v.parse(schema, await post(pairing, path, body, bounds));
    } catch (error) {
      const newest = this.#pairing;
      // A 401 can mean that the token was rotated while the request was in progress.
      const rotated = error instanceof RefusedError && error.status === 401;
      if (!rotated || newest === undefined || newest.token === pairing.token) throw error;
      return v.parse(schema, await post(newest, path, body, bounds));
    }
  }

  /**
   * Sends a request whose response is streamed, with the panel's token. Path, body
   * and signal come from the caller. Its headers do not: no header that a library
   * adds is sent to the app.
   */
  async stream(path: string, init?: Pick<RequestInit, 'body' | 'signal'>): Promise<Response> {
    const pairing = this.#pairing;
    if (pairing === undefined || this.#link !== 'live') throw new OfflineError();
    return fetch(origin(pairing) + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${pairing.token}`, 'Content-Type': 'application/json' },
      body: init?.body ?? '{}',
      signal: init?.signal ?? null,
      cache: 'no-store',
      credentials: 'omit',
    });
  }

  /** Opens another socket to the backend, with a token made for that socket. */
  dial(path: string, token: string, events: Parameters<typeof openSocket>[2]): Promise<Socket> {
    if (this.#pairing === undefined) throw new OfflineError();
    return openSocket(origin(this.#pairing, 'ws') + path, token, events);
  }

  #set(link: Link): void {
    if (this.#link === link) return;
    this.#link = link;
    this.#config.onLink(link);
  }

  #paired(pairing: Pairing | undefined): void {
    const before = this.#pairing;
    this.#pairing = pairing;
    if (pairing === undefined) {
      this.#disconnect();
      this.#set('unpaired');
      return;
    }
    const same = before?.port === pairing.port && before.key === pairing.key;
    if (same && this.#socket.open) {
      if (this.#shown !== pairing.token || this.#reauth) this.#authenticate(pairing);
      return;
    }
    this.#disconnect();
    this.#socket.reached();
    this.#open(pairing);
  }

  #authenticate(pairing: Pairing): void {
    this.#shown = pairing.token;
    this.#reauth = false;
    this.send({ type: PanelAuth, token: pairing.token });
  }

  #open(pairing: Pairing): void {
    this.#disconnect();
    if (!speaksOurs(pairing.version)) {
      this.#set('outdated');
      return;
    }
    if (this.#link === 'unpaired' || this.#link === 'live') this.#set('connecting');
    void this.#connect(pairing).catch((error: unknown) => {
      this.#wait(error instanceof ImpostorError ? 'impostor' : 'waiting');
    });
  }

  async #connect(pairing: Pairing): Promise<void> {
    const opening = new AbortController();
    this.#opening = opening;
    await this.#socket.dial(
      async (events) => {
        await prove(pairing, opening.signal);
        opening.signal.throwIfAborted();
        const path = this.#config.tasks === true ? `/panel?${PanelTasks}` : '/panel';
        return openSocket(origin(pairing, 'ws') + path, pairing.token, events);
      },
      {
        opened: () => {
          this.#shown = pairing.token;
          this.#reauth = false;
          // The token was rotated while the socket was being opened.
          const newest = this.#pairing;
          if (newest !== undefined && newest.token !== pairing.token) this.#authenticate(newest);
        },
        message: (data) => {
          this.#message(data);
        },
        closed: (code) => {
          this.#closed(code);
        },
      },
    );
  }

  #disconnect(): void {
    this.#opening.abort();
    this.#socket.drop();
  }

  #lost(): void {
    this.#disconnect();
    this.#wait('waiting');
  }

  #closed(code: number): void {
    const newer = code === CloseUnauthorized && this.#pairing?.token !== this.#shown;
    this.#disconnect();
    // The session or the app has ended, and its next run has other tokens.
    const over = !newer && (code === CloseUnauthorized || code === GOING_AWAY);
    if (newer && this.#pairing !== undefined) this.#open(this.#pairing);
    else if (over && this.byHand) void this.keep(undefined);
    else this.#wait('waiting');
  }

  #wait(link: Link): void {
    this.#set(link);
    const pairing = this.#pairing;
    if (pairing === undefined) return;
    this.#socket.later(() => {
      this.#open(pairing);
    });
  }

  #message(data: unknown): void {
    const event = parse(data);
    // Ignore a message type that only a newer backend knows.
    if (event === undefined) return;
    if (event.type === PanelReauth) {
      const pairing = this.#pairing;
      // The new token comes over the pipe, before or after this message.
      if (pairing !== undefined && pairing.token !== this.#shown) this.#authenticate(pairing);
      else this.#reauth = true;
      return;
    }
    if (event.type === PanelPairing) {
      if (this.byHand) void this.keep(event.pairing);
      return;
    }
    if (event.type === PanelHello) {
      if (!speaksOurs(event.version)) {
        this.#disconnect();
        this.#set('outdated');
        return;
      }
      this.#socket.reached();
      this.#config.onEvent(event);
      this.#set('live');
      return;
    }
    this.#config.onEvent(event);
  }
}

/** Thrown when the panel is not connected to the backend. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
  constructor() {
    super('Pilotfish is not connected');
  }
}

/** Whether a version has our major version: "pilotfish.v1" and "pilotfish.v1.2" match. */
function speaksOurs(version: string): boolean {
  return version === Version || version.startsWith(`${Version}.`);
}

function parse(data: unknown): PanelEvent | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const result = v.safeParse(panelEventSchema, JSON.parse(data));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
