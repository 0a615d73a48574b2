import { describe, expect, it } from 'vitest';
import { Layout, layoutKey } from './layout.svelte';

/** A storage area that holds what was stored. */
function area(kept: Record<string, unknown> = {}): chrome.storage.StorageArea {
  return {
    get: () => Promise.resolve({ ...kept }),
    set: (values: object) => {
      Object.assign(kept, structuredClone(values));
      return Promise.resolve();
    },
  } as unknown as chrome.storage.StorageArea;
}
const terminals = ['a', 'b', 'c'].map((id) => ({ id }));
const ids = (layout: Layout): string[] => layout.sorted(terminals).map(({ id }) => id);

describe('Layout', () => {
  it('keeps an order, a pair and their share for the next panel', async () => {
    const kept = {};
    const layout = new Layout(area(kept));
    layout.move(['a', 'b', 'c'], 'c', 0);
    layout.pair('c', 'a');
    layout.resize(0.3);
    const next = new Layout(area(kept));
    await next.load();
    expect(ids(next)).toEqual(['c', 'a', 'b']);
    expect([next.partner('a'), next.partner('c'), next.share]).toEqual(['c', 'a', 0.3]);
  });

  it('puts new terminals behind, and keeps the order of other tabs', () => {
    const layout = new Layout(area());
    layout.move(['a', 'b'], 'b', 0);
    layout.move(['x', 'y'], 'y', 0);
    expect(ids(layout)).toEqual(['b', 'a', 'c']);
    expect(layout.sorted([{ id: 'x' }, { id: 'y' }]).map(({ id }) => id)).toEqual(['y', 'x']);
  });

  it('has each terminal in one pair, until it is parted', () => {
    const layout = new Layout(area());
    layout.pair('a', 'b');
    layout.pair('b', 'c');
    expect([layout.partner('a'), layout.partner('b')]).toEqual([undefined, 'c']);
    layout.part('c');
    expect(layout.pairOf('b')).toBeUndefined();
  });

  it.each([
    [{ order: 'x', pairs: [['a'], ['a', 3], 4], share: Number.NaN }, 0.5],
    [{ order: [1, null], pairs: {}, share: 7 }, 0.85],
    [null, 0.5],
  ])('survives what somebody else stored: %j', async (stored, share) => {
    const layout = new Layout(area({ [layoutKey]: stored }));
    await layout.load();
    expect([ids(layout), layout.partner('a'), layout.share]).toEqual([
      ['a', 'b', 'c'],
      undefined,
      share,
    ]);
  });

  it('a change made while it is read is kept', async () => {
    const layout = new Layout(area({ [layoutKey]: { share: 0.2 } }));
    const loading = layout.load();
    layout.resize(0.7);
    await loading;
    expect(layout.share).toBe(0.7);
  });
});
