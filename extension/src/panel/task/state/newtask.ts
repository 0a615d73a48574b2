import { TaskIdle, type TabID, type Task } from '$ui/protocol/protocol';
import { withoutEnvelopes } from '$ui/foreign';
import { beginning } from '../../core/words';
import type { TaskSettings } from './settings';

/** The longest title of a task, in characters. */
const titleLetters = 60;

/** The title of a task: the first line of its goal, which may be cut. */
function titleOf(goal: string): string {
  const line = withoutEnvelopes(goal).split('\n')[0] ?? '';
  return line.length > titleLetters ? `${beginning(line, titleLetters - 1).trimEnd()}…` : line;
}

/** A task that has not started. */
export function newTask(
  tab: TabID,
  goal: string,
  settings: TaskSettings,
  more: Partial<Task>,
): Task {
  const now = new Date().toISOString();
  return {
    id: crypto.randomUUID(),
    title: titleOf(goal),
    goal,
    tab,
    tabs: [tab],
    state: TaskIdle,
    steps: 0,
    maxSteps: settings.steps,
    tokens: 0,
    budget: settings.tokens,
    keepGroup: settings.keepGroup,
    created: now,
    updated: now,
    index: 0,
    ...more,
  };
}

/** The longest context of earlier tasks, in characters. */
const earlierLetters = 6_000;

/** The context for a follow-up task: the previous task, and the context that it had itself. */
export function contextOf(task: Task, earlier: string): string {
  const ended = task.summary === undefined || task.summary === '' ? task.state : task.summary;
  const whole = `${earlier}\n\nGoal: ${task.goal}\nHow it ended: ${ended}`.trim();
  return whole.length > earlierLetters
    ? `… ${whole.slice(-earlierLetters).replace(/^[\udc00-\udfff]/, '')}`
    : whole;
}
