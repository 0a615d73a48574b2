import {
  CodeNotRunning,
  TaskEventHead,
  TaskFailed,
  type PanelEvent,
  type Task,
} from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Problem } from './asking.svelte';
import type { Dependencies } from './tasks.svelte';

/**
 * The orders of programs (the command line, agents). Every panel and the task page receive an
 * order, and one takes it.
 */
export class Orders {
  /** The orders already received. The backend sends them again whenever a panel connects. */
  readonly #heard = new Set<string>();

  constructor(private readonly deps: Omit<Dependencies, 'clock'>) {}

  /** Whether an order is new, and for the task page or a tab in this panel's window. */
  async isOurs(event: Extract<PanelEvent, { type: 'task_order' }>): Promise<boolean> {
    const { order, task, page = false } = event;
    const known = `${order} ${task.id}`;
    if (page !== (this.deps.taskPage === true) || this.#heard.has(known)) return false;
    this.#heard.add(known);
    if (page) return true;
    const window = await chrome.windows.getCurrent();
    const tab = this.deps.session.tabs.find(({ id }) => id === task.tab);
    return tab !== undefined && tab.windowId === window.id;
  }

  /** Reports to the requesting program why the task cannot start. */
  async refuse(task: Task, why: Problem | undefined): Promise<void> {
    const { message, hint } = why ?? { message: 'The panel could not begin the task.', hint: '' };
    const { connection, heads } = this.deps;
    const error = { code: CodeNotRunning, message, hint } as const;
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
        // The program then learns only that no panel took the task.
        console.warn('An order could not be refused:', failure);
      });
  }
}
