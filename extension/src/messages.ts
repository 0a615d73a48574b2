/**
 * Every message that travels inside the extension, and who may send it. None
 * of them carries a secret, and none can become a prompt or input of a
 * terminal: the panel talks to the backend by itself. A web page can send none
 * of them (the manifest has no externally_connectable), and each receiver
 * checks its sender all the same.
 */
export type Message = PanelConnected | PanelAsk | WelcomeLoaded | WelcomeConnected;

/** Panel to worker: the panel's socket is open and has said hello. */
export interface PanelConnected {
  readonly type: 'panel-connected';
}

/**
 * Worker to panels: is one of you connected? A panel that is answers with
 * `PanelAnswer`; one that is not does not answer.
 */
export interface PanelAsk {
  readonly type: 'panel-ask';
}

/** The answer to `PanelAsk`. */
export interface PanelAnswer {
  readonly connected: true;
}

/** Content script to worker: the welcome page has been loaded. */
export interface WelcomeLoaded {
  readonly type: 'welcome-loaded';
}

/** Worker to the content script of our welcome page: a panel is connected. */
export interface WelcomeConnected {
  readonly type: 'welcome-connected';
  /** The port of the pairing: the only one whose welcome page is ours. */
  readonly port: number;
}

/** The event that the welcome page hears when a panel is connected. */
export const CONNECTED_EVENT = 'pilotfish:connected';

/** The page of the panel inside the extension. */
export const PANEL_PAGE = 'panel.html';

/** Whether a value is one of our messages of this type. */
export function isMessage<T extends Message['type']>(
  value: unknown,
  type: T,
): value is Extract<Message, { type: T }> {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}

/** Whether a message comes from a page of this extension, and not from a tab. */
export function fromOwnPage(sender: chrome.runtime.MessageSender, page: string): boolean {
  if (sender.id !== chrome.runtime.id || sender.url === undefined) return false;
  const url = URL.parse(sender.url);
  return url !== null && url.origin === location.origin && url.pathname === `/${page}`;
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
