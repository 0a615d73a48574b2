import { describe, expect, it } from 'vitest';
import type { ActivityEntry, Actor } from '$ui/protocol/protocol';
import type { RoomDesk } from '../desk';
import { everything } from './match';
import { loadShot, runAround } from './replay';

const claude: Actor = { kind: 'terminal', id: 'k3', name: 'claude in t1' };
const other: Actor = { kind: 'chat', id: 'c1', name: 'Pilot' };

function entry(index: number, minute: number, actor = claude): ActivityEntry {
  return {
    index,
    time: new Date(Date.UTC(2026, 1, 1, 0, minute)).toISOString(),
    actor,
    session: 'default',
    command: 'click',
    ok: true,
    durationMs: 1,
  };
}

/** A desk whose search finds what is given. */
function desk(
  entries: readonly ActivityEntry[],
  shots: readonly number[],
): { desk: RoomDesk; asked: [string, unknown][] } {
  const asked: [string, unknown][] = [];
  const request = (path: string, body: unknown): Promise<unknown> => {
    asked.push([path, body]);
    return Promise.resolve({ entries, gaps: [], before: 0, last: 0, shots });
  };
  return { desk: { request } as unknown as RoomDesk, asked };
}

describe('a run', () => {
  const all = [entry(1, 0), entry(2, 1), entry(3, 2, other), entry(4, 3), entry(9, 60)];

  it('has what one actor did without a long pause, and begins at the entry', async () => {
    const { desk: one, asked } = desk(all, [9, 4, 1]);
    const run = await runAround(one, all[3], everything);
    expect(run?.name).toBe('claude in t1');
    expect(run?.entries.map(({ index }) => index)).toEqual([1, 2, 4]);
    expect(run?.shots).toEqual([1, 4]);
    expect(run?.start).toBe(1);
    expect(asked).toEqual([
      ['/activity/search', { actor: 'terminal k3', before: 404, limit: 1000 }],
    ]);
  });

  it('begins at the last screenshot before an entry that has none', async () => {
    const run = await runAround(desk(all, [1, 4]).desk, all[1], everything);
    expect(run?.start).toBe(0);
  });

  it('is none without a screenshot', async () => {
    expect(await runAround(desk(all, [9]).desk, all[0], everything)).toBeUndefined();
  });

  it('is none when the entry is no longer kept', async () => {
    expect(await runAround(desk(all, [1]).desk, entry(7, 3), everything)).toBeUndefined();
  });

  it('without an entry is what the filters show, from its beginning', async () => {
    const { desk: one, asked } = desk(all, [2, 9]);
    const run = await runAround(one, undefined, { ...everything, text: 'pay' });
    expect(run?.entries).toHaveLength(all.length);
    expect([run?.name, run?.start]).toEqual(['What is shown', 0]);
    expect(asked[0]?.[1]).toEqual({ text: 'pay', limit: 1000 });
  });
});

describe('a screenshot', () => {
  it('is an address for an image', async () => {
    const signal = new AbortController().signal;
    const asked: unknown[] = [];
    const request = (...args: unknown[]): Promise<unknown> => {
      asked.push(args);
      return Promise.resolve({ mime: 'image/jpeg', data: 'AAAA' });
    };
    const one = { request } as unknown as RoomDesk;
    expect(await loadShot(one, 4, signal)).toBe('data:image/jpeg;base64,AAAA');
    expect(asked).toEqual([['/activity/shot', { index: 4 }, { signal }]]);
  });

  it('that is something else is refused', async () => {
    const one = { request: () => Promise.resolve({ mime: 4 }) } as unknown as RoomDesk;
    await expect(loadShot(one, 4, new AbortController().signal)).rejects.toThrow();
  });
});
