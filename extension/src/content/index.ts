/**
 * The content script of the welcome page: it tells the page, by an event each, that
 * a side panel is really connected, or was closed. It listens to the extension only, never to
 * the page.
 */
import { answering } from '../messages/answer';
import { tabEvent } from '../messages/envelope';
import { isWelcomePage } from '../messages/sender';

declare global {
  /** Set in the isolated world once this script runs: it may be injected twice. */

  var pilotfishWelcome: true | undefined;
}

/** The events that the welcome page hears. */
const EVENTS = { connected: 'pilotfish:connected', closed: 'pilotfish:closed' } as const;
/** How long the news that the page is there is worth something, in milliseconds. */
const NEWS = 10_000;

function tell(panel: keyof typeof EVENTS): void {
  document.dispatchEvent(new CustomEvent(EVENTS[panel], { bubbles: true }));
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
          welcome: ({ port, panel }) => {
            // The port of the pairing: the only one whose welcome page is ours.
            if (isWelcomePage(location.href, port))
              whenHeard(() => {
                tell(panel);
              });
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
