import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Conversation } from '$ui/protocol/protocol';
import { AskedConnection } from '../connection/fakes/asked';
import { RefusedError } from '../connection/request';
import { FakeClock } from '../core/fakes/clock';
import { MAX_TRANSCRIPTS } from '../core/timing';
import { Conversations } from '../state/conversations.svelte';
import { head } from './fakes/head';
import { Chats } from './chats.svelte';

let connection: AskedConnection;
let heads: Conversations;
let chats: Chats;
beforeEach(() => {
  // In a hidden document new entries are drawn at once.
  vi.stubGlobal('document', { hidden: true });
  connection = new AskedConnection();
  heads = new Conversations();
  chats = new Chats({ connection: connection.whole, heads, clock: new FakeClock() });
});

const know = (...all: Conversation[]): void => {
  for (const one of all) heads.put(one);
  chats.settle('t1', heads.all);
};
/** The conversation that t1 shows. */
const shown = (): string => {
  const id = chats.of('t1');
  if (id === undefined) throw new Error('t1 shows no conversation');
  return id;
};
const paths = (): string[] => connection.asked.map(({ path }) => path);
const refuse = (): never => {
  throw new RefusedError({ code: 'internal', message: 'no' }, 500);
};
const words = { text: 'hello', attachments: [] };
const entry = (index: number) => ({
  id: `x${String(index)}`,
  index,
  kind: 'text' as const,
  at: '2026-11-21T09:30:00Z',
  text: String(index),
});

describe('the conversation beside a tab', () => {
  it('is the one used last', () => {
    know(head('old'), head('new', { updated: '2026-11-21T10:00:00Z' }));
    expect(shown()).toBe('new');
    know(head('old', { updated: '2026-11-21T11:00:00Z' }));
    expect(shown()).toBe('new');
  });

  it('is a new one where there is none, of which the backend hears nothing', () => {
    know(head('elsewhere', { tab: 't2' }));
    expect(heads.get(shown())).toBeUndefined();
    expect(connection.asked).toEqual([]);
  });

  it.each([
    ['nobody wrote to it', () => undefined, 'begun elsewhere'],
    ['somebody writes to it', () => (chats.input(shown()).text = 'h'), 'own'],
    [
      'somebody asked for it',
      () => {
        chats.begin('t1');
      },
      'own',
    ],
  ])('gives way to one that was begun elsewhere only while %s', (_, does, stays) => {
    know();
    does();
    const own = shown();
    know(head('begun elsewhere'));
    expect(shown()).toBe(stays === 'own' ? own : stays);
  });

  it('begun anew is one without a word, if there is one', () => {
    know(head('used'));
    chats.begin('t1');
    const fresh = shown();
    expect(fresh).not.toBe('used');
    know(head('empty', { entries: 0 }));
    chats.choose('t1', 'used');
    chats.begin('t1');
    expect(shown()).toBe('empty');
  });

  it('that is deleted is shown no more', () => {
    know(head('a'));
    heads.apply({ type: 'conversation_gone', conversation: 'a' });
    chats.apply({ type: 'conversation_gone', conversation: 'a' });
    expect(chats.of('t1')).toBeUndefined();
  });
});

describe('a new conversation', () => {
  it('is begun at the backend with its first message, once', async () => {
    know();
    const id = shown();
    await chats.set(id, { agent: 'codex', command: 'codex --fast' });
    expect([connection.asked, chats.freshAgent(id)]).toEqual([[], 'codex']);
    expect(await chats.send(id, words)).toBe(true);
    await chats.send(id, words);
    expect(paths()).toEqual(['/chat/start', '/chat/send', '/chat/send']);
    expect(connection.of('/chat/start')).toEqual([
      { conversation: id, tab: 't1', agent: 'codex', command: 'codex --fast' },
    ]);
  });

  it('that could not be begun is begun with the next message', async () => {
    know();
    const id = shown();
    connection.answers['/chat/start'] = refuse;
    expect(await chats.send(id, words)).toBe(false);
    expect(chats.requests.problems.get(id)?.message).toBe('no');
    connection.answers = {};
    expect(await chats.send(id, words)).toBe(true);
    expect(paths()).toEqual(['/chat/start', '/chat/start', '/chat/send']);
    expect(chats.requests.problems.size).toBe(0);
  });
});

describe('a message', () => {
  it('has an id of its own, or the one that it may have been sent with', async () => {
    know(head('a'));
    await chats.send('a', words);
    await chats.send('a', { ...words, message: 'm7', now: true, replaces: 'x1', route: 'strong' });
    const [first, second] = connection.of('/chat/send');
    expect(first?.message).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(first ?? {}).sort()).toEqual([
      'attachments',
      'conversation',
      'message',
      'text',
    ]);
    expect(second).toMatchObject({ message: 'm7', now: true, replaces: 'x1', route: 'strong' });
  });
});

describe('watching', () => {
  const watched = (): unknown[] => connection.sent;

  it('asks from where it was, once for each socket', () => {
    know(head('a'));
    chats.watch('a');
    chats.rewatch();
    chats.rewatch();
    expect(watched()).toEqual([{ type: 'chat_watch', conversation: 'a', after: 0 }]);
    chats.lost();
    chats.rewatch();
    expect(watched()).toHaveLength(2);
  });

  it('leaves the one before', () => {
    know(head('a'), head('b'));
    chats.watch('a');
    chats.watch('a');
    chats.watch('b');
    expect(watched()).toEqual([{ type: 'chat_unwatch', conversation: 'a' }]);
  });

  it('does not ask for what the backend does not know yet', async () => {
    know();
    chats.watch(shown());
    chats.rewatch();
    expect(watched()).toEqual([]);
    await chats.send(shown(), words);
    expect(watched()).toHaveLength(1);
  });

  it('keeps so many conversations as they were seen, those shown last', () => {
    const first = chats.transcript('c0');
    for (let n = 1; n < MAX_TRANSCRIPTS; n += 1) chats.transcript(`c${String(n)}`);
    expect(chats.transcript('c0')).toBe(first);
    chats.transcript('one more');
    expect(chats.transcript('c0')).toBe(first);
  });
});

it('a picture of a tab goes into what is being written', async () => {
  know(head('a'));
  connection.answers['/chat/screenshot'] = () => ({ kind: 'image', name: 'Screenshot' });
  await chats.shot('a', 't1');
  expect(chats.input('a').attachments).toMatchObject([{ kind: 'image', name: 'Screenshot' }]);
  connection.answers['/chat/screenshot'] = refuse;
  await chats.shot('a', 't1');
  expect(chats.requests.problems.get('a')?.message).toBe('no');
});

it('older entries are fetched once at a time, while there are more', async () => {
  know(head('a'));
  const transcript = chats.transcript('a');
  transcript.take({
    conversation: 'a',
    head: head('a'),
    entries: [entry(9)],
    more: true,
    index: 9,
  } as never);
  connection.answers['/chat/history'] = ({ before }) => ({
    head: head('a'),
    entries: [entry(Number(before) - 1)],
    more: Number(before) > 6,
    index: 9,
  });
  await Promise.all([chats.older('a'), chats.older('a')]);
  expect(connection.of('/chat/history')).toHaveLength(1);
  // What the list loads because of a scroll does not end the search.
  void chats.older('a');
  await chats.reach('a', 2);
  expect(transcript.cells.map(({ id }) => id)).toEqual(['x5', 'x6', 'x7', 'x8', 'x9']);
  expect([transcript.more, transcript.fetching]).toEqual([false, false]);
});

it('an entry is reached in a conversation that was not shown before', async () => {
  know(head('a'));
  connection.answers['/chat/history'] = () => ({
    head: head('a'),
    entries: [entry(3)],
    more: false,
    index: 9,
  });
  const reached = chats.reach('a', 3);
  const page = { conversation: 'a', head: head('a'), entries: [entry(9)], more: true, index: 9 };
  chats.apply({ type: 'chat', conversation: 'a', events: [], page });
  await reached;
  expect(chats.transcript('a').cells.map(({ id }) => id)).toEqual(['x3', 'x9']);
});
