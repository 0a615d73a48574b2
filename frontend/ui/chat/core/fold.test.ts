import type { ChatEntry, ChatEvent, ChatPage, Conversation } from '$ui/protocol/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fold, type Cell } from './fold';

const entry = (id: string, index: number, text = id): ChatEntry => ({
  id,
  index,
  text,
  kind: 'text',
  at: '2026-01-01T00:00:00Z',
});
const put = (id: string, index: number, at = index): ChatEvent => ({
  index: at,
  op: 'put',
  entry: entry(id, index),
});
const append = (id: string, index: number, text: string): ChatEvent => ({
  index,
  op: 'append',
  id,
  text,
});
const head = { id: 'c', title: 'one', index: 0 } as Conversation;
const page = (entries: ChatEntry[], index: number, more = false): ChatPage => ({
  head,
  entries,
  index,
  more,
});

let fold: Fold<Cell>;
const texts = (): (string | undefined)[] => fold.cells.map((cell) => cell.entry.text);

beforeEach(() => {
  fold = new Fold((one) => ({ id: one.id, entry: one }));
});

describe('events', () => {
  it('make the list', () => {
    fold.apply([put('a', 1), put('b', 2), append('b', 3, '!'), append('a', 4, '?')]);
    expect(texts()).toEqual(['a?', 'b!']);
    expect(fold.index).toBe(4);
  });

  it('that were seen before are dropped', () => {
    const events = [put('a', 1), append('a', 2, 'x')];
    fold.apply(events);
    fold.apply([...events, append('a', 3, 'y')]);
    expect(texts()).toEqual(['axy']);
  });

  it('replace an entry where it stands, and keep its cell', () => {
    fold.apply([put('a', 1), put('b', 2)]);
    const { cells } = fold;
    fold.apply([{ index: 3, op: 'put', entry: entry('a', 1, 'new') }]);
    expect(texts()).toEqual(['new', 'b']);
    expect(fold.cells).toBe(cells);
  });

  it('come to stand in the order of the entries’ own indexes', () => {
    fold.apply([put('b', 5, 6), put('a', 2, 7)]);
    expect(texts()).toEqual(['a', 'b']);
  });

  it('remove an entry and all behind it', () => {
    fold.apply([put('a', 1), put('b', 2), put('c', 3)]);
    fold.apply([{ index: 4, op: 'remove', id: 'b' }, put('d', 5)]);
    expect(texts()).toEqual(['a', 'd']);
    expect(fold.get('b')).toBeUndefined();
  });

  it('give the head, whatever its index', () => {
    fold.apply([put('a', 1)]);
    fold.apply([{ index: 1, op: 'head', head: { ...head, title: 'two' } }]);
    expect(fold.head?.title).toBe('two');
    expect(fold.index).toBe(1);
  });

  it('about an entry of an earlier page are none of ours', () => {
    fold.apply([append('far', 1, 'x')]);
    expect(texts()).toEqual([]);
    expect(fold.index).toBe(1);
  });
});

describe('a page', () => {
  it('is the newest part, and says that there is more', () => {
    fold.page(page([entry('y', 8), entry('z', 9)], 12, true));
    expect(texts()).toEqual(['y', 'z']);
    expect([fold.index, fold.more, fold.head]).toEqual([12, true, head]);
  });

  it('keeps what came before where the two overlap', () => {
    fold.apply([put('a', 1), put('b', 2), put('c', 3)]);
    const cell = fold.get('b');
    fold.page(page([entry('b', 2, 'b2'), entry('d', 9)], 20, true));
    expect(texts()).toEqual(['a', 'b2', 'd']);
    expect(fold.get('b')).toBe(cell);
    expect(fold.more).toBe(false);
  });

  it('takes the place of everything where they do not', () => {
    fold.apply([put('a', 1)]);
    fold.page(page([entry('x', 50)], 60, true));
    expect(texts()).toEqual(['x']);
    expect(fold.more).toBe(true);
  });

  it('of older entries goes before the first, once', () => {
    fold.page(page([entry('c', 3)], 9, true));
    fold.prepend(page([entry('b', 2), entry('c', 3)], 9, true));
    fold.prepend(page([entry('a', 1), entry('b', 2)], 9));
    expect(texts()).toEqual(['a', 'b', 'c']);
    expect(fold.more).toBe(false);
  });

  it('that was cut before its first entry is empty', () => {
    fold.page(page([entry('c', 3), entry('d', 4)], 9, true));
    fold.apply([{ index: 10, op: 'remove', id: 'a' }]);
    expect(texts()).toEqual([]);
  });
});
