import { maySend } from '../messages/sender';
import { COVER_PAUSE, COVER_PORT, type CoverSays } from '../messages/methods';
import type { Page } from '../page/page';

/**
 * Covers the page as long as a panel says so: over a port that ends with the
 * panel, so that nothing stays covered for which nobody works. A panel opens a
 * new one before it closes the old one.
 */
export function covering({ mask }: Page): void {
  const open = new Set<chrome.runtime.Port>();
  const hide = (port: chrome.runtime.Port): void => {
    open.delete(port);
    if (open.size === 0) mask.hide();
  };
  // A document that is put aside hears of no end.
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
