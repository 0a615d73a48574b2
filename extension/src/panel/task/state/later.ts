import type { Connection } from '../../connection/connection';
import type { Clock } from '../../core/clock';
import { WRITE_AGAIN } from '../../core/timing';

/** Decides when a failed request may be repeated. */
export class Later {
  #waiting: (() => void)[] = [];

  constructor(
    private readonly deps: {
      readonly connection: Pick<Connection, 'link'>;
      readonly clock: Clock;
    },
  ) {}

  /**
   * Resolves when the panel is connected; if it is already, after WRITE_AGAIN.
   * Never immediately: in a document that is being closed every request fails at
   * once. Retrying without a delay would keep its process busy forever, and that
   * process is shared by the whole extension.
   */
  after(signal: AbortSignal): Promise<void> {
    const { connection, clock } = this.deps;
    return new Promise((resolve) => {
      const cancel = connection.link === 'live' ? clock.after(WRITE_AGAIN, resolve) : undefined;
      const wake = (): void => {
        cancel?.();
        resolve();
      };
      this.#waiting.push(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** Resolves all waiting promises, because the panel is connected again or closes. */
  wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
