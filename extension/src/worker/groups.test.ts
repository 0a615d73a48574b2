import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groups, groupTabs, newWindow, ungroupTabs } from './groups';

const group = vi.fn();
const ungroup = vi.fn();
const create = vi.fn();
const update = vi.fn();
let last: { id: number; focused: boolean } | undefined;

beforeEach(() => {
  group.mockResolvedValue(3);
  create.mockResolvedValue({ tabs: [{ id: 21 }] });
  last = { id: 1, focused: true };
  const all = [
    { id: 3, title: 'Prices', color: 'blue', collapsed: false, windowId: 1 },
    { id: 4, color: 'grey', collapsed: true, windowId: 2 },
  ];
  vi.stubGlobal('chrome', {
    tabGroups: { query: () => Promise.resolve(all) },
    tabs: {
      query: () =>
        Promise.resolve([
          { id: 7, groupId: 3 },
          { groupId: 3 },
          { id: 8, groupId: 4 },
          { id: 9, groupId: -1 },
        ]),
      get: (id: number) => Promise.resolve({ id, windowId: 5 }),
      group,
      ungroup,
    },
    windows: {
      getLastFocused: () => (last ? Promise.resolve(last) : Promise.reject(new Error('none'))),
      create,
      update,
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetAllMocks();
});

it('lists groups with their tabs', async () => {
  expect(await groups()).toEqual([
    { id: 3, title: 'Prices', color: 'blue', collapsed: false, windowId: 1, tabs: [7] },
    { id: 4, title: '', color: 'grey', collapsed: true, windowId: 2, tabs: [8] },
  ]);
});

describe('tabs', () => {
  it('go into a group that there is', async () => {
    expect(await groupTabs([7, 8], 3)).toBe(3);
    expect(group).toHaveBeenCalledWith({ tabIds: [7, 8], groupId: 3 });
  });

  it('go into a new group in the window of the first', async () => {
    await groupTabs([7, 8], 0);
    expect(group).toHaveBeenCalledWith({ tabIds: [7, 8], createProperties: { windowId: 5 } });
  });

  it('none are no group, and leave none', async () => {
    await expect(groupTabs([], 0)).rejects.toThrow('no tab is named');
    await ungroupTabs([]);
    expect(ungroup).not.toHaveBeenCalled();
    await ungroupTabs([7]);
    expect(ungroup).toHaveBeenCalledWith([7]);
  });
});

describe('a new window', () => {
  it.each([
    ['in front', true, { id: 1, focused: true }, 0],
    ['behind the one in front', false, { id: 1, focused: true }, 1],
    ['behind another program', false, { id: 1, focused: false }, 0],
    ['where there was none', false, undefined, 0],
  ])('%s', async (_, focused, before, raised) => {
    last = before;
    expect(await newWindow(focused)).toBe(21);
    expect(create).toHaveBeenCalledWith({ url: 'about:blank', focused });
    expect(update).toHaveBeenCalledTimes(raised);
  });

  it('without a tab is an error', async () => {
    create.mockResolvedValue(undefined);
    await expect(newWindow(true)).rejects.toThrow('opened no window');
  });
});
