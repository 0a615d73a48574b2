import type { Connection } from '../../connection/connection';
import type { Clock } from '../../core/clock';
import { WRITE_AGAIN } from '../../core/timing';

/** Says when something that failed may be tried again. */
export class Later {
  #waiting: (() => void)[] = [];

  constructor(
    private readonly around: {
      readonly connection: Pick<Connection, 'link'>;
      readonly clock: Clock;
    },
  ) {}

  /**
   * Resolves when the panel is connected, or a while later when it is already.
   * Never at once: in a document that goes every request fails at once, and trying
   * on would keep its process busy for ever, which is that of the whole extension.
   */
  after(signal: AbortSignal): Promise<void> {
    const { connection, clock } = this.around;
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

  /** Connected again, or over: whoever waits goes on. */
  wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
