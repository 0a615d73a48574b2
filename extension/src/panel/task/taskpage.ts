import { systemClock } from '../connection/clock';
import type { EarlyConnection } from '../connection/early';
import { SessionStore } from '../state/session.svelte';
import { Heads } from './state/heads.svelte';
import { Tasks } from './state/tasks.svelte';

/**
 * Runs tasks in the task page: the tasks of a panel without an interface. The app opens that page
 * in no window when a task is to run and no panel is open for it.
 */
export function runTasks(early: EarlyConnection): void {
  const session = new SessionStore();
  const heads = new Heads();
  const tasks = new Tasks({
    connection: early.connection,
    session,
    heads,
    clock: systemClock,
    taskPage: true,
  });
  early.listen({
    onLink(link) {
      session.link = link;
    },
    onEvent(event) {
      session.apply(event);
      heads.apply(event);
      tasks.apply(event);
    },
  });
}
