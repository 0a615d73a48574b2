import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { install, type Fake } from '../../test/fakes/wails';
import { connect } from '../backend';
import { ConversationView } from './view.svelte';

let fake: Fake;
let view: ConversationView;
let close: () => void;

function open(scenario = 'conversations', id = 'c1'): void {
  const target = {} as Window;
  fake = install(target, { scenario });
  view = new ConversationView(connect(target), 'default', id);
  close = view.open();
}
const until = (done: () => void) => vi.waitFor(done);
const texts = () => view.transcript.cells.map(({ entry }) => entry.text ?? entry.kind);
const read = () =>
  until(() => {
    expect(view.transcript.known).toBe(true);
  });
const calls = (name: string) => fake.calls.filter(([method]) => method === name);

beforeEach(() => {
  // In a hidden document, events are drawn at once.
  vi.stubGlobal('document', { hidden: true });
});
afterEach(() => {
  close();
  vi.unstubAllGlobals();
});

describe('a conversation in the window', () => {
  test('is read from its last page on, and then as it is said', async () => {
    open();
    await read();
    expect(view.transcript.cells).toHaveLength(40);
    fake.conversations.put('c1', { kind: 'text', text: 'And one more.' });
    await until(() => {
      expect(texts().at(-1)).toBe('And one more.');
    });
  });

  test('goes on where it was when it is opened again, and says nothing twice', async () => {
    open();
    await read();
    close();
    await until(() => {
      expect(calls('UnwatchConversation')).toHaveLength(1);
    });
    fake.conversations.put('c1', { kind: 'text', text: 'meanwhile' });
    const before = view.transcript.index;
    close = view.open();
    await until(() => {
      expect(texts().at(-1)).toBe('meanwhile');
    });
    expect(calls('WatchConversation').at(-1)).toEqual([
      'WatchConversation',
      'default',
      { conversation: 'c1', after: before },
    ]);
    expect(new Set(view.transcript.cells.map(({ id }) => id)).size).toBe(
      view.transcript.cells.length,
    );
    fake.conversations.repeat('c1');
    fake.conversations.put('c1', { kind: 'text', text: 'the end' });
    await until(() => {
      expect(texts().at(-1)).toBe('the end');
    });
    expect(texts().filter((text) => text === 'meanwhile')).toHaveLength(1);
  });

  test('that ends says so, and is read on when it is asked for', async () => {
    open();
    await read();
    view.again();
    expect(calls('WatchConversation')).toHaveLength(1);
    fake.conversations.end();
    await until(() => {
      expect(view.lost?.code).toBe('not_running');
    });
    view.again();
    expect(view.lost).toBeUndefined();
    fake.conversations.put('c1', { kind: 'text', text: 'back' });
    await until(() => {
      expect(texts().at(-1)).toBe('back');
    });
  });

  test('that was closed says nothing of its end', async () => {
    open();
    await read();
    close();
    fake.conversations.end();
    await until(() => {
      expect(calls('UnwatchConversation')).toHaveLength(1);
    });
    expect(view.lost).toBeUndefined();
  });

  test('that nobody knows is lost at once', async () => {
    open('conversations', 'gone');
    await until(() => {
      expect(view.lost?.code).toBe('unknown_conversation');
    });
  });
});

describe('what was said before', () => {
  test('is fetched once at a time, until there is no more', async () => {
    open();
    await read();
    await Promise.all([view.older(), view.older()]);
    expect(calls('ConversationHistory')).toHaveLength(1);
    expect(texts()[0]).toBe('Word 1 of before.');
    expect(view.transcript.more).toBe(false);
    await view.older();
    expect(calls('ConversationHistory')).toHaveLength(1);
  });

  test('can be asked for again when it could not be had', async () => {
    open();
    await read();
    fake.refuseNext('ConversationHistory', '{"code":"internal","message":"no"}');
    await expect(view.older()).rejects.toThrow('no');
    await view.older();
    expect(texts()[0]).toBe('Word 1 of before.');
  });
});

test('a picture is fetched once, and again when it could not be had', async () => {
  open();
  await read();
  fake.refuseNext('ConversationFile', 'no');
  expect(await view.picture('a.png')).toBeUndefined();
  const [one, two] = await Promise.all([view.picture('a.png'), view.picture('a.png')]);
  expect(one).toMatch(/^data:image\/png;base64,/);
  expect(two).toBe(one);
  expect(calls('ConversationFile')).toHaveLength(2);
});
