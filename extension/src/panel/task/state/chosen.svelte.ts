import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import type { TabID, TaskID } from '$ui/protocol/protocol';

/** The storage key in chrome.storage.local. */
const key = 'pilotfish.tasks.chosen';

/** How many tabs are stored. */
const most = 50;

const keptSchema = v.record(v.string(), v.string());

/**
 * Which task each tab shows; empty for none. The panel's document and the browser
 * are closed and opened again, so the extension's storage keeps it.
 */
export class Chosen {
  readonly #byTab = new SvelteMap<TabID, TaskID>();

  /** Reads the stored choice. */
  async load(): Promise<void> {
    const { [key]: raw } = await chrome.storage.local.get(key);
    const kept = v.safeParse(keptSchema, raw);
    if (!kept.success) return;
    // A choice made during the read is newer.
    for (const [tab, id] of Object.entries(kept.output))
      if (!this.#byTab.has(tab)) this.#byTab.set(tab, id);
  }

  get(tab: TabID): TaskID | undefined {
    return this.#byTab.get(tab);
  }

  has(tab: TabID): boolean {
    return this.#byTab.has(tab);
  }

  /** Each tab with its task, the one chosen last at the end. */
  [Symbol.iterator](): Iterator<[TabID, TaskID]> {
    return this.#byTab[Symbol.iterator]();
  }

  set(tab: TabID, id: TaskID): void {
    this.#byTab.delete(tab); // so that the newest is last
    this.#byTab.set(tab, id);
    void chrome.storage.local.set({ [key]: Object.fromEntries([...this.#byTab].slice(-most)) });
  }
}
