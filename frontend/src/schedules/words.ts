// What is said of schedules, for users.
import type { Schedule, ScheduleRun, ScheduleWhat, ScheduleWhen } from '$ui/protocol/protocol';
import * as p from '$ui/protocol/protocol';
import { oneLine } from '$ui/foreign';
import type { Tone } from '$ui/words';

/** When a schedule runs, as the rest of a sentence. */
export function whenWords(when: ScheduleWhen): string {
  if (when.page !== undefined)
    return when.selector === undefined
      ? `when ${oneLine(when.page)} changes`
      : `when ${oneLine(when.selector)} on ${oneLine(when.page)} changes`;
  if (when.folder !== undefined)
    return `when ${oneLine(when.pattern ?? '*')} appears in ${oneLine(when.folder)}`;
  return when.at ?? '';
}

/** What a schedule runs. */
export function whatWords(what: ScheduleWhat): string {
  if (what.routine !== undefined) return `Routine ${what.routine}`;
  if (what.task !== undefined) return `Task “${oneLine(what.task)}”`;
  return (what.commands ?? []).map(oneLine).join(', then ');
}

const shortTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function timeWords(time: string): string {
  return shortTime.format(new Date(time));
}

/** When a schedule runs next. */
export function nextWords(schedule: Schedule): string {
  if (schedule.off === true) return 'Paused';
  if (schedule.when.folder !== undefined) return 'Waiting for a file';
  if (schedule.next === undefined)
    return schedule.when.page === undefined ? 'Over' : 'Checked soon';
  const at = timeWords(schedule.next);
  return schedule.when.page === undefined ? `Next: ${at}` : `Next check: ${at}`;
}

export function runTone({ state }: ScheduleRun): Tone {
  switch (state) {
    case p.ScheduleRunning:
      return 'busy';
    case p.ScheduleDone:
      return 'ok';
    case p.ScheduleMissed:
      return 'attention';
    case p.ScheduleFailed:
      return 'danger';
  }
}

const reasons: Record<string, string> = {
  time: 'its time came',
  page: 'the page changed',
  file: 'a file appeared',
  user: 'you ran it',
};

/** How a run stands, and why it ran. */
export function runWords(run: ScheduleRun): string {
  const state = { running: 'Running', done: 'Done', failed: 'Failed', missed: 'Missed' }[run.state];
  const times = (run.missed ?? 0) > 1 ? ` ${String(run.missed)} times` : '';
  const took = run.durationMs === undefined ? '' : ` after ${spanWords(run.durationMs)}`;
  const ran = run.state === p.ScheduleMissed ? undefined : reasons[run.reason];
  return `${state}${times}${took}${ran === undefined ? '' : ` (${ran})`}`;
}

/** A span of time, in its largest unit. */
function spanWords(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${String(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
