import { maySend } from '../messages/sender';
import { COVER_PAUSE, COVER_PORT, type CoverSays } from '../messages/methods';
import type { Page } from '../page/page';

/**
 * Shows the overlay as long as a panel requests it over a port. The port closes with the panel, so
 * no overlay stays without a task. A panel opens a new port before it closes the old one.
 */
export function covering({ mask }: Page): void {
  const open = new Set<chrome.runtime.Port>();
  const hide = (port: chrome.runtime.Port): void => {
    open.delete(port);
    if (open.size === 0) mask.hide();
  };
  // A document in the back/forward cache does not see its ports close.
  addEventListener('pagehide', () => {
    open.clear();
    mask.hide();
  });
  chrome.runtime.onConnect.addListener((port) => {
    const { name, sender } = port;
    if (
      name !== COVER_PORT ||
      sender === undefined ||
      !maySend('rpc:call', sender, chrome.runtime.id)
    )
      return;
    port.onMessage.addListener((says: CoverSays) => {
      if (says === null) {
        hide(port);
        return;
      }
      open.add(port);
      globalThis.pilotfishPause = () => {
        port.postMessage(COVER_PAUSE);
      };
      mask.show(says);
    });
    port.onDisconnect.addListener(hide);
  });
}
