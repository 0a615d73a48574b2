/** What the backend has done to windows and tabs through the worker. */

/** Brings a tab to the front of its window and, if told so, the window too. */
export async function showTab(tabId: number, raise: boolean): Promise<void> {
  const tab = await chrome.tabs.update(tabId, { active: true });
  if (raise && tab !== undefined) await chrome.windows.update(tab.windowId, { focused: true });
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
