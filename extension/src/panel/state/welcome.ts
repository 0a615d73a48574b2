import { hearing } from '../../messages/answer';
import { question } from '../../messages/envelope';
import { REQUEST_TIMEOUT } from '../core/timing';

/**
 * Tells the worker that the panel is connected, once what it shows is drawn, so
 * that the welcome page's arrow can go.
 */
export function tellConnected(): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(tell);
  });
}

function tell(): void {
  // Nobody may listen: then there is no welcome page that waits.
  chrome.runtime
    .sendMessage(question('rpc:call', 'connected', null, Date.now() + REQUEST_TIMEOUT))
    .catch(() => undefined);
}

/**
 * Answers a welcome page that is loaded later, while the panel is connected, until
 * `signal` aborts.
 */
export function answerAsk(connected: () => boolean, signal: AbortSignal): void {
  const listener = hearing(chrome.runtime.id, ({ event }) => {
    if (event === 'welcome-loaded' && connected()) tell();
  });
  chrome.runtime.onMessage.addListener(listener);
  signal.addEventListener('abort', () => {
    chrome.runtime.onMessage.removeListener(listener);
  });
}
