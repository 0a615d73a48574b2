import { describe, expect, it } from 'vitest';
import { DrawerState, drawerKey, leastHeight } from './drawer.svelte';
import { rooms } from './rooms';

/** A storage area with one value. */
function area(kept?: unknown): { area: chrome.storage.StorageArea; kept: () => unknown } {
  let value = kept;
  const made = {
    get: () => Promise.resolve({ [drawerKey]: value }),
    set: (values: Record<string, unknown>) => {
      value = values[drawerKey];
      return Promise.resolve();
    },
  };
  return { area: made as unknown as chrome.storage.StorageArea, kept: () => value };
}

describe('the drawer', () => {
  it('opens the room that was open last, at first the first one', () => {
    const state = new DrawerState(area().area);
    state.toggle();
    expect(state.room).toBe(rooms[0]?.id);
    state.open('console');
    state.toggle();
    expect(state.room).toBeUndefined();
    state.toggle();
    expect(state.room).toBe('console');
  });

  it('gives the face its place back when it closes', () => {
    const state = new DrawerState(area().area);
    state.open('network');
    state.fill(true);
    state.close();
    expect([state.room, state.full]).toEqual([undefined, false]);
  });

  it('is never too low to hold', () => {
    const state = new DrawerState(area().area);
    state.resize(10);
    expect(state.height).toBe(leastHeight);
    state.resize(240.4);
    expect(state.height).toBe(240);
  });

  it('is as it was after the panel was closed', async () => {
    const { area: storage, kept } = area();
    const before = new DrawerState(storage);
    before.open('elements');
    before.resize(300);
    before.fill(true);
    expect(kept()).toEqual({ room: 'elements', height: 300, full: true });
    const after = new DrawerState(storage);
    await after.load();
    expect([after.room, after.height, after.full]).toEqual(['elements', 300, true]);
  });

  it.each([[undefined], ['text'], [{ room: 'gone', height: 'high', full: 1 }]])(
    'ignores what it cannot read: %j',
    async (kept) => {
      const state = new DrawerState(area(kept).area);
      await state.load();
      expect([state.room, state.height, state.full]).toEqual([undefined, undefined, false]);
    },
  );

  it('keeps a choice that was made while it was read', async () => {
    const state = new DrawerState(area({ room: 'network', height: 200 }).area);
    const read = state.load();
    state.open('console');
    await read;
    expect(state.room).toBe('console');
  });
});
