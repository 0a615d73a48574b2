/**
 * Brings a tab to the front of its window and, with `raise`, the window to the front too. It
 * rejects when the tab is gone.
 */
export async function bringForward(tabId: number, raise: boolean): Promise<void> {
  const tab = await chrome.tabs.update(tabId, { active: true });
  if (raise && tab?.windowId !== undefined)
    await chrome.windows.update(tab.windowId, { focused: true });
}
