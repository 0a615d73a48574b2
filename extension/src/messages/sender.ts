/** Which sender may send which messages. The check comes before the message is parsed. */
import type { Asking } from './envelope';

/** The page of the panel inside the extension. */
export const PANEL_PAGE = 'panel.html';
/** The task page, which runs tasks where no panel is open. */
export const TASK_PAGE = 'tasks.html';
/** The script of the worker. */
export const WORKER_SCRIPT = 'worker.js';

/** The part of chrome.runtime.MessageSender that we check. */
export type Sender = Pick<
  chrome.runtime.MessageSender,
  'id' | 'url' | 'tab' | 'frameId' | 'origin'
>;

/**
 * Whether a sender may send messages of a kind. The panel and the task page call the worker. The worker sends
 * questions to content scripts. Tab events come from the content script in the tab or from the
 * worker. `own` is the id of the extension.
 */
export function maySend(kind: Asking | 'tab:event', sender: Sender, own: string): boolean {
  if (sender.id !== own) return false;
  switch (kind) {
    case 'rpc:call':
      return isOwn(sender, own, PANEL_PAGE) || isOwn(sender, own, TASK_PAGE);
    case 'cs:rpc':
    case 'cs:query':
      return sender.tab === undefined && isOwn(sender, own, WORKER_SCRIPT);
    case 'tab:event':
      if (sender.tab === undefined) return isOwn(sender, own, WORKER_SCRIPT);
      return sender.tab.id !== undefined && sender.frameId !== undefined && !inside(sender, own);
  }
}

/** Whether a sender is this page, or this script, of the extension. */
function isOwn(sender: Sender, own: string, file: string): boolean {
  return inside(sender, own) && URL.parse(sender.url ?? '')?.pathname === `/${file}`;
}

function inside({ url = '', origin }: Sender, own: string): boolean {
  const at = URL.parse(url);
  return (
    at?.protocol === 'chrome-extension:' &&
    at.host === own &&
    (origin === undefined || origin === `chrome-extension://${own}`)
  );
}

/** Whether a URL is the welcome page of the backend on this port. */
export function isWelcomePage(url: string | undefined, port: number): boolean {
  const parsed = url === undefined ? null : URL.parse(url);
  return (
    parsed !== null &&
    parsed.origin === `http://127.0.0.1:${String(port)}` &&
    parsed.pathname === '/welcome'
  );
}
