/**
 * The content script of the welcome page: it tells the page, by one event, that
 * a side panel is really connected. It listens to the extension only, never to
 * the page.
 */
import { CONNECTED_EVENT, isMessage, isWelcomePage, type WelcomeLoaded } from '../messages';

declare global {
  /** Set in the isolated world once this script runs: it may be injected twice. */

  var pilotfishWelcome: true | undefined;
}

if (
  globalThis.pilotfishWelcome === undefined &&
  window.top === window &&
  location.pathname === '/welcome'
) {
  globalThis.pilotfishWelcome = true;
  chrome.runtime.onMessage.addListener((message: unknown, sender) => {
    if (sender.id !== chrome.runtime.id || sender.tab !== undefined) return;
    if (!isMessage(message, 'welcome-connected') || !isWelcomePage(location.href, message.port))
      return;
    document.dispatchEvent(new CustomEvent(CONNECTED_EVENT, { bubbles: true }));
  });
  // The panel may have connected before this page was loaded. The worker may be
  // gone for good (extension reloaded): then nobody needs the answer.
  const loaded: WelcomeLoaded = { type: 'welcome-loaded' };
  chrome.runtime.sendMessage(loaded).catch(() => undefined);
}
