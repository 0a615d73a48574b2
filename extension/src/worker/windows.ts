/** What the backend has done to windows and tabs through the worker. */

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
