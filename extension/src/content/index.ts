/**
 * The content script of the welcome page: it tells the page, by one event, that
 * a side panel is really connected. It listens to the extension only, never to
 * the page.
 */
import { answering } from '../messages/answer';
import { tabEvent } from '../messages/envelope';
import { isWelcomePage } from '../messages/sender';

declare global {
  /** Set in the isolated world once this script runs: it may be injected twice. */

  var pilotfishWelcome: true | undefined;
}

/** The event that the welcome page hears when a panel is connected. */
const CONNECTED_EVENT = 'pilotfish:connected';
/** How long the news that the page is there is worth something, in milliseconds. */
const NEWS = 10_000;

function tell(): void {
  document.dispatchEvent(new CustomEvent(CONNECTED_EVENT, { bubbles: true }));
}

/** Waits for the page's own script, which hears the event: this one runs before it. */
function whenHeard(then: () => void): void {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', then);
  else then();
}

if (
  globalThis.pilotfishWelcome === undefined &&
  window.top === window &&
  location.pathname === '/welcome'
) {
  globalThis.pilotfishWelcome = true;
  chrome.runtime.onMessage.addListener(
    answering(
      {
        'cs:rpc': {
          welcome: ({ port }) => {
            // The port of the pairing: the only one whose welcome page is ours.
            if (isWelcomePage(location.href, port)) whenHeard(tell);
            return null;
          },
        },
      },
      chrome.runtime.id,
      false,
    ),
  );
  // The panel may have connected before this page was loaded. The worker may be
  // gone for good (extension reloaded): then nobody needs the answer.
  chrome.runtime.sendMessage(tabEvent('welcome-loaded', Date.now() + NEWS)).catch(() => undefined);
}
