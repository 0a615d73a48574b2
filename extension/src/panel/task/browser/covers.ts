import { hearing } from '../../../messages/answer';
import { COVER_PAUSE, COVER_PORT, type CoverSays } from '../../../messages/methods';

/** What the overlays need. */
export interface CoversConfig {
  /** Puts the content script that makes the overlay into a page. */
  readonly ready: (tab: number) => Promise<void>;
  /** Called when the user asks for a pause. */
  readonly pause: () => void;
}

/**
 * Puts overlays on the tabs that the browser refuses the app; the app itself does
 * that for all other tabs. The content script makes the overlay, over a port that
 * closes with this panel. After a navigation the new document gets its overlay as
 * soon as it exists.
 */
export class Covers {
  readonly #config: CoversConfig;
  /** Chrome's ids of the tabs. The value is the port of a tab with an overlay. */
  readonly #tabs = new Map<number, chrome.runtime.Port | undefined>();
  #says: CoverSays = null;
  readonly #heard = hearing(chrome.runtime.id, ({ event }, sender) => {
    const tab = sender.tab?.id;
    // A new frame of the page, or the next document.
    if (event === 'executor-ready' && tab !== undefined && this.#tabs.has(tab)) this.#open(tab);
  });

  constructor(config: CoversConfig) {
    this.#config = config;
  }

  /** Adds a tab whose page has the content script. */
  add(tab: number): void {
    if (this.#tabs.has(tab)) return;
    this.#tabs.set(tab, undefined);
    this.#open(tab);
  }

  /** Sets what the overlays say; null removes them. */
  say(says: CoverSays): void {
    const covered = this.#says !== null;
    this.#says = says;
    if (covered === (says !== null)) {
      for (const port of this.#tabs.values()) port?.postMessage(says);
    } else if (says === null) {
      chrome.runtime.onMessage.removeListener(this.#heard);
      for (const [tab, port] of this.#tabs) {
        this.#tabs.set(tab, undefined);
        port?.disconnect();
      }
    } else {
      chrome.runtime.onMessage.addListener(this.#heard);
      for (const tab of this.#tabs.keys()) this.#open(tab);
    }
  }

  #open(tab: number): void {
    if (this.#says === null) return;
    const port = chrome.tabs.connect(tab, { name: COVER_PORT });
    port.onMessage.addListener((said: unknown) => {
      if (said === COVER_PAUSE) this.#config.pause();
    });
    port.onDisconnect.addListener(() => {
      // Read lastError: it is set when nobody listened, which is handled like any
      // other end. If it is not read, the browser logs an error.
      const unheard = chrome.runtime.lastError !== undefined;
      if (this.#tabs.get(tab) !== port) return;
      this.#tabs.set(tab, undefined);
      // The document has gone. The content script in the next document sends an event
      // when it is ready.
      if (this.#says !== null || unheard) void this.#config.ready(tab);
    });
    port.postMessage(this.#says);
    const before = this.#tabs.get(tab);
    this.#tabs.set(tab, port);
    before?.disconnect();
  }
}
