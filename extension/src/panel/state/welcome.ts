import { isMessage, type PanelAnswer, type PanelConnected } from '../../messages';

/**
 * Tells the worker that the panel is connected, once what it shows is drawn, so
 * that the welcome page's arrow can go.
 */
export function tellConnected(): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      const message: PanelConnected = { type: 'panel-connected' };
      // Nobody may listen: then there is no welcome page that waits.
      chrome.runtime.sendMessage(message).catch(() => undefined);
    });
  });
}

/** Answers the worker's question whether a panel is connected, until `signal` aborts. */
export function answerAsk(connected: () => boolean, signal: AbortSignal): void {
  const listener = (
    message: unknown,
    sender: chrome.runtime.MessageSender,
    answer: (reply: PanelAnswer) => void,
  ): void => {
    const worker = sender.id === chrome.runtime.id && sender.tab === undefined;
    if (worker && isMessage(message, 'panel-ask') && connected()) answer({ connected: true });
  };
  chrome.runtime.onMessage.addListener(listener);
  signal.addEventListener('abort', () => {
    chrome.runtime.onMessage.removeListener(listener);
  });
}
