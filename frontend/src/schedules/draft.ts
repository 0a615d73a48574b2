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
  /** One `name=value` in a line. */
  params: string;
  /** One command in a line. */
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

/** The form of a schedule, or of a new one. */
export function draftOf(schedule?: Schedule): Draft {
  const { what = {}, when = {} } = schedule ?? {};
  return {
    name: schedule?.name ?? '',
    runs:
      what.routine !== undefined ? 'routine' : what.commands !== undefined ? 'commands' : 'task',
    task: what.task ?? '',
    routine: what.routine ?? '',
    params: Object.entries(what.params ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    commands: (what.commands ?? []).join('\n'),
    start: what.start ?? '',
    starts: when.page !== undefined ? 'page' : when.folder !== undefined ? 'folder' : 'at',
    at: when.at ?? '',
    page: when.page ?? '',
    selector: when.selector ?? '',
    everyMinutes: text((when.everySeconds ?? 900) / 60),
    folder: when.folder ?? '',
    pattern: when.pattern ?? '*',
    session: schedule?.session ?? p.DefaultSession,
    startSession: schedule?.startSession ?? false,
    minutes: text(schedule?.maxMinutes ?? p.DefaultScheduleMinutes),
    steps: text(schedule?.maxSteps),
    tokens: text(schedule?.maxTokens),
    notify: schedule?.notify ?? p.ScheduleNotifyFailure,
  };
}

const number = (value: string): number => Math.round(Number(value) || 0);

/** The schedule of a form. `before` is the one that it changes. */
export function scheduleOf(draft: Draft, before?: Schedule): Schedule {
  const params: Record<string, string> = {};
  for (const line of draft.params.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) params[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  const what: p.ScheduleWhat = {
    ...(before?.what.profile !== undefined && { profile: before.what.profile }),
    ...(draft.start !== '' && { start: draft.start }),
    ...(draft.runs === 'task' && { task: draft.task }),
    ...(draft.runs === 'routine' && { routine: draft.routine, params }),
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
