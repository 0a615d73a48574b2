/** What the worker does to windows and tabs for the backend. */

/**
 * Opens an empty tab beside its opener and returns Chrome's id of it. The backend navigates it, so
 * that the caller's rules apply from the first request on.
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
