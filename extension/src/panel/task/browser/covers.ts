import { hearing } from '../../../messages/answer';
import { COVER_PAUSE, COVER_PORT, type CoverSays } from '../../../messages/methods';

/** What the covers need. */
export interface CoversConfig {
  /** Puts the script that covers a page into it. */
  readonly ready: (tab: number) => Promise<void>;
  /** The person wants a pause. */
  readonly pause: () => void;
}

/**
 * Covers the tabs that the app has no way into, as the app covers all others: by
 * the script that acts there, over a port that ends with this panel. A document
 * that takes another one's place is covered as soon as it is there.
 */
export class Covers {
  readonly #config: CoversConfig;
  /** Chrome's ids of the tabs, with the port of each that is covered. */
  readonly #tabs = new Map<number, chrome.runtime.Port | undefined>();
  #says: CoverSays = null;
  readonly #heard = hearing(chrome.runtime.id, ({ event }, sender) => {
    const tab = sender.tab?.id;
    // A frame more of the page, or the next document.
    if (event === 'hands-ready' && tab !== undefined && this.#tabs.has(tab)) this.#open(tab);
  });

  constructor(config: CoversConfig) {
    this.#config = config;
  }

  /** A tab whose page has the script. */
  add(tab: number): void {
    if (this.#tabs.has(tab)) return;
    this.#tabs.set(tab, undefined);
    this.#open(tab);
  }

  /** What the covers say from now on; null takes them away. */
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
      // That nobody listened is an end like others; unread, the browser complains of it.
      const unheard = chrome.runtime.lastError !== undefined;
      if (this.#tabs.get(tab) !== port) return;
      this.#tabs.set(tab, undefined);
      // The document went away: the script that is put into the next one says so.
      if (this.#says !== null || unheard) void this.#config.ready(tab);
    });
    port.postMessage(this.#says);
    const before = this.#tabs.get(tab);
    this.#tabs.set(tab, port);
    before?.disconnect();
  }
}
