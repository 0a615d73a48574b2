import type { ConsoleItem, PageValue } from '$ui/protocol/protocol';
import { describe, expect, it } from 'vitest';
import { formatted } from './format';
import { History } from './history';
import { Lines, linesKept, shown, type LineFilter } from './lines.svelte';

function item(
  n: number,
  part: Partial<ConsoleItem> & { text?: string; level?: string } = {},
): ConsoleItem {
  const { text = `line ${n}`, level = 'log', ...rest } = part;
  return {
    entry: { n, at: '2026-11-21T09:30:00Z', level, source: 'console', text },
    page: 1,
    ...rest,
  };
}
const string = (text: string): PageValue => ({ type: 'string', text });
const object: PageValue = { type: 'object', text: '{a: 1}', handle: 'v1' };
const none: LineFilter = { text: '', hidden: new Set(), preserve: false, toggled: new Set() };
const texts = (lines: Lines, part: Partial<LineFilter> = {}): (string | undefined)[] =>
  shown(lines.all, lines.page, { ...none, ...part }).map(
    (line) => line.item?.entry.text ?? line.ran?.script,
  );

describe('the lines', () => {
  it('count what is repeated, but not what has parts to open', () => {
    const lines = new Lines();
    const items = [1, 2, 3].map((n) => item(n, { text: 'same' }));
    const parts = [4, 5].map((n) => item(n, { text: '{a: 1}', args: [object] }));
    lines.apply({ batch: { items: [...items, ...parts, 'nonsense'], last: 5 } });
    expect(lines.all.map(({ count }) => count)).toEqual([3, 1, 1]);
  });

  it('begin with the last document, unless they are preserved', () => {
    const lines = new Lines();
    lines.apply({
      batch: {
        items: [
          item(1, { page: 0, text: 'old' }),
          item(0, { page: 1, navigated: true, text: '' }),
          item(2, { text: 'cleared' }),
          item(0, { clears: true, text: 'gone' }),
          item(3, { text: 'new' }),
        ],
        last: 5,
      },
    });
    expect(texts(lines)).toEqual(['gone', 'new']);
    expect(texts(lines, { preserve: true })).toEqual(['old', '', 'cleared', 'gone', 'new']);
  });

  it('are in groups that open and close', () => {
    const lines = new Lines();
    lines.apply({
      batch: {
        items: [
          item(1, { begins: 'collapsed', text: 'outer' }),
          item(2, { group: 1, begins: 'group', text: 'inner' }),
          item(3, { group: 2, text: 'deep' }),
          item(4, { text: 'after' }),
        ],
        last: 4,
      },
    });
    expect(texts(lines)).toEqual(['outer', 'after']);
    expect(texts(lines, { toggled: new Set([1]) })).toEqual(['outer', 'inner', 'deep', 'after']);
    expect(texts(lines, { toggled: new Set([1, 2]) })).toEqual(['outer', 'inner', 'after']);
  });

  it('are filtered by level and text, scripts of the user are not', () => {
    const lines = new Lines();
    lines.apply({
      batch: {
        items: [
          item(1, { level: 'error', text: 'Bad' }),
          item(2, { level: 'debug', text: 'fine' }),
        ],
        last: 2,
      },
    });
    lines.ran('1 + 1')({ error: 'no' });
    expect(texts(lines, { hidden: new Set(['debug']) })).toEqual(['Bad', '1 + 1', '']);
    expect(texts(lines, { text: 'bad' })).toEqual(['Bad', '1 + 1', '']);
    expect(texts(lines, { text: '-bad' })).toEqual(['fine', '1 + 1', '']);
  });

  it('keep the newest, and begin anew after a gap', () => {
    const lines = new Lines();
    const many = Array.from({ length: linesKept + 5 }, (_, at) => item(at));
    lines.apply({ batch: { items: many, last: 9 } });
    expect([lines.all.length, lines.all[0]?.item?.entry.n]).toEqual([linesKept, 5]);
    lines.apply({ batch: { items: [item(1)], last: 10, gap: true } });
    expect(lines.all).toHaveLength(1);
    lines.apply({ batch: { items: [], last: 10 }, error: { message: 'closed' } });
    expect(lines.error?.message).toBe('closed');
    lines.reset();
    expect(lines.all).toEqual([]);
  });
});

describe('a format', () => {
  it.each<[readonly PageValue[], readonly unknown[]]>([
    [[string('plain')], ['plain']],
    [
      [string('a'), object, string('b')],
      ['a', ' ', object, ' ', 'b'],
    ],
    [
      [object, string('b')],
      [object, ' ', 'b'],
    ],
    [[string('%s is %d%%'), string('x'), { type: 'number', text: '7.9' }], ['x is 7%']],
    [[string('%cbig'), string('font-size: 99px; position: fixed')], ['big']],
    [
      [string('see %o now'), object],
      ['see ', object, ' now'],
    ],
    [[string('%s %s'), string('one')], ['one %s']],
    [[string('%f'), string('1.5')], ['1.5']],
  ])('%j', (args, want) => {
    expect(formatted(args)).toEqual(want);
  });
});

it('the history goes back and forth, and returns to what was written', () => {
  const kept = new Map<string, string>();
  const area = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  const history = new History(area);
  expect(history.step(-1, '')).toBeUndefined();
  for (const script of ['a', 'b', 'a']) history.add(script);
  const again = new History(area);
  expect([again.step(-1, 'draft'), again.step(-1, ''), again.step(-1, '')]).toEqual([
    'a',
    'b',
    undefined,
  ]);
  expect([again.step(1, ''), again.step(1, ''), again.step(1, '')]).toEqual([
    'a',
    'draft',
    undefined,
  ]);
  kept.set('pilotfish.console.history', '{');
  expect(new History(area).step(-1, '')).toBeUndefined();
});
