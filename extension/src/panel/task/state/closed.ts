import type { Tab, Task } from '$ui/protocol/protocol';
import type { Clock } from '../../core/clock';
import { TABS_GONE } from '../../core/timing';

/** What Closed needs of a task that runs in this panel. */
export interface Working {
  readonly head: Task;
  readonly loop: { lose(): void };
}

/** Whether none of a task's tabs is open any more. */
export function homeless(task: Task, open: readonly Tab[]): boolean {
  return !open.some(({ id }) => id === task.tab || task.tabs.includes(id));
}

/**
 * Ends tasks whose tabs were all closed, also those that would wait for the user
 * forever. Not at once: when the browser ends it closes its tabs first, and its
 * tasks must stay resumable.
 */
export class Closed {
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly running: () => Iterable<Working>,
  ) {}

  /** Called with the tabs that are open now. */
  tabs(open: readonly Tab[]): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const gone = [...this.running()].filter(({ head }) => homeless(head, open));
    if (open.length === 0 || gone.length === 0) return;
    this.#cancel = this.clock.after(TABS_GONE, () => {
      for (const { loop } of gone) loop.lose();
    });
  }
}
