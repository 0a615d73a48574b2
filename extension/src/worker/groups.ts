/** What the worker does to tab groups and windows for the backend. */

/** A tab group, with Chrome's ids of its tabs. */
interface Group {
  id: number;
  title: string;
  color: string;
  collapsed: boolean;
  windowId: number;
  tabs: number[];
}

/** Lists the groups. */
export async function groups(): Promise<Group[]> {
  const [all, tabs] = await Promise.all([chrome.tabGroups.query({}), chrome.tabs.query({})]);
  return all.map((group) => ({
    id: group.id,
    title: group.title ?? '',
    color: group.color,
    collapsed: group.collapsed,
    windowId: group.windowId,
    tabs: tabs.flatMap((tab) => (tab.groupId === group.id && tab.id !== undefined ? [tab.id] : [])),
  }));
}

/** Puts tabs into a group and returns the group's id. groupId 0 creates a new group. */
export async function groupTabs(tabs: number[], groupId: number): Promise<number> {
  const [first, ...rest] = tabs;
  if (first === undefined) throw new Error('no tab is named');
  const tabIds: [number, ...number[]] = [first, ...rest];
  if (groupId !== 0) return chrome.tabs.group({ tabIds, groupId });
  // A new group stays in the window of its first tab.
  const { windowId } = await chrome.tabs.get(first);
  return chrome.tabs.group({ tabIds, createProperties: { windowId } });
}

/** Removes tabs from their groups. */
export async function ungroupTabs(tabs: number[]): Promise<void> {
  const [first, ...rest] = tabs;
  if (first !== undefined) await chrome.tabs.ungroup([first, ...rest]);
}

/** Changes a group's name, colour or collapsed state. */
export async function setGroup(
  groupId: number,
  change: chrome.tabGroups.UpdateProperties,
): Promise<void> {
  await chrome.tabGroups.update(groupId, change);
}

/** Opens a window with an empty tab and returns Chrome's id of that tab. */
export async function newWindow(focused: boolean): Promise<number> {
  const before = await chrome.windows.getLastFocused().catch(() => undefined);
  const opened = await chrome.windows.create({ url: 'about:blank', focused });
  // Some window managers raise every new window, so focus the previous one again.
  if (!focused && before?.id !== undefined && before.focused) {
    await chrome.windows.update(before.id, { focused: true });
  }
  const id = opened?.tabs?.[0]?.id;
  if (id === undefined) throw new Error('the browser opened no window');
  return id;
}
