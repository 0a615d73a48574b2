import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answering, hearing, type Asked, type Desks } from './answer';
import { MessageError, question, tabEvent, type Answer } from './envelope';
import type { Sender } from './sender';

const own = 'ownownownownownownownownownownow';
const ours = `chrome-extension://${own}`;
const panel: Sender = { id: own, url: `${ours}/panel.html` };
const script = {
  id: own,
  url: 'https://example.com/',
  tab: { id: 7 } as chrome.tabs.Tab,
  frameId: 0,
} satisfies Sender;

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

/** The answer to a message; undefined when no listener answers. */
function answered(
  message: unknown,
  sender: Sender,
  desks: Desks,
  alone = true,
): Promise<Answer> | undefined {
  const refused: Answer[] = [];
  let reply = (answer: Answer): unknown => refused.push(answer);
  const later = answering(desks, own, alone)(message, sender, (answer) => reply(answer));
  if (!later) return refused[0] === undefined ? undefined : Promise.resolve(refused[0]);
  return new Promise((resolve) => {
    reply = resolve;
  });
}

const call = question('rpc:call', 'frames', { tab: 7 }, 2_000, 'q1');
const frames = (does: (params: { tab: number }, asked: Asked) => unknown): Desks => ({
  'rpc:call': { frames: does as never },
});
const fault = async (answer: Promise<Answer> | undefined): Promise<string> => {
  const got = await answer;
  return got === undefined ? 'no answer' : got.ok ? 'ok' : got.error.code;
};

describe('the answering side', () => {
  it('answers with what the method says, on the id of the question', async () => {
    const answer = await answered(
      call,
      panel,
      frames(({ tab }) => [{ frame: tab }]),
    );
    expect(answer).toMatchObject({ kind: 'query:response', id: 'q1', ok: true });
    expect(answer).toMatchObject({ value: [{ frame: 7 }] });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('checks the sender before it looks at anything else', async () => {
    const handler = vi.fn();
    for (const sender of [script, { ...panel, id: 'another' }, {}])
      expect(await fault(answered(call, sender, frames(handler)))).toBe('sender');
    // An unauthorized sender does not learn what else is wrong with its message.
    expect(await fault(answered({ ...call, v: 99 }, script, frames(handler)))).toBe('sender');
    expect(handler).not.toHaveBeenCalled();
  });

  it('refuses with words what it does not know', async () => {
    const desks = frames(() => []);
    expect(await fault(answered({ ...call, v: 99 }, panel, desks))).toBe('version');
    expect(await fault(answered({ ...call, kind: 'rpc:shout' }, panel, desks))).toBe(
      'unknown_kind',
    );
    expect(await fault(answered({ ...call, kind: 'cs:rpc' }, panel, desks))).toBe('unknown_kind');
    expect(await fault(answered({ hello: 1 }, panel, desks))).toBe('bad_message');
    for (const method of ['shout', 'toString', '__proto__'])
      expect(await fault(answered({ ...call, method }, panel, desks))).toBe('unknown_method');
  });

  it('leaves alone what others answer', () => {
    const desks: Desks = { 'cs:rpc': { welcome: () => null } };
    const worker = { id: own, url: `${ours}/worker.js` };
    expect(answered(call, panel, desks, false)).toBeUndefined();
    const look = question('cs:rpc', 'click', {} as never, 2_000);
    expect(answered(look, worker, desks, false)).toBeUndefined();
    expect(answered(tabEvent('executor-ready', 2_000), script, desks)).toBeUndefined();
  });

  it('does nothing after the deadline, and answers at it', async () => {
    const handler = vi.fn();
    expect(await fault(answered({ ...call, deadline: 1_000 }, panel, frames(handler)))).toBe(
      'deadline',
    );
    expect(handler).not.toHaveBeenCalled();
    let signal: AbortSignal | undefined;
    const answer = answered(
      call,
      panel,
      frames((_, asked) => {
        ({ signal } = asked);
        return new Promise(() => undefined);
      }),
    );
    await vi.advanceTimersByTimeAsync(999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await fault(answer)).toBe('deadline');
    expect(signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells why something failed', async () => {
    const throws = (error: unknown): Desks =>
      frames(() => {
        throw error;
      });
    const covered = new MessageError('covered', 'It is covered.', 'Look.');
    expect(await answered(call, panel, throws(covered))).toMatchObject({
      ok: false,
      error: { code: 'covered', message: 'It is covered.', hint: 'Look.' },
    });
    expect(await answered(call, panel, throws(new Error('')))).toMatchObject({
      error: { code: 'internal', message: 'It failed and gave no reason.' },
    });
  });
});

it('hears what content scripts say of their tabs, and nobody else', () => {
  const heard = vi.fn();
  const listener = hearing(own, heard);
  const event = tabEvent('executor-ready', 2_000);
  expect(listener(event, script)).toBe(false);
  expect(heard).toHaveBeenCalledExactlyOnceWith(event, script);
  listener(event, panel);
  listener(event, { ...script, id: 'another' });
  listener({ ...event, v: 99 }, script);
  listener(call, panel);
  expect(heard).toHaveBeenCalledTimes(1);
});
