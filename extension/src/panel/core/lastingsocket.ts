import type { Cancel, Clock } from './clock';
import { Heartbeat } from './heartbeat';
import { RECONNECT_MAX, RECONNECT_MIN } from './timing';

/** An open socket. Binary messages come as ArrayBuffer. */
export interface Socket {
  send(data: string | Uint8Array): void;
  close(): void;
}

/** The callbacks for a socket's owner. */
export interface SocketEvents {
  message(data: unknown): void;
  closed(code: number): void;
}

/**
 * The callbacks for one attempt to connect. They are called only while it is the
 * current attempt.
 */
export interface Attempt extends SocketEvents {
  /** The socket is open; no message has arrived yet. */
  opened(): void;
}

export interface LastingSocketConfig {
  readonly clock: Clock;
  readonly random: () => number;
  /** Sends a ping with its id. */
  readonly ping: (id: number) => void;
  /** The socket is open but dead; its owner must drop it. */
  readonly dead: () => void;
}

/**
 * A socket that its owner opens again whenever it is lost. It numbers the attempts,
 * so that events of earlier attempts are ignored. It also sends pings and computes
 * the delay before the next attempt.
 */
export class LastingSocket {
  readonly #config: LastingSocketConfig;
  readonly #heartbeat: Heartbeat;
  #socket: Socket | undefined;
  #attempt = 0;
  #failures = 0;
  #retry: Cancel = () => undefined;

  constructor(config: LastingSocketConfig) {
    this.#config = config;
    this.#heartbeat = new Heartbeat(config.clock, config.ping, config.dead);
  }

  get open(): boolean {
    return this.#socket !== undefined;
  }

  /** The number of failed attempts and lost connections since `reached`. */
  get failures(): number {
    return this.#failures;
  }

  /** Sends data; without an open socket the data is dropped. */
  send(data: string | Uint8Array): void {
    this.#socket?.send(data);
  }

  /**
   * Makes one attempt now, in place of a scheduled one. Throws what `dial` throws,
   * unless the attempt was dropped meanwhile.
   */
  async dial(dial: (events: SocketEvents) => Promise<Socket>, on: Attempt): Promise<void> {
    this.#retry();
    this.#attempt += 1;
    const attempt = this.#attempt;
    const current = (): boolean => this.#attempt === attempt;
    try {
      const socket = await dial({
        message: (data) => {
          if (!current()) return;
          this.#heartbeat.heard();
          on.message(data);
        },
        closed: (code) => {
          if (current()) on.closed(code);
        },
      });
      if (!current()) {
        socket.close();
        return;
      }
      this.#socket = socket;
      this.#heartbeat.start();
      on.opened();
    } catch (error) {
      if (current()) throw error;
    }
  }

  /** Calls `again` after a delay that doubles with each failure. */
  later(again: () => void): void {
    const { clock, random } = this.#config;
    this.#retry();
    this.#retry = clock.after(backoff(this.#failures, random), again);
    this.#failures += 1;
  }

  /** Records that the connection works, so that the next delay is short again. */
  reached(): void {
    this.#failures = 0;
  }

  /** Closes the socket, and cancels an attempt that is in progress or scheduled. */
  drop(): void {
    this.#attempt += 1;
    this.#retry();
    this.#heartbeat.stop();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}

/**
 * The delay before attempt `attempt` (0 is the first retry), in milliseconds. It
 * doubles up to RECONNECT_MAX. Half of it is random, so that several panels do not
 * reconnect at the same moment.
 */
export function backoff(attempt: number, random: () => number): number {
  const full = Math.min(RECONNECT_MAX, RECONNECT_MIN * 2 ** Math.min(attempt, 16));
  return Math.max(RECONNECT_MIN, full * (0.5 + random() / 2));
}
