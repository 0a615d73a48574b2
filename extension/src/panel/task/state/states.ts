import type { TaskFound, TaskState } from '$ui/protocol/protocol';
import type { Word } from '$ui/words';

/** A task's state, as the user reads it. */
export function stateWord(state: TaskState): Word {
  switch (state) {
    case 'running':
      return { text: 'working', tone: 'busy' };
    case 'waiting':
      return { text: 'needs you', tone: 'attention' };
    case 'paused':
      return { text: 'paused', tone: 'off' };
    case 'done':
      return { text: 'done', tone: 'ok' };
    case 'failed':
      return { text: 'failed', tone: 'danger' };
    case 'stopped':
      return { text: 'stopped', tone: 'off' };
    case 'interrupted':
      return { text: 'interrupted', tone: 'attention' };
    default:
      return { text: 'waiting to start', tone: 'off' };
  }
}

/** Where a text was found in a task, as the user reads it. */
export function foundWhere({ in: part, step = 0 }: Pick<TaskFound, 'in' | 'step'>): string {
  switch (part) {
    case 'title':
    case 'goal':
      return 'Goal';
    case 'summary':
      return 'Result';
    case 'person':
      return 'Your message';
    case 'note':
      return 'Note';
    case 'page':
      return `Page of step ${String(step)}`;
    default:
      return `Step ${String(step)}`;
  }
}
