/**
 * How "the panel is connected" reaches the welcome page: panel, worker, content script, page event.
 * A page that is loaded later sends an event to the panels, and a connected panel reports again.
 */
import { question, tabEvent } from '../messages/envelope';
import { isWelcomePage } from '../messages/sender';
import { PairingKey } from '$ui/protocol/protocol';
import { CLOSED_QUIET, WELCOME_WAIT } from './timing';

type Panel = 'connected' | 'closed';

/** The port from the pairing; undefined before the pairing. */
async function pairedPort(): Promise<number | undefined> {
  const stored = await chrome.storage.session.get(PairingKey);
  const pairing: unknown = stored[PairingKey];
  if (typeof pairing !== 'object' || pairing === null || !('port' in pairing)) return undefined;
  return typeof pairing.port === 'number' ? pairing.port : undefined;
}

/** Tells every welcome page of ours that a panel is connected. */
export async function tellWelcomePages(): Promise<void> {
  await tellPages('connected', {});
}

/** Tells the welcome pages of a window when its panel was closed and stays closed. */
export function watchPanels(): void {
  // Chrome has this event since version 142. Without it, the page keeps showing that the panel is
  // connected.
  const panels: Partial<typeof chrome.sidePanel> = chrome.sidePanel;
  const closed = new Map<number, ReturnType<typeof setTimeout>>();
  panels.onClosed?.addListener(({ windowId }) => {
    clearTimeout(closed.get(windowId));
    const tell = (): void => {
      closed.delete(windowId);
      void tellPages('closed', { windowId });
    };
    closed.set(windowId, setTimeout(tell, CLOSED_QUIET));
  });
  panels.onOpened?.addListener(({ windowId }) => {
    clearTimeout(closed.get(windowId));
    closed.delete(windowId);
  });
}

async function tellPages(panel: Panel, where: chrome.tabs.QueryInfo): Promise<void> {
  const port = await pairedPort();
  if (port === undefined) return;
  const tabs = await chrome.tabs.query(where);
  await Promise.all(
    tabs.map(async (tab) => {
      if (tab.id !== undefined && isWelcomePage(tab.url, port)) await tell(tab.id, port, panel);
    }),
  );
}

/**
 * A panel that connected before this worker listened has reported to nobody. When a welcome page
 * waits, ask the panel to report again.
 */
export async function catchUp(): Promise<void> {
  const port = await pairedPort();
  if (port === undefined) return;
  const tabs = await chrome.tabs.query({});
  if (!tabs.some(({ url }) => isWelcomePage(url, port))) return;
  const event = tabEvent('welcome-loaded', Date.now() + WELCOME_WAIT);
  // Without an open panel nobody receives it. That is fine.
  await chrome.runtime.sendMessage(event).catch(() => undefined);
}

async function tell(tabId: number, port: number, panel: Panel): Promise<void> {
  const message = question('cs:rpc', 'welcome', { port, panel }, Date.now() + WELCOME_WAIT);
  try {
    await chrome.tabs.sendMessage(tabId, message, { frameId: 0 });
  } catch {
    // The page was loaded before the extension and has no content script yet. Or the page is gone,
    // and nothing is needed.
    await chrome.scripting
      .executeScript({ target: { tabId, frameIds: [0] }, files: ['content.js'] })
      .then(() => chrome.tabs.sendMessage(tabId, message, { frameId: 0 }))
      .catch(() => undefined);
  }
}
