import { cleanSites, readSite, setCleanSite } from '../../clean/sites';
import type { Cleaned, Hidden, HiddenKind } from '../../clean/types';
import type { QuickAction } from './actions';
import type { QuickDesk } from './desk';
import { askWorker } from './worker';

/** One and many of each kind. */
const words: Readonly<Record<HiddenKind, readonly [string, string]>> = {
  ad: ['ad', 'ads'],
  notice: ['cookie notice', 'cookie notices'],
  newsletter: ['newsletter wall', 'newsletter walls'],
  overlay: ['overlay', 'overlays'],
  bar: ['bar', 'bars'],
  other: ['other thing', 'other things'],
};

/** What is hidden, in words: "2 ads, 1 bar". Empty when nothing is. */
export function hiddenText(hidden: Hidden): string {
  return (Object.keys(words) as HiddenKind[])
    .filter((kind) => (hidden[kind] ?? 0) > 0)
    .map((kind) => `${String(hidden[kind])} ${words[kind][hidden[kind] === 1 ? 0 : 1]}`)
    .join(', ');
}

/** Clean up for the tab beside the panel. */
export class CleanUp {
  result = $state.raw<Cleaned>();
  busy = $state(false);
  problem = $state('');
  sites = $state.raw<readonly string[]>([]);
  /** The address of the page that the result is about: another page is as its site made it. */
  #page = $state('');
  /** The tab that the result is about, by Chrome's id. */
  #tab: number | undefined;
  /** The last request and what it asked for; one for another tab or of another kind follows it. */
  #running: Promise<void> = Promise.resolve();
  #asked = '';

  /** Whether the page beside the panel is cleaned up. */
  on(desk: QuickDesk): boolean {
    return this.result?.on === true && this.#page === desk.tab?.url;
  }

  /** Cleans up, undoes it, or asks what the state is. */
  do(desk: QuickDesk, what: 'clean' | 'undo' | 'state'): Promise<void> {
    // The user may have gone to another tab while the result is shown.
    const tab = what === 'undo' ? (this.#tab ?? desk.tab?.chromeTabId) : desk.tab?.chromeTabId;
    if (tab === undefined) return Promise.resolve();
    const asked = `${what} ${String(tab)}`;
    if (this.busy && asked === this.#asked) return this.#running; // a second press
    this.#asked = asked;
    const url = desk.tab?.url ?? '';
    this.busy = true; // at once, also while an earlier one runs
    this.#running = this.#running.then(() => this.#do(tab, what, url));
    return this.#running;
  }

  async #do(tab: number, what: 'clean' | 'undo' | 'state', url: string): Promise<void> {
    this.busy = true;
    this.problem = '';
    try {
      this.result = await askWorker('clean', { tab, do: what });
      this.#tab = tab;
      if (what !== 'undo') this.#page = url;
      this.sites = await cleanSites();
    } catch (error) {
      const { message, hint = '' } = error as Error & { readonly hint?: string };
      this.result = undefined;
      this.problem = `${message} ${hint}`.trim();
    } finally {
      this.busy = false;
    }
  }

  /** Puts a site into the list of sites that are always cleaned up, or takes it out. */
  async always(site: string, on: boolean): Promise<void> {
    this.problem = '';
    try {
      this.sites = await setCleanSite(site, on);
      if (this.result?.site === site) this.result = { ...this.result, always: on };
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }

  /** Adds what the user typed. Returns whether it is a site. */
  async add(typed: string): Promise<boolean> {
    const site = readSite(typed);
    if (site === '') {
      this.problem = 'That is no site. Type a name such as example.com.';
      return false;
    }
    await this.always(site, true);
    return this.problem === '';
  }
}

/** The one state of Clean up in a panel. */
export function cleanUp(desk: QuickDesk): CleanUp {
  return desk.part('clean', () => new CleanUp());
}

export const cleanAction: QuickAction = {
  id: 'clean',
  name: 'Clean up',
  icon: 'broom',
  about: 'Hide ads, cookie notices, overlays, bars and newsletter walls of this page.',
  shortcut: { letter: 'L' },
  run: (desk) => {
    const clean = cleanUp(desk);
    // A page that is cleaned up already only shows what can be undone.
    void clean.do(desk, clean.on(desk) ? 'state' : 'clean');
    desk.show(() => import('./CleanSheet.svelte'));
  },
  state: (desk) => {
    const clean = cleanUp(desk);
    if (clean.busy) return 'busy';
    return clean.on(desk) ? 'on' : undefined;
  },
};
