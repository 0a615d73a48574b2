// The schedules of the fake app.
import type {
  ActivityEntry,
  Schedule,
  ScheduleRequest,
  SessionWork,
} from '../../ui/protocol/protocol';

const at = '2026-11-21T09:30:00Z';

/** One schedule of each kind, with every state of a run. */
export function someSchedules(): Schedule[] {
  const rest = { session: 'default', maxMinutes: 15, notify: 'failure', created: at } as const;
  return [
    {
      ...rest,
      name: 'invoices',
      what: { routine: 'book', params: { path: '${file}' } },
      when: { folder: '/home/ada/Downloads', pattern: '*.csv' },
      runs: [
        {
          state: 'failed',
          reason: 'file',
          began: '2026-11-21T09:12:00Z',
          durationMs: 900_400,
          file: '/home/ada/Downloads/a very long name of a file that somebody else has chosen.csv',
          message: 'it was stopped after 15m0s, the limit of one run',
          task: 'f3a1',
        },
      ],
    },
    {
      ...rest,
      name: 'morning-report',
      what: {
        task: 'Read the dashboard and write down what has changed',
        start: 'https://a.example',
      },
      when: { at: 'mon-fri 09:30' },
      next: '2026-11-23T08:30:00Z',
      maxTokens: 50_000,
      runs: [
        {
          state: 'missed',
          reason: 'time',
          began: '2026-11-21T08:30:00Z',
          missed: 3,
          message: 'the computer was asleep, or its clock was set',
        },
        {
          state: 'done',
          reason: 'user',
          began: '2026-11-18T08:30:00Z',
          durationMs: 41_200,
          message: 'Two numbers \u202ehave changed',
          task: 'f3a2',
          steps: 7,
          tokens: 12_400,
        },
      ],
    },
    {
      ...rest,
      name: 'tea',
      what: { commands: ['screenshot --full'] },
      when: { page: 'https://shop.example/tea', selector: '.price', everySeconds: 1800 },
      off: true,
      runs: [],
    },
  ];
}

/** The routines and tasks of each session. */
export function someWork(): SessionWork {
  const task = {
    tabs: [],
    steps: 4,
    maxSteps: 50,
    tokens: 9000,
    budget: 0,
    created: at,
    updated: at,
    index: 9,
  };
  return {
    routines: [
      {
        name: 'book',
        title: 'Book a trip',
        goal: 'Book a trip to ${city} for ${days} days',
        params: ['city', 'days'],
        defaults: { days: '2' },
        created: at,
      },
    ],
    tasks: [
      {
        ...task,
        id: 'f3a2',
        title: 'Dashboard',
        goal: 'Read the dashboard and write down what has changed',
        state: 'done',
        summary: 'Two numbers have changed.',
      },
      { ...task, id: 'f3a1', title: 'Invoices', goal: 'Book the new invoices', state: 'failed' },
    ],
  };
}

/** Two questions of the activity with their answers, the newest first. */
export function someAnswers(): ActivityEntry[] {
  const rest = {
    kind: 'question',
    actor: { kind: 'person', name: 'you' },
    session: 'default',
    command: 'eval',
    durationMs: 4000,
  } as const;
  return [
    {
      ...rest,
      index: 9,
      phase: 'answered',
      parent: 7,
      ok: false,
      code: 'refused',
      time: '2026-11-21T09:32:00Z',
      args: { answer: 'deny', in: 'tray' },
      summary: 'Denied',
    },
    {
      ...rest,
      index: 7,
      phase: 'waiting',
      ok: true,
      time: '2026-11-21T09:31:00Z',
      summary: 'Claude Code in t1 wants to upload a file on https://shop.example',
    },
    {
      ...rest,
      index: 5,
      phase: 'answered',
      parent: 4,
      ok: true,
      time: '2026-11-20T09:31:00Z',
      args: { answer: 'once', in: 'panel' },
      summary: 'Allowed once',
    },
    {
      ...rest,
      index: 4,
      phase: 'waiting',
      ok: true,
      time: '2026-11-20T09:30:00Z',
      summary: 'Codex in t2 wants to run JavaScript on https://example.com',
    },
  ];
}

/** The operation, with the schedules that it keeps. */
export function fakeSchedules(
  kept: Schedule[],
  changed: () => void,
): Record<string, (...args: unknown[]) => unknown> {
  let all = kept;
  return {
    Schedules: (request) => {
      const { do: word, name, schedule } = request as ScheduleRequest;
      if (schedule !== undefined) {
        if (schedule.when.at === 'soon')
          throw new Error(
            JSON.stringify({
              code: 'bad_argument',
              message: '"soon" is no time of a schedule',
              hint: 'write it as "daily 09:30"',
            }),
          );
        const runs = all.find((one) => one.name === name)?.runs ?? [];
        all = [...all.filter((one) => one.name !== schedule.name), { ...schedule, runs }];
      } else if (word === 'remove') all = all.filter((one) => one.name !== name);
      else if (word === 'pause' || word === 'resume')
        all = all.map((one) => (one.name === name ? { ...one, off: word === 'pause' } : one));
      else if (word === 'run')
        all = all.map((one) =>
          one.name === name
            ? { ...one, runs: [{ state: 'running', reason: 'user', began: at }, ...one.runs] }
            : one,
        );
      if (word !== 'list') changed();
      return { schedules: all };
    },
  };
}
