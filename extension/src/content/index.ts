/**
 * The content script of the welcome page. It dispatches an event in the page when a side panel has
 * connected, and when one was closed. Of the page it notices only a press of “First steps”, which
 * shows them in the app's window.
 */
import { answering } from '../messages/answer';
import { tabEvent } from '../messages/envelope';
import { isWelcomePage } from '../messages/sender';

declare global {
  /** Set in the isolated world once this script runs: it may be injected twice. */

  var pilotfishWelcome: true | undefined;
}

/** The events that the welcome page handles. */
const EVENTS = { connected: 'pilotfish:connected', closed: 'pilotfish:closed' } as const;
/** How long the event that the page is loaded stays valid, in milliseconds. */
const EVENT_LIFETIME = 10_000;

function tell(panel: keyof typeof EVENTS): void {
  document.dispatchEvent(new CustomEvent(EVENTS[panel], { bubbles: true }));
}

let offered = false;

/** Passes a press of “First steps” on, which only the user's own press is. */
function offerFirstSteps(): void {
  if (offered) return;
  offered = true;
  document.addEventListener('click', (event) => {
    if (!event.isTrusted || !(event.target instanceof Element)) return;
    if (event.target.closest('#first-steps') === null) return;
    chrome.runtime
      .sendMessage(tabEvent('first-steps', Date.now() + EVENT_LIFETIME))
      .catch(() => undefined);
  });
}

/** Runs `then` when the page's own script can receive the event: this script runs earlier. */
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
            // The paired port: only the welcome page on this port is ours.
            if (isWelcomePage(location.href, port)) {
              offerFirstSteps();
              whenHeard(() => {
                tell(panel);
              });
            }
            return null;
          },
        },
      },
      chrome.runtime.id,
      false,
    ),
  );
  // The panel may have connected before this page was loaded. If the worker is gone for good (the
  // extension was reloaded), no answer is needed.
  chrome.runtime
    .sendMessage(tabEvent('welcome-loaded', Date.now() + EVENT_LIFETIME))
    .catch(() => undefined);
}
