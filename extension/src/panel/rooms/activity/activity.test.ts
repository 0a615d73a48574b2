import { describe, expect, it } from 'vitest';
import type { ActivityEntry } from '$ui/protocol/protocol';
import type { RoomDesk, Told } from '../desk';
import { asked, everything, selects } from './match';
import { ActivityRecord } from './record.svelte';
import { runOf, shotAt } from './replay';
import { endOf, factsOf, lineOf, refsOf, tookOf } from './words';

function entry(part: Partial<ActivityEntry> = {}): ActivityEntry {
  return {
    index: 1,
    time: '2026-03-04T12:00:00Z',
    actor: { kind: 'terminal', id: 'k3', name: 'claude in t1', agent: 'Claude Code' },
    session: 'default',
    tab: 't1',
    command: 'click',
    ok: true,
    durationMs: 12,
    ...part,
  };
}

// The same cases as in backend/activity/search_test.go.
describe('what a query selects', () => {
  const shop = entry({ command: 'goto', args: { url: 'https://Shop.example/' } });
  const gone = entry({ ok: false, code: 'gone', summary: 'e5 is gone' });
  const news = entry({ kind: 'navigation', actor: { kind: 'person', name: 'you' }, tab: 't2' });
  it.each([
    [{}, [shop, gone, news]],
    [{ text: 'shop.EXAMPLE ' }, [shop]],
    [{ text: 'gone' }, [gone]],
    [{ text: 'claude code' }, [shop, gone]],
    [{ text: 'nowhere' }, []],
    [{ kind: 'command' }, [shop, gone]],
    [{ kind: 'navigation' }, [news]],
    [{ kind: 'error' }, [gone]],
    [{ actor: 'person' }, [news]],
    [{ actor: 'terminal k3' }, [shop, gone]],
    [{ tab: 't2' }, [news]],
    [{ day: '2026-03-04' }, []],
  ] as const)('%o', (part, want) => {
    const query = { ...everything, ...part };
    expect([shop, gone, news].filter((one) => selects(query, one))).toEqual(want);
  });

  it('is asked of the backend in its words', () => {
    expect(asked(everything)).toEqual({});
    const until = new Date(2026, 2, 5).toISOString();
    expect(
      asked({ text: ' a ', kind: 'step', actor: 'chat c', tab: 't2', day: '2026-03-04' }),
    ).toEqual({ text: 'a', kinds: ['step'], actor: 'chat c', tab: 't2', until });
  });
});

describe('the words of an entry', () => {
  it.each([
    [entry({ args: { target: 'e5', button: 'right' } }), 'Clicked e5'],
    [entry({ args: { target: 'e5\u202e\n' } }), 'Clicked e5'],
    [entry({ command: 'type', args: { target: 'role=edit name="Name"' } }), 'Typed into “Name”'],
    [entry({ ok: false, code: 'covered', args: { target: 'text=Save' } }), 'Click “Save”'],
    [entry({ command: 'press', args: { key: 'Enter', target: 'e1' } }), 'Pressed Enter'],
    [entry({ command: 'mock', args: { target: 'e5', body: 'x' } }), 'mock e5 body=x'],
    [entry({ kind: 'navigation', summary: 'https://a.example/' }), 'https://a.example/'],
    [entry({ kind: 'question', command: 'eval' }), 'eval asks'],
    [entry({ kind: 'step', args: { step: '2' }, summary: 'Open it' }), 'Step 2: Open it'],
    [entry({ kind: 'step', args: { state: 'done' }, summary: 'Fill' }), 'Task done: Fill'],
    [entry({ kind: 'download', args: { state: 'done' }, summary: 'a.pdf' }), 'a.pdf done'],
  ])('%#', (one, want) => {
    expect(lineOf(one)).toBe(want);
  });

  it('say how long it took and how it ended', () => {
    expect(
      [0.2, 41.4, 1204, 250_000, 0].map((durationMs) => tookOf(entry({ durationMs }))),
    ).toEqual(['1 ms', '41 ms', '1.2 s', '4 min', '']);
    expect(tookOf(entry({ phase: 'waiting' }))).toBe('');
    expect(endOf(entry({ ok: false, code: 'no_element' }))).toBe('no element');
    expect(endOf(entry({ ok: false }))).toBe('failed');
    expect(endOf(entry({ ok: false, code: 'denied' }))).toBe('denied by you');
    expect(endOf(entry({ ok: false, code: 'denied', phase: 'answered' }))).toBe('');
    expect(['waiting', 'begun'].map((phase) => endOf(entry({ phase } as never)))).toEqual([
      'waits',
      'begun',
    ]);
    expect(factsOf(entry({ args: { target: 'e5' }, summary: 'clicked' }))).toBe(
      '2026-03-04T12:00:00.000Z claude in t1 in t1\ncommand: click\n  target: e5\nresult: ok, 12 ms\nsaid: clicked',
    );
  });

  it('name refs', () => {
    expect(refsOf(entry({ args: { a: 'e5', b: 'f2e7', c: 'e0', d: 'the5' } }))).toEqual([
      'e5',
      'f2e7',
    ]);
  });
});

it('a run ends at a long pause', () => {
  const at = (minutes: number): ActivityEntry =>
    entry({ index: minutes, time: new Date(Date.UTC(2026, 1, 1, 0, minutes)).toISOString() });
  const all = [0, 2, 30, 31, 40, 90].map(at);
  expect(runOf(all, 3).map(({ index }) => index)).toEqual([30, 31, 40]);
  expect(runOf(all, 0).map(({ index }) => index)).toEqual([0, 2]);
  expect([1, 2, 5, 9].map((index) => shotAt([2, 4, 8], index))).toEqual([0, 0, 1, 2]);
});

/** A desk with a feed whose reports a test sends. */
function desk(pages: Record<number, object>): { desk: RoomDesk; tell: (report: Told) => void } {
  let on: ((report: Told) => void) | undefined;
  const made = {
    request: (_path: string, body: { before: number }) => {
      const page = pages[body.before];
      if (page === undefined) return Promise.reject(new Error('no such page'));
      return Promise.resolve({ entries: [], gaps: [], before: 0, last: 0, shots: [], ...page });
    },
    follow: (_feed: string, _tab: undefined, _after: number, listener: (report: Told) => void) => {
      on = listener;
      return () => {
        on = undefined;
      };
    },
  };
  return {
    desk: made as unknown as RoomDesk,
    tell: (report) => on?.(report),
  };
}

const batch = (from: number, count: number): Told => ({
  batch: {
    items: Array.from({ length: count }, (_, at) => ({ entry: entry({ index: from + at }) })),
    last: from + count - 1,
  },
});

describe('the record', () => {
  it('has every entry once, at a thousand per second and while it is held', async () => {
    const { desk: made, tell } = desk({ 0: { entries: [entry({ index: 1 })], last: 1 } });
    const record = new ActivityRecord(made);
    await record.start();
    for (let from = 2; from < 2000; from += 40) tell(batch(from, 40));
    record.follow(false);
    for (let from = 2002; from < 4000; from += 40) tell(batch(from, 40));
    expect(record.rows.length).toBe(2001);
    expect(record.fresh).toBe(2000);
    record.follow(true);
    expect(record.fresh).toBe(0);
    expect(record.rows.map(({ index }) => index)).toEqual(
      Array.from({ length: 4001 }, (_, at) => at + 1),
    );
    record.stop();
    tell(batch(5000, 1));
    expect(record.rows.length).toBe(4001);
  });

  it('keeps the newest hundred thousand, and reads the others again', async () => {
    const { desk: made, tell } = desk({ 0: {}, 20_001: { entries: [entry({ index: 20_000 })] } });
    const record = new ActivityRecord(made);
    await record.start();
    for (let from = 1; from < 120_000; from += 1000) tell(batch(from, 1000));
    expect(record.rows.length).toBeGreaterThanOrEqual(100_000);
    const first = record.rows[0]?.index ?? 0;
    expect(record.more).toBe(true);
    expect(record.rows.at(-1)?.index).toBe(120_000);
    expect(record.rows.length).toBe(120_000 - first + 1);
  });

  it('reads backwards, with gaps, past pages without a result', async () => {
    const { desk: made } = desk({
      0: { entries: [entry({ index: 90 })], before: 80, last: 90 },
      80: { before: 40 },
      40: { entries: [entry({ index: 30 })], gaps: [{ from: 1, to: 29 }] },
    });
    const record = new ActivityRecord(made);
    await record.start();
    await record.older();
    expect(record.rows.map(({ index }) => index)).toEqual([29, 30, 90]);
    expect(record.more).toBe(false);
    await record.older();
    expect(record.problem).toBe('');
  });

  it('asked for older entries during a read, waits for that', async () => {
    const { desk: made } = desk({
      0: { entries: [entry({ index: 90 })], before: 80, last: 90 },
      80: { entries: [entry({ index: 70 })], before: 40 },
    });
    const record = new ActivityRecord(made);
    await record.start();
    const request = made.request.bind(made);
    made.request = async (...asked) => {
      await new Promise((done) => setImmediate(done));
      return request(...asked);
    };
    void record.older();
    // A caller that reads until it has an entry must not spin.
    await record.older();
    expect(record.rows.map(({ index }) => index)).toEqual([70, 90]);
  });

  it('says why it cannot be read, and begins anew when the record did', async () => {
    const pages: Record<number, object> = {};
    const { desk: made, tell } = desk(pages);
    const record = new ActivityRecord(made);
    await record.start();
    expect(record.problem).toBe('no such page');
    pages[0] = { entries: [entry({ index: 7 })], last: 7 };
    await record.start();
    expect(record.rows.length).toBe(1);
    tell({ batch: { items: [{ what: 1 }, { gap: { from: 8, to: 9 } }, { shot: 7 }], last: 9 } });
    expect(record.rows.map(({ index }) => index)).toEqual([7, 9]);
    expect([...record.shots]).toEqual([7]);
    pages[0] = { entries: [entry({ index: 1 })], last: 1 };
    tell({ batch: { items: [], last: 1, gap: true } });
    await expect.poll(() => record.rows.map(({ index }) => index)).toEqual([1]);
    tell({ batch: { items: [], last: 1 }, error: { message: 'the session is gone' } });
    expect(record.problem).toBe('the session is gone');
  });
});
