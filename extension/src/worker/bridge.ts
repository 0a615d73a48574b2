/**
 * What only an extension can see, reported to the backend: which tab stands
 * where in which window, and which DevTools target it is.
 */
import type { BridgeEvent, BridgeTab } from '$ui/protocol/protocol';
import { LOOK_AGAIN, LOOKS } from './timing';

declare global {
  /**
   * Put here by the backend before the worker's first line runs; absent only
   * while no app is attached.
   */

  var pilotfishBridge: ((payload: string) => void) | undefined;
}

/** A report is asked for and has not begun to look yet. */
let scheduled: BridgeEvent['type'] | undefined;
/** The report that is being made; the next one starts after it. */
let current: Promise<void> = Promise.resolve();

/**
 * Reports all tabs. Calls that come before the look begins share one report;
 * what changes during a look is seen by the next one, which the change itself
 * asks for.
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
      // The next change reports again, and the backend asks by itself when it
      // misses one.
      console.warn('pilotfish: no report', error);
    });
  return current;
}

/** How many looks in a row found a window without a tab in front. */
let halves = 0;

/**
 * Every window has a tab in front. A look that found one without was in the
 * middle of a change whose event may have come before this worker listened: it
 * is made again, after a pause that grows.
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
 * Which tab's page opened which tab. Not `openerTabId`: Chrome sets that for
 * every tab that a person opens from another one, too, and an agent may act on
 * what its own pages opened, not on what the person did. It may be forgotten
 * with this worker: the backend keeps what it was told.
 */
const openedBy = new Map<number, number>();

/** Tabs whose number has just changed: the new one, and the one before. */
const replaced = new Map<number, number>();

/**
 * What a report says, as JSON: the backend asks for it by itself when the two
 * witnesses of a change, the protocol and this worker, are apart.
 */
export async function tell(): Promise<string> {
  const event = await look('tabs');
  again(event);
  return JSON.stringify(event);
}

/** How many looks this worker has begun. */
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

/** Reports after every event that changes what a report says. */
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
