import type { BridgeEvent, BridgeTab } from '$ui/protocol/protocol';
import { report, watchTabs } from '../../worker/bridge';

/** The longest URL and the longest title that are reported, in characters. */
const longest = 4_096;

let watching = false;

/**
 * Reports the tabs now and after each change. In a browser of Pilotfish the worker does that over
 * the browser's pipe; where the user installed the extension, there is none.
 */
export function reportTabs(send: (report: BridgeEvent) => void): void {
  globalThis.pilotfishBridge = (payload) => {
    // From bridge.ts, which has just written it.
    const event = JSON.parse(payload) as BridgeEvent;
    const short = (tab: BridgeTab): BridgeTab => ({
      ...tab,
      url: tab.url.slice(0, longest),
      title: tab.title.slice(0, longest),
    });
    send({ ...event, tabs: event.tabs.map(short) });
  };
  if (!watching) watchTabs();
  watching = true;
  void report();
}
