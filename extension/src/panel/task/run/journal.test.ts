import {
  TaskEventHead,
  TaskEventUser,
  TaskRunning,
  type Task,
  type TaskWriteRequest,
} from '$ui/protocol/protocol';
import { expect, it } from 'vitest';
import { OfflineError } from '../../connection/connection';
import { RefusedError } from '../../connection/request';
import { TaskJournal } from './journal';

const head: Task = {
  id: 'a-task',
  title: 'Fill the form',
  goal: 'fill the form',
  tabs: [],
  state: TaskRunning,
  steps: 0,
  maxSteps: 40,
  tokens: 0,
  budget: 0,
  created: '2026-11-21T10:00:00Z',
  updated: '2026-11-21T10:00:00Z',
  index: 0,
};

/**
 * A journal whose requests fail with these errors in turn, and that retries when
 * the test says so.
 */
function journal(failures: readonly Error[]) {
  const left = [...failures];
  const sent: unknown[] = [];
  const again: (() => void)[] = [];
  const ended = new AbortController();
  const written: Task[] = [];
  let count = 0;
  const made = new TaskJournal(
    head.id,
    {
      connection: {
        request: (_path: string, body: unknown) => {
          sent.push(body);
          const failure = left.shift();
          return failure === undefined
            ? Promise.resolve({ index: 1, head })
            : Promise.reject(failure);
        },
      },
      viewer: () => `view ${String(sent.length)}`,
      live: () =>
        new Promise((resolve) => {
          again.push(resolve);
        }),
      count: () => (count += 1),
      written: (reply) => {
        written.push(reply.head);
      },
    },
    ended.signal,
  );
  return { made, sent, again, written, ended };
}

/** What was written, in order: the kind, the sequence number and the data of each. */
const records = (writes: readonly unknown[]): string[] =>
  writes.map((one) => {
    const { kind, seq = 0, data } = one as TaskWriteRequest;
    return `${kind} ${String(seq)} ${String(data)}`;
  });

/** Resolves when all promises that can resolve now have resolved. */
const settled = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

it.each([
  ['the app is away', new OfflineError()],
  ['a request fails at once, as in a document that goes', new TypeError('Failed to fetch')],
  [
    'the view is another one now',
    new RefusedError({ code: 'not_running', message: 'this view of the panel is gone' }, 409),
  ],
])('%s: what is to be written waits, and is not tried at once', async (_, failure) => {
  const { made, sent, again } = journal([failure, failure]);
  const written = made.write(TaskEventHead, head);
  await settled();
  expect(sent).toHaveLength(1);
  again.shift()?.();
  await settled();
  expect(sent).toHaveLength(2);
  again.shift()?.();
  expect((await written).head).toEqual(head);
  expect(sent).toMatchObject([{ viewer: 'view 0' }, { viewer: 'view 1' }, { viewer: 'view 2' }]);
});

it('what is refused is not written again, and keeps none behind it', async () => {
  const { made, sent } = journal([
    new RefusedError({ code: 'not_writable', message: 'the disk is full' }, 507),
  ]);
  await expect(made.write(TaskEventHead, head)).rejects.toThrow('the disk is full');
  await made.write(TaskEventHead, head);
  expect(sent).toHaveLength(2);
});

const away = [
  ['the app is away', new OfflineError()],
  ['the session ends', new RefusedError({ code: 'not_running', message: 'the session ends' }, 409)],
] as const;

it('a step goes along with the next request, and the whole one instead of its thought', async () => {
  const { made, sent, written } = journal([]);
  made.hold(1, head, 'thought');
  made.hold(1, head, 'whole', { step: 1, tab: 't1' });
  const asked: TaskWriteRequest[] = [];
  const reply = await made.along(false, (writes) => {
    asked.push(...writes);
    return Promise.resolve({ ok: true, written: { index: 7, head } });
  });
  expect(reply.ok).toBe(true);
  expect(asked).toMatchObject([
    { kind: 'step', seq: 2, data: 'whole', viewer: 'view 0', picture: { step: 1, tab: 't1' } },
  ]);
  expect(written).toEqual([head]);
  // Nothing is left for the next request.
  await made.along(false, (writes) => {
    asked.push(...writes);
    return Promise.resolve({});
  });
  await made.flush();
  expect(asked).toHaveLength(1);
  expect(sent).toEqual([]);
});

it('what is held is written before whatever else is', async () => {
  const { made, sent, written } = journal([]);
  made.hold(1, head, 'whole');
  await made.write(TaskEventUser, head, 'stop that');
  expect(records(sent)).toEqual(['step 1 whole', 'person 2 stop that']);
  expect(written).toEqual([head]);
});

it.each(away)('%s: a request that never came is sent once it is back', async (_, failure) => {
  const { made, sent } = journal([]);
  made.hold(1, head, 'thought');
  const asked: number[] = [];
  await made.along(false, (writes) => {
    asked.push(writes.length);
    return asked.length === 1 ? Promise.reject(failure) : Promise.resolve({});
  });
  // The thought was written by a request of its own, before the second request.
  expect(asked).toEqual([1, 0]);
  expect(records(sent)).toEqual(['step 1 thought']);
});

it.each([
  [true, 2],
  [false, 1],
])(
  'a request that may have come is sent again only when that does no harm (%s)',
  async (safe, times) => {
    const { made, sent } = journal([]);
    made.hold(1, head, 'thought');
    let asked = 0;
    const done = made.along(safe, () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve({});
    });
    if (safe) await done;
    else await expect(done).rejects.toThrow('Failed to fetch');
    expect(asked).toBe(times);
    // It has the same sequence number, so that it is written once whatever became of
    // the first request.
    await made.flush();
    expect(records(sent)).toEqual(['step 1 thought']);
  },
);

it('what could not be written is still to be written, and the request is not sent again', async () => {
  const { made, sent } = journal([]);
  made.hold(3, head, 'thought');
  const full = new RefusedError({ code: 'not_writable', message: 'the disk is full' }, 507);
  await expect(made.along(true, () => Promise.reject(full))).rejects.toThrow('the disk is full');
  expect(sent).toEqual([]);
  await made.flush();
  expect(records(sent)).toEqual(['step 1 thought']);
});

it('a task that was stopped tries nothing again, and loses nothing', async () => {
  const { made, sent, ended } = journal([]);
  made.hold(1, head, 'whole');
  const done = made.along(true, () => {
    ended.abort();
    return Promise.reject(new TypeError('Failed to fetch'));
  });
  await expect(done).rejects.toThrow('Failed to fetch');
  expect(sent).toEqual([]);
  await made.flush();
  expect(records(sent)).toEqual(['step 1 whole']);
});
