import { Looking } from './looking';

/** Which window the panel is in, which tab is active there, and whether the user is there. */
export class Place {
  windowId = $state<number>();
  chromeTabId = $state<number>();
  readonly looking = new Looking();

  /** Follows the browser's events until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { id, focused } = await chrome.windows.getCurrent();
    if (signal.aborted) return;
    this.windowId = id;
    this.looking.run(id, focused, signal);

    const activated = (active: { tabId: number; windowId: number }): void => {
      if (active.windowId === this.windowId) this.chromeTabId = active.tabId;
    };
    // A prerendered page replaces the page of its tab and changes the tab's id.
    const replaced = (added: number, removed: number): void => {
      if (this.chromeTabId === removed) this.chromeTabId = added;
    };
    chrome.tabs.onActivated.addListener(activated);
    chrome.tabs.onReplaced.addListener(replaced);
    signal.addEventListener('abort', () => {
      chrome.tabs.onActivated.removeListener(activated);
      chrome.tabs.onReplaced.removeListener(replaced);
    });

    const [front] = await chrome.tabs.query({
      active: true,
      ...(id !== undefined && { windowId: id }),
    });
    this.chromeTabId ??= front?.id;
  }
}
