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

/**
 * Answers welcome pages until `signal` aborts: tells one that loads later that the panel is
 * connected, and runs `firstSteps` when the user asks for them there.
 */
export function answerAsk(
  connected: () => boolean,
  firstSteps: () => void,
  signal: AbortSignal,
): void {
  const listener = hearing(chrome.runtime.id, ({ event }) => {
    if (!connected()) return;
    if (event === 'welcome-loaded') tell();
    if (event === 'first-steps') firstSteps();
  });
  chrome.runtime.onMessage.addListener(listener);
  signal.addEventListener('abort', () => {
    chrome.runtime.onMessage.removeListener(listener);
  });
}
