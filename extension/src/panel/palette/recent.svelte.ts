/** The storage key of what was chosen last, in chrome.storage.local. */
export const recentKey = 'pilotfish.recent';

/** How many choices are remembered. */
const most = 20;
/** The longest id that is remembered, in characters. */
const longest = 200;

/** What the user chose in the palette, the last first. The extension's storage keeps it. */
export class Recent {
  ids = $state.raw<readonly string[]>([]);
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  /** Reads what is stored; a choice made during the read is newer. */
  async load(): Promise<void> {
    const kept: unknown = (await this.#area.get(recentKey))[recentKey];
    if (!Array.isArray(kept)) return;
    const ids = kept.filter((id) => typeof id === 'string' && id.length <= longest) as string[];
    this.ids = [...this.ids, ...ids.filter((id) => !this.ids.includes(id))].slice(0, most);
  }

  add(id: string): void {
    this.ids = [id, ...this.ids.filter((one) => one !== id)].slice(0, most);
    void this.#area.set({ [recentKey]: this.ids });
  }
}
