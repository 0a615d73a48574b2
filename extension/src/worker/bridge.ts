/**
 * Reports to the backend what only an extension can see: the window and position of each tab, and
 * its DevTools target.
 */
import type { BridgeEvent, BridgeTab } from '$ui/protocol/protocol';
import { LOOK_AGAIN, LOOKS } from './timing';

declare global {
  /**
   * The backend defines this before the worker's first line runs. It is missing only while no app
   * is attached.
   */

  var pilotfishBridge: ((payload: string) => void) | undefined;
}

/** The type of a report that was requested and has not started yet. */
let scheduled: BridgeEvent['type'] | undefined;
/** The report that is running; the next one starts after it. */
let current: Promise<void> = Promise.resolve();

/**
 * Reports all tabs. Calls that come before the report has started share one report. A change during
 * a report is covered by the next one, because every change requests one.
 */
export function report(type: BridgeEvent['type'] = 'tabs'): Promise<void> {
  if (scheduled !== undefined) {
    if (type === 'ready') scheduled = 'ready';
    return current;
  }
  scheduled = type;
  current = current
    .then(async () => {
      const as = scheduled ?? 'tabs';
      scheduled = undefined;
      const event = await look(as);
      globalThis.pilotfishBridge?.(JSON.stringify(event));
      again(event);
    })
    .catch((error: unknown) => {
      // The next change requests a report again, and the backend asks on its own when it misses
      // one.
      console.warn('pilotfish: no report', error);
    });
  return current;
}

/** How many reports in a row found a window without an active tab. */
let halves = 0;

/**
 * Every window has an active tab. A report that found a window without one was made during a
 * change, and the event of that change may have come before this worker listened. So it is
 * repeated, after a growing pause.
 */
function again({ tabs }: BridgeEvent): void {
  const front = new Set(tabs.filter(({ active }) => active).map(({ windowId }) => windowId));
  if (tabs.every(({ windowId }) => front.has(windowId))) {
    halves = 0;
  } else if (halves < LOOKS) {
    setTimeout(() => void report(), LOOK_AGAIN * 2 ** halves);
    halves += 1;
  }
}

/**
 * Which tab's page opened which tab. `openerTabId` is not enough: Chrome also sets it for every tab
 * that a user opens from another one, and an agent may act on what its own pages opened, not on
 * what the user opened. It may be lost when this worker stops: the backend keeps what was reported.
 */
const openedBy = new Map<number, number>();

/** Tabs whose id has just changed: the new id, and the one before. */
const replaced = new Map<number, number>();

/**
 * Returns a report as JSON. The backend requests one when its two sources, CDP and this worker,
 * disagree about a change.
 */
export async function tell(): Promise<string> {
  const event = await look('tabs');
  again(event);
  return JSON.stringify(event);
}

/** How many reports this worker has started. */
let looks = 0;

async function look(type: BridgeEvent['type']): Promise<BridgeEvent> {
  const seq = ++looks;
  const [tabs, targets, focused] = await Promise.all([
    chrome.tabs.query({}),
    chrome.debugger.getTargets(),
    chrome.windows.getLastFocused({ windowTypes: ['normal'] }).catch(() => undefined),
  ]);
  const targetOf = new Map<number, string>();
  for (const target of targets) {
    if (target.tabId !== undefined && target.type === 'page') targetOf.set(target.tabId, target.id);
  }
  return {
    type,
    seq,
    ...(type === 'ready' && { version: chrome.runtime.getManifest().version }),
    focusedWindow: focused?.id ?? 0,
    tabs: tabs.flatMap((tab): BridgeTab[] => {
      if (tab.id === undefined) return [];
      return [
        {
          chromeTabId: tab.id,
          targetId: targetOf.get(tab.id) ?? '',
          windowId: tab.windowId,
          index: tab.index,
          active: tab.active,
          loading: tab.status === 'loading',
          url: tab.url ?? '',
          title: tab.title ?? '',
          ...(openedBy.has(tab.id) && { openerChromeTabId: openedBy.get(tab.id) ?? 0 }),
          ...(replaced.has(tab.id) && { replacesChromeTabId: replaced.get(tab.id) ?? 0 }),
        },
      ];
    }),
  };
}

/** Sends a report after every event that changes its content. */
export function watchTabs(): void {
  const changed = (): void => void report();
  chrome.tabs.onCreated.addListener(changed);
  chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) => {
    openedBy.set(tabId, sourceTabId);
    changed();
  });
  chrome.tabs.onUpdated.addListener(changed);
  chrome.tabs.onRemoved.addListener((id) => {
    replaced.delete(id);
    openedBy.delete(id);
    changed();
  });
  chrome.tabs.onActivated.addListener(changed);
  chrome.tabs.onMoved.addListener(changed);
  chrome.tabs.onAttached.addListener(changed);
  chrome.tabs.onDetached.addListener(changed);
  chrome.tabs.onReplaced.addListener((now, before) => {
    replaced.set(now, before);
    changed();
  });
  chrome.windows.onFocusChanged.addListener(changed);
  chrome.windows.onRemoved.addListener(changed);
}
