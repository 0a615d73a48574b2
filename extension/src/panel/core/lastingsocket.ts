import type { Cancel, Clock } from './clock';
import { Heartbeat } from './heartbeat';
import { RECONNECT_MAX, RECONNECT_MIN } from './timing';

/** An open socket. Binary messages come as ArrayBuffer. */
export interface Socket {
  send(data: string | Uint8Array): void;
  close(): void;
}

/** What a socket tells its owner. */
export interface SocketEvents {
  message(data: unknown): void;
  closed(code: number): void;
}

/** What the owner of a lasting socket hears of one attempt, while it is the current one. */
export interface Attempt extends SocketEvents {
  /** It is open, and nothing has been heard of it yet. */
  opened(): void;
}

export interface LastingSocketConfig {
  readonly clock: Clock;
  readonly random: () => number;
  /** Sends a ping with its id. */
  readonly ping: (id: number) => void;
  /** The socket is open and dead: its owner drops it. */
  readonly dead: () => void;
}

/**
 * A socket that its owner opens again whenever it is lost. It counts the attempts,
 * so that what a former one still reports is not heard, pings, and knows the pause
 * before the next attempt.
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

  /** How often it was lost or not opened since `reached`. */
  get failures(): number {
    return this.#failures;
  }

  /** Sends, or drops what is sent while no socket is open. */
  send(data: string | Uint8Array): void {
    this.#socket?.send(data);
  }

  /**
   * Makes one attempt, in place of the one that is waited for; throws what `dial`
   * throws, unless it was dropped meanwhile.
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

  /** Calls `again` after a pause that doubles with each failure. */
  later(again: () => void): void {
    const { clock, random } = this.#config;
    this.#retry();
    this.#retry = clock.after(backoff(this.#failures, random), again);
    this.#failures += 1;
  }

  /** What was opened works: the next pause is a short one. */
  reached(): void {
    this.#failures = 0;
  }

  /** Closes the socket, and ends the attempt that is on its way or waited for. */
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
 * The pause before attempt `attempt` (0 is the first retry), in milliseconds:
 * it doubles up to the longest, and a random half of it keeps several panels
 * from coming back in step.
 */
export function backoff(attempt: number, random: () => number): number {
  const full = Math.min(RECONNECT_MAX, RECONNECT_MIN * 2 ** Math.min(attempt, 16));
  return Math.max(RECONNECT_MIN, full * (0.5 + random() / 2));
}
