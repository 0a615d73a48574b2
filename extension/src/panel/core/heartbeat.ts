import type { Cancel, Clock } from './clock';
import { DEAD_AFTER, PING_INTERVAL } from './timing';

/** Detects a socket that is open but dead: it sends pings and expects to receive something. */
export class Heartbeat {
  #silent: Cancel = () => undefined;
  #next: Cancel = () => undefined;
  #id = 0;
  readonly #clock: Clock;
  readonly #ping: (id: number) => void;
  readonly #dead: () => void;

  /** `ping` sends a ping with its id. `dead` is called when nothing arrived for DEAD_AFTER. */
  constructor(clock: Clock, ping: (id: number) => void, dead: () => void) {
    this.#clock = clock;
    this.#ping = ping;
    this.#dead = dead;
  }

  /** Starts for a socket that has just opened. */
  start(): void {
    this.heard();
    this.#schedule();
  }

  /** Called for every message: any message shows that the socket works. */
  heard(): void {
    this.#silent();
    this.#silent = this.#clock.after(DEAD_AFTER, () => {
      this.stop();
      this.#dead();
    });
  }

  stop(): void {
    this.#silent();
    this.#next();
  }

  #schedule(): void {
    this.#next();
    this.#next = this.#clock.after(PING_INTERVAL, () => {
      this.#id += 1;
      this.#ping(this.#id);
      this.#schedule();
    });
  }
}
