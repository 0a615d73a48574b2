/**
 * The way of "the panel is connected" to the welcome page: panel, worker,
 * content script, page event.
 */
import {
  fromOwnPage,
  isMessage,
  isWelcomePage,
  PANEL_PAGE,
  type PanelAsk,
  type WelcomeConnected,
} from '../messages';
import { PairingKey } from '$ui/protocol/protocol';

/** Answers the panel and the content script; registered in the first turn. */
export function answerMessages(): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender) => {
    if (isMessage(message, 'panel-connected') && fromOwnPage(sender, PANEL_PAGE)) {
      void tellWelcomePages();
    } else if (
      isMessage(message, 'welcome-loaded') &&
      sender.id === chrome.runtime.id &&
      sender.frameId === 0
    ) {
      void answerWelcomePage(sender);
    }
  });
}

/** The port that the app paired us with; undefined before that. */
async function pairedPort(): Promise<number | undefined> {
  const stored = await chrome.storage.session.get(PairingKey);
  const pairing: unknown = stored[PairingKey];
  if (typeof pairing !== 'object' || pairing === null || !('port' in pairing)) return undefined;
  return typeof pairing.port === 'number' ? pairing.port : undefined;
}

async function tellWelcomePages(): Promise<void> {
  const port = await pairedPort();
  if (port === undefined) return;
  const tabs = await chrome.tabs.query({});
  await Promise.all(
    tabs.map(async (tab) => {
      if (tab.id !== undefined && isWelcomePage(tab.url, port)) await tell(tab.id, port);
    }),
  );
}

/** A welcome page that came after the panel: is a panel connected? */
async function answerWelcomePage(sender: chrome.runtime.MessageSender): Promise<void> {
  const port = await pairedPort();
  const tabId = sender.tab?.id;
  if (port === undefined || tabId === undefined || !isWelcomePage(sender.url, port)) return;
  const ask: PanelAsk = { type: 'panel-ask' };
  // Nobody listens while no panel is open: that is an answer, too.
  const answer: unknown = await chrome.runtime.sendMessage(ask).catch(() => undefined);
  if (typeof answer === 'object' && answer !== null && 'connected' in answer)
    await tell(tabId, port);
}

async function tell(tabId: number, port: number): Promise<void> {
  const message: WelcomeConnected = { type: 'welcome-connected', port };
  try {
    await chrome.tabs.sendMessage(tabId, message, { frameId: 0 });
  } catch {
    // The page was loaded before the extension was: it has no content script
    // yet. The page may also be gone by now, which needs nothing.
    await chrome.scripting
      .executeScript({ target: { tabId, frameIds: [0] }, files: ['content.js'] })
      .then(() => chrome.tabs.sendMessage(tabId, message, { frameId: 0 }))
      .catch(() => undefined);
  }
}
