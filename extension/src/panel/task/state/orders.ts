import { CodeNotRunning, TaskEventHead, TaskFailed, type Task } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Problem } from './asking.svelte';
import type { Surroundings } from './tasks.svelte';

/** What programs ask for: the command line, agents. Every panel hears of it, and one takes it. */
export class Orders {
  /** Those that were heard: a panel that connects makes the backend say them again. */
  readonly #heard = new Set<string>();

  constructor(private readonly around: Pick<Surroundings, 'connection' | 'session' | 'heads'>) {}

  /** Whether an order is new, and for a tab of this panel's window. */
  async isOurs(task: Task): Promise<boolean> {
    if (this.#heard.has(task.id)) return false;
    this.#heard.add(task.id);
    const window = await chrome.windows.getCurrent();
    const tab = this.around.session.tabs.find(({ id }) => id === task.tab);
    return tab !== undefined && tab.windowId === window.id;
  }

  /** Tells whoever asked why the task cannot begin. */
  async refuse(task: Task, why: Problem | undefined): Promise<void> {
    const { message, hint } = why ?? { message: 'The panel could not begin the task.', hint: '' };
    const { connection, heads } = this.around;
    const error = { code: CodeNotRunning, message, hint };
    await connection
      .request(
        '/task/write',
        {
          task: task.id,
          viewer: heads.panel,
          kind: TaskEventHead,
          head: { ...task, state: TaskFailed, summary: message, error },
        },
        v.unknown(),
      )
      .catch((failure: unknown) => {
        // Nobody is told then; whoever asked hears that no panel took the task.
        console.warn('An order could not be refused:', failure);
      });
  }
}
