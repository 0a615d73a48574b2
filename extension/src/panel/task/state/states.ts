import type { TaskFound } from '$ui/protocol/protocol';

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
