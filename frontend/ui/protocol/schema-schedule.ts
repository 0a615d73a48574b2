// The schemas of schedules, which the window shows.
import * as v from 'valibot';
import * as p from './protocol';

const whatSchema = v.object({
  routine: v.exactOptional(v.string()),
  params: v.exactOptional(v.record(v.string(), v.string())),
  task: v.exactOptional(v.string()),
  commands: v.exactOptional(v.array(v.string())),
  start: v.exactOptional(v.string()),
  profile: v.exactOptional(v.string()),
});

const whenSchema = v.object({
  at: v.exactOptional(v.string()),
  page: v.exactOptional(v.string()),
  selector: v.exactOptional(v.string()),
  everySeconds: v.exactOptional(v.number()),
  folder: v.exactOptional(v.string()),
  pattern: v.exactOptional(v.string()),
});

const runSchema = v.object({
  state: v.picklist([p.ScheduleRunning, p.ScheduleDone, p.ScheduleFailed, p.ScheduleMissed]),
  reason: v.string(),
  began: v.string(),
  durationMs: v.exactOptional(v.number()),
  missed: v.exactOptional(v.number()),
  file: v.exactOptional(v.string()),
  message: v.exactOptional(v.string()),
  task: v.exactOptional(v.string()),
  steps: v.exactOptional(v.number()),
  tokens: v.exactOptional(v.number()),
});

const scheduleSchema = v.object({
  name: v.string(),
  what: whatSchema,
  when: whenSchema,
  session: v.string(),
  startSession: v.exactOptional(v.boolean()),
  off: v.exactOptional(v.boolean()),
  maxMinutes: v.number(),
  maxSteps: v.exactOptional(v.number()),
  maxTokens: v.exactOptional(v.number()),
  notify: v.picklist([p.ScheduleNotifyFailure, p.ScheduleNotifyAlways, p.ScheduleNotifyNever]),
  created: v.string(),
  next: v.exactOptional(v.string()),
  runs: v.array(runSchema),
});

/** What the window shows when another part of the app brings it to the front. */
export const windowShowSchema = v.object({
  page: v.exactOptional(
    v.picklist([
      p.WindowSessions,
      p.WindowApprovals,
      p.WindowSchedules,
      p.WindowSettings,
      p.WindowLogs,
      p.WindowFirst,
    ]),
  ),
  schedule: v.exactOptional(whatSchema),
  session: v.exactOptional(v.string()),
});

export const scheduleReplySchema = v.object({ schedules: v.array(scheduleSchema) });
