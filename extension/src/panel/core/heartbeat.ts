import type { Cancel, Clock } from './clock';
import { DEAD_AFTER, PING_INTERVAL } from './timing';

/** Notices a socket that is open and dead: it pings, and expects to hear something. */
export class Heartbeat {
  #silent: Cancel = () => undefined;
  #next: Cancel = () => undefined;
  #id = 0;
  readonly #clock: Clock;
  readonly #ping: (id: number) => void;
  readonly #dead: () => void;

  /** `ping` sends a ping with its id; `dead` is called once nothing was heard for DEAD_AFTER. */
  constructor(clock: Clock, ping: (id: number) => void, dead: () => void) {
    this.#clock = clock;
    this.#ping = ping;
    this.#dead = dead;
  }

  /** Begins with a socket that has just opened. */
  start(): void {
    this.heard();
    this.#schedule();
  }

  /** Anything that arrives is a sign of life. */
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
