/** What the backend has done to windows and tabs through the worker. */

/**
 * Opens the side panel of a window. The backend calls it with a user gesture;
 * a panel that is open stays open.
 */
export async function openPanel(windowId: number): Promise<void> {
  await chrome.sidePanel.open({ windowId });
}

/** Brings a tab to the front of its window, and its window to the front. */
export async function showTab(tabId: number): Promise<void> {
  const tab = await chrome.tabs.update(tabId, { active: true });
  if (tab !== undefined) await chrome.windows.update(tab.windowId, { focused: true });
}

/**
 * Opens an empty tab beside its opener and returns Chrome's id of it. The
 * backend navigates it, so that the rules for its caller hold from the first
 * request on.
 */
export async function newTab(openerTabId: number | null, active: boolean): Promise<number> {
  const opener =
    openerTabId === null ? undefined : await chrome.tabs.get(openerTabId).catch(() => undefined);
  const tab = await chrome.tabs.create({
    url: 'about:blank',
    active,
    ...(opener?.id !== undefined && { openerTabId: opener.id, windowId: opener.windowId }),
  });
  if (tab.id === undefined) throw new Error('the browser opened no tab');
  return tab.id;
}
