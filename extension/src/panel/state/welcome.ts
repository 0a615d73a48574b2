import { hearing } from '../../messages/answer';
import { question } from '../../messages/envelope';
import { REQUEST_TIMEOUT } from '../core/timing';

/**
 * Tells the worker that the panel is connected, once the panel is drawn, so that
 * the welcome page can remove its arrow.
 */
export function tellConnected(): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(tell);
  });
}

function tell(): void {
  // It fails if nobody listens: then no welcome page waits.
  chrome.runtime
    .sendMessage(question('rpc:call', 'connected', null, Date.now() + REQUEST_TIMEOUT))
    .catch(() => undefined);
}

/** Tells a welcome page that loads later that the panel is connected, until `signal` aborts. */
export function answerAsk(connected: () => boolean, signal: AbortSignal): void {
  const listener = hearing(chrome.runtime.id, ({ event }) => {
    if (event === 'welcome-loaded' && connected()) tell();
  });
  chrome.runtime.onMessage.addListener(listener);
  signal.addEventListener('abort', () => {
    chrome.runtime.onMessage.removeListener(listener);
  });
}
