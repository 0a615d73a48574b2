import type { TerminalID } from '$ui/protocol/protocol';

/** The storage key of the names that the user gave to terminals. */
export const namesKey = 'pilotfish.terminals.names';

/** How many characters a name has, and how many names are kept. */
export const MAX_NAME = 40;
const MAX_NAMES = 100;

/** The names that the user gave to terminals, in the extension's storage. */
export class Names {
  #names = $state.raw<Readonly<Record<TerminalID, string>>>({});
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  /** Reads the stored names. */
  async load(): Promise<void> {
    const kept: unknown = (await this.#area.get(namesKey))[namesKey];
    if (typeof kept !== 'object' || kept === null) return;
    const names = Object.entries(kept).filter(
      (one): one is [string, string] => typeof one[1] === 'string' && one[1] !== '',
    );
    this.#names = { ...Object.fromEntries(names), ...this.#names };
  }

  of(id: TerminalID): string | undefined {
    return this.#names[id];
  }

  /** Names a terminal; an empty name gives it its agent's name again. */
  rename(id: TerminalID, name: string): void {
    const others = Object.entries(this.#names).filter(([other]) => other !== id);
    const short = name.trim().slice(0, MAX_NAME);
    if (short !== '') others.push([id, short]);
    this.#names = Object.fromEntries(others.slice(-MAX_NAMES));
    void this.#area.set({ [namesKey]: this.#names });
  }
}
