import { SvelteSet } from 'svelte/reactivity';

/** The storage key of the notices that the user has dismissed. */
const key = 'pilotfish.dismissed';
/** How many are remembered: the notices of earlier runs do not come again. */
const most = 100;

/** The notices that the user has dismissed. They stay dismissed when the window opens again. */
export class Dismissed {
  readonly #all = new SvelteSet<string>(load());

  has(notice: string): boolean {
    return this.#all.has(notice);
  }

  add(notice: string): void {
    this.#all.add(notice);
    try {
      localStorage.setItem(key, JSON.stringify([...this.#all].slice(-most)));
    } catch {
      // Without storage it comes again with the next window.
    }
  }
}

function load(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
