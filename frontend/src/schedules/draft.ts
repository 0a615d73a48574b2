// A schedule as the form has it: every field is a text or a switch.
import type { Schedule } from '$ui/protocol/protocol';
import * as p from '$ui/protocol/protocol';

export type WhatKind = 'task' | 'routine' | 'commands';
export type WhenKind = 'at' | 'page' | 'folder';

export interface Draft {
  name: string;
  runs: WhatKind;
  task: string;
  routine: string;
  /** The values of the routine's parameters. */
  params: Record<string, string>;
  /** One command per line. */
  commands: string;
  start: string;
  starts: WhenKind;
  at: string;
  page: string;
  selector: string;
  everyMinutes: string;
  folder: string;
  pattern: string;
  session: string;
  startSession: boolean;
  minutes: string;
  steps: string;
  tokens: string;
  notify: string;
}

const text = (value: number | undefined): string => (value ? String(value) : '');

/** What a new schedule runs, and in which session. */
export interface NewSchedule {
  readonly what: p.ScheduleWhat;
  readonly session: p.SessionName;
}

/** A name for what is scheduled, in the letters that a name may have. */
export function nameOf({ routine, task = '' }: p.ScheduleWhat): string {
  const words = (routine ?? task).toLowerCase().match(/[a-z0-9_-]+/g) ?? [];
  return words.slice(0, 5).join('-').slice(0, 40);
}

/** The form of a schedule, or of a new one. */
export function draftOf(schedule?: Schedule, made?: NewSchedule): Draft {
  const { what = made?.what ?? {}, when = {} } = schedule ?? {};
  return {
    name: schedule?.name ?? nameOf(what),
    runs:
      what.routine !== undefined ? 'routine' : what.commands !== undefined ? 'commands' : 'task',
    task: what.task ?? '',
    routine: what.routine ?? '',
    params: { ...what.params },
    commands: (what.commands ?? []).join('\n'),
    start: what.start ?? '',
    starts: when.page !== undefined ? 'page' : when.folder !== undefined ? 'folder' : 'at',
    at: when.at ?? (schedule === undefined ? 'daily 09:00' : ''),
    page: when.page ?? '',
    selector: when.selector ?? '',
    everyMinutes: text((when.everySeconds ?? 900) / 60),
    folder: when.folder ?? '',
    pattern: when.pattern ?? '*',
    session: schedule?.session ?? made?.session ?? p.DefaultSession,
    startSession: schedule?.startSession ?? false,
    minutes: text(schedule?.maxMinutes ?? p.DefaultScheduleMinutes),
    steps: text(schedule?.maxSteps),
    tokens: text(schedule?.maxTokens),
    notify: schedule?.notify ?? p.ScheduleNotifyFailure,
  };
}

const number = (value: string): number => Math.round(Number(value) || 0);

/** The parameters that have a value; the others have the routine's default. */
function entered(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));
}

/** The schedule of a form. `before` is the one that it changes. */
export function scheduleOf(draft: Draft, before?: Schedule): Schedule {
  const what: p.ScheduleWhat = {
    ...(before?.what.profile !== undefined && { profile: before.what.profile }),
    ...(draft.start !== '' && { start: draft.start }),
    ...(draft.runs === 'task' && { task: draft.task }),
    ...(draft.runs === 'routine' && { routine: draft.routine, params: entered(draft.params) }),
    ...(draft.runs === 'commands' && { commands: draft.commands.split('\n') }),
  };
  const when: p.ScheduleWhen =
    draft.starts === 'at'
      ? { at: draft.at }
      : draft.starts === 'page'
        ? {
            page: draft.page,
            everySeconds: number(String(Number(draft.everyMinutes) * 60)),
            ...(draft.selector !== '' && { selector: draft.selector }),
          }
        : { folder: draft.folder, pattern: draft.pattern };
  return {
    name: draft.name.trim(),
    what,
    when,
    session: draft.session,
    startSession: draft.startSession,
    off: before?.off ?? false,
    maxMinutes: number(draft.minutes),
    maxSteps: number(draft.steps),
    maxTokens: number(draft.tokens),
    notify: draft.notify as p.ScheduleNotify,
    created: before?.created ?? new Date(0).toISOString(),
    runs: [],
  };
}
