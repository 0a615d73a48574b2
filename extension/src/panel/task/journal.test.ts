import { TaskEventHead, TaskRunning, type Task } from '$ui/protocol/protocol';
import { expect, it } from 'vitest';
import { OfflineError } from '../connection/connection';
import { RefusedError } from '../connection/request';
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

/** A journal whose requests fail in turn, and that is tried again when it is told to. */
function journal(failures: readonly Error[]) {
  const left = [...failures];
  const sent: unknown[] = [];
  const again: (() => void)[] = [];
  const ended = new AbortController();
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
    },
    ended.signal,
  );
  return { made, sent, again };
}

/** Every promise that can be kept now has been. */
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
