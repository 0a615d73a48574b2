import { describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../panel/core/fakes/clock';
import { ask, askAgain, mayRepeat, undelivered, type Repeat, type Send } from './ask';
import { answerTo, MessageError, question, type Question } from './envelope';

const asked = question('rpc:call', 'frames', { tab: 7 }, 1_000, 'q1');
const nobody = 'Could not establish connection. Receiving end does not exist.';
const gone =
  'A listener indicated an asynchronous response by returning true, but the message channel closed before a response was received';

function patience(): { clock: FakeClock; now: () => number } {
  const clock = new FakeClock();
  return { clock, now: () => clock.now };
}

describe('asking once', () => {
  it('gives the answer, and nothing is pending', async () => {
    const { clock, now } = patience();
    const send: Send = (message) => Promise.resolve(answerTo(message, { ok: true, value: [1] }));
    expect(await ask(send, asked, { clock, now })).toEqual([1]);
    expect(clock.pending).toBe(0);
  });

  it('ends at the deadline; an answer after that is nobody’s', async () => {
    const { clock, now } = patience();
    let late: (value: unknown) => void = () => undefined;
    const answer = ask(() => new Promise((resolve) => (late = resolve)), asked, { clock, now });
    const ended = expect(answer).rejects.toMatchObject({ code: 'deadline' });
    clock.advance(1_000);
    await ended;
    late(answerTo(asked, { ok: true, value: [] }));
    expect(clock.pending).toBe(0);
  });

  it('says what was asked of a tab when that was too late', async () => {
    const { clock, now } = patience();
    const to = { tab: 7, frame: 0, kind: 'cs:rpc', method: 'click', params: {} } as const;
    const click = question('rpc:call', 'tab', to, 1_000);
    const answer = ask(() => new Promise(() => undefined), click, { clock, now });
    const ended = expect(answer).rejects.toMatchObject({
      message: 'The page did not answer click in time.',
      hint: 'Look at the page before you do it again.',
    });
    clock.advance(1_000);
    await ended;
  });

  it('takes no answer to another question', async () => {
    const other: Send = (message) =>
      Promise.resolve(answerTo({ ...message, id: 'q2' }, { ok: true, value: [] }));
    await expect(ask(other, asked, patience())).rejects.toMatchObject({ code: 'bad_message' });
    const none: Send = () => Promise.resolve(undefined);
    await expect(ask(none, asked, patience())).rejects.toMatchObject({ code: 'bad_message' });
  });

  it('is given up by its asker', async () => {
    const end = new AbortController();
    const { clock, now } = patience();
    const waiting = () => new Promise(() => undefined);
    const answer = ask(waiting, asked, { clock, now, signal: end.signal });
    const ended = expect(answer).rejects.toMatchObject({ code: 'aborted' });
    end.abort();
    await ended;
    expect(clock.pending).toBe(0);
    await expect(ask(waiting, asked, { clock, now, signal: end.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(clock.pending).toBe(0);
  });

  it('tells what the other side says', async () => {
    const error = { code: 'restricted', message: 'No.', hint: 'Go.' } as const;
    const send: Send = (message) => Promise.resolve(answerTo(message, { ok: false, error }));
    await expect(ask(send, asked, patience())).rejects.toMatchObject(error);
  });
});

it('knows the browser’s ways to say that nobody answers', () => {
  expect(undelivered(new Error(nobody)).code).toBe('unreached');
  expect(undelivered(new Error('Frame with ID 3 was removed.')).code).toBe('unreached');
  expect(undelivered(new Error('No frame with id 3 in tab with id 7.')).code).toBe('unreached');
  expect(undelivered(new Error(gone)).code).toBe('lost');
  const closed = 'The message port closed before a response was received.';
  expect(undelivered(new Error(closed)).code).toBe('lost');
  expect(undelivered(new Error('No tab with id: 7.')).code).toBe('no_tab');
  expect(undelivered(new Error('')).message).not.toBe('');
});

describe('asking again', () => {
  /** Fails with these codes one after the other, then answers. */
  function failing(...codes: MessageError['code'][]): {
    attempt: () => Promise<string>;
    tries: () => number;
  } {
    let tries = 0;
    return {
      attempt: () => {
        const code = codes[tries];
        tries += 1;
        return code === undefined
          ? Promise.resolve('done')
          : Promise.reject(new MessageError(code, code));
      },
      tries: () => tries,
    };
  }
  const repeat = (
    clock: FakeClock,
    kind: Question['kind'],
    more: Partial<Repeat> = {},
  ): Repeat => ({
    clock,
    now: () => clock.now,
    kind,
    deadline: 1_000,
    pause: (attempt) => 50 * 2 ** (attempt - 1),
    ...more,
  });
  /** Lets pending promise callbacks run. */
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is done for what is safe to do twice only', () => {
    expect(mayRepeat('cs:query', 'lost')).toBe(true);
    expect(mayRepeat('cs:query', 'unreached')).toBe(true);
    expect(mayRepeat('cs:rpc', 'unreached')).toBe(true);
    expect(mayRepeat('cs:rpc', 'lost')).toBe(false);
    for (const code of ['deadline', 'no_tab', 'restricted', 'discarded', 'covered'] as const)
      expect(mayRepeat('cs:query', code)).toBe(false);
  });

  it('waits longer each time, and ends when there is an answer', async () => {
    const clock = new FakeClock();
    const { attempt, tries } = failing('lost', 'unreached', 'lost');
    const answer = askAgain(attempt, repeat(clock, 'cs:query'));
    for (const [pause, count] of [
      [50, 1],
      [100, 2],
      [200, 3],
    ] as const) {
      await turn();
      clock.advance(pause - 1);
      await turn();
      expect(tries()).toBe(count);
      clock.advance(1);
    }
    expect(await answer).toBe('done');
    expect(clock.pending).toBe(0);
  });

  it('never does again what may have happened', async () => {
    const { attempt, tries } = failing('lost');
    await expect(askAgain(attempt, repeat(new FakeClock(), 'cs:rpc'))).rejects.toMatchObject({
      code: 'lost',
    });
    expect(tries()).toBe(1);
  });

  it('begins no try that would be too late', async () => {
    const { attempt, tries } = failing('lost', 'lost');
    const clock = new FakeClock();
    await expect(
      askAgain(attempt, repeat(clock, 'cs:query', { deadline: 50 })),
    ).rejects.toMatchObject({ code: 'lost' });
    expect(tries()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('goes on at once when there is a reason to', async () => {
    const clock = new FakeClock();
    const end = vi.fn();
    const { attempt } = failing('unreached');
    const woken = () => ({ done: Promise.resolve(), end });
    expect(await askAgain(attempt, repeat(clock, 'cs:query', { woken }))).toBe('done');
    expect(end).toHaveBeenCalledTimes(1);
    expect(clock.pending).toBe(0);
  });

  it('ends in its pause when the asker gives up', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const end = vi.fn();
    const woken = () => ({ done: new Promise<void>(() => undefined), end });
    const { attempt } = failing('unreached');
    const answer = askAgain(attempt, repeat(clock, 'cs:query', { signal: stop.signal, woken }));
    const ended = expect(answer).rejects.toMatchObject({ code: 'aborted' });
    await turn();
    stop.abort();
    await ended;
    expect(end).toHaveBeenCalledTimes(1);
    expect(clock.pending).toBe(0);
  });
});
