import {
  TaskDone,
  TaskFailed,
  TaskStopped,
  type PanelEvent,
  type TabID,
  type Task,
  type TaskID,
} from '$ui/protocol/protocol';
import { byTime } from '$ui/time';

/** The states of a task that has ended. */
const over: readonly string[] = [TaskDone, TaskFailed, TaskStopped];

export const isOver = (task: Task): boolean => over.includes(task.state);

/** Whether a task has failed and the user has not closed it yet. */
export const isLeft = (task: Task): boolean => task.state === TaskFailed && task.closed !== true;

/** All tasks without their steps, as they were last reported. */
export class Heads {
  /** The name of this panel. */
  panel = '';
  all = $state.raw<readonly Task[]>([]);
  /** What the user sends to the agent, until Task has put it into its field. */
  handed = $state<string>();
  /** The task or routine that another part asked for, until Task shows or starts it. */
  wanted = $state.raw<{ readonly task?: TaskID; readonly routine?: string }>();

  get(id: TaskID): Task | undefined {
    return this.all.find((task) => task.id === id);
  }

  /** The newest unfinished task of a tab. */
  unfinishedOf(tab: TabID): Task | undefined {
    return this.all.find((task) => !isOver(task) && (task.tab === tab || task.tabs.includes(tab)));
  }

  /** The newest task of a tab that has failed and that the user has not closed. */
  failedOf(tab: TabID): Task | undefined {
    return this.all.find((task) => isLeft(task) && (task.tab === tab || task.tabs.includes(tab)));
  }

  apply(event: PanelEvent): void {
    if (event.type === 'hello') {
      this.panel = event.panel;
      const reported = event.tasks.map(({ id }) => id);
      this.all = [
        ...event.tasks,
        ...this.all.filter((task) => !reported.includes(task.id) && isOver(task)),
      ].sort(newest);
    } else if (event.type === 'task') this.put(event.task);
    else if (event.type === 'task_gone') this.remove(event.task);
  }

  /** Removes a task that was deleted or was never written. */
  remove(task: TaskID): void {
    this.all = this.all.filter(({ id }) => id !== task);
  }

  put(task: Task): void {
    const known = this.get(task.id);
    // Tasks arrive in several ways; an older state is ignored.
    if (known !== undefined && olderThan(task, known)) return;
    this.all = [task, ...this.all.filter(({ id }) => id !== task.id)].sort(newest);
  }
}

/** Whether a reported state of a task is older than the known one. */
function olderThan(said: Task, known: Task): boolean {
  return said.index === known.index
    ? byTime(said.updated, known.updated) < 0
    : said.index < known.index;
}

function newest(a: Task, b: Task): number {
  return byTime(b.created, a.created);
}
