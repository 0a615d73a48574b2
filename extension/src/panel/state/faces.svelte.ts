import type { TabID } from '$ui/protocol/protocol';
import type { IconName } from '$ui/icons';

/** The storage key of the chosen faces, in chrome.storage.local, which survives restarts. */
export const facesKey = 'pilotfish.faces';

/** The stored value as it was read, not validated. */
type KeptFaces = { last?: unknown; tabs?: Record<TabID, unknown> } | undefined;

/** The faces of the panel, in the order in which the switch shows them. */
export const faces = [
  {
    id: 'terminal',
    name: 'Terminal',
    icon: 'terminal',
    about: 'Run a command-line agent or a shell next to the page.',
  },
  {
    id: 'chat',
    name: 'Chat',
    icon: 'chat',
    about: 'Ask about the page, or say what to do, one message at a time.',
  },
  {
    id: 'task',
    name: 'Task',
    icon: 'bolt',
    about: 'Give a goal. A model works through the steps by itself and asks before risky ones.',
  },
] as const satisfies readonly { id: string; name: string; icon: IconName; about: string }[];

export type Face = (typeof faces)[number]['id'];

/**
 * Which face each tab shows. A tab without a choice shows the face that was chosen
 * last. The panel's document is closed and opened often, so the extension's storage
 * keeps the choice.
 */
export class Faces {
  #byTab = $state.raw<Readonly<Record<TabID, Face>>>({});
  #last = $state<Face>();
  /** What the user chose before the panel knew its first tab. */
  #early: Face | undefined;
  #arrived = false;
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  /** Reads the stored choice. */
  async load(): Promise<void> {
    const kept = (await this.#area.get(facesKey))[facesKey] as KeptFaces;
    const tabs = Object.entries(kept?.tabs ?? {}).filter((one): one is [string, Face] =>
      isFace(one[1]),
    );
    // A choice made during the read is newer.
    if (isFace(kept?.last)) this.#last ??= kept.last;
    this.#byTab = { ...Object.fromEntries(tabs), ...this.#byTab };
  }

  of(tab: TabID | undefined): Face {
    return (tab === undefined ? undefined : this.#byTab[tab]) ?? this.#last ?? 'terminal';
  }

  choose(tab: TabID | undefined, face: Face): void {
    this.#last = face;
    this.#early = tab === undefined && !this.#arrived ? face : undefined;
    if (tab !== undefined) this.#byTab = { ...this.#byTab, [tab]: face };
    void this.#area.set({ [facesKey]: { last: face, tabs: this.#byTab } });
  }

  /** Gives the panel's first tab what the user chose before it was known. */
  arrived(tab: TabID): void {
    this.#arrived = true;
    if (this.#early !== undefined) this.choose(tab, this.#early);
  }
}

function isFace(value: unknown): value is Face {
  return faces.some(({ id }) => id === value);
}
