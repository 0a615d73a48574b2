import type { TabID } from '$ui/protocol/protocol';
import type { IconName } from '$ui/icons';
import { facesKey, type KeptFaces } from './keptfaces';

/** The faces of the panel, in the order of their switch. */
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
 * Which face each tab shows. A tab that was never asked shows the face that was
 * chosen last; the panel's document comes and goes, so the choice is kept by
 * the extension.
 */
export class Faces {
  #byTab = $state.raw<Readonly<Record<TabID, Face>>>({});
  #last = $state<Face>();
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  /** Reads what was chosen before. */
  async load(): Promise<void> {
    const kept = (await this.#area.get(facesKey))[facesKey] as KeptFaces;
    const tabs = Object.entries(kept?.tabs ?? {}).filter((one): one is [string, Face] =>
      isFace(one[1]),
    );
    // What was chosen while this was read is newer.
    if (isFace(kept?.last)) this.#last ??= kept.last;
    this.#byTab = { ...Object.fromEntries(tabs), ...this.#byTab };
  }

  of(tab: TabID | undefined): Face {
    return (tab === undefined ? undefined : this.#byTab[tab]) ?? this.#last ?? 'terminal';
  }

  choose(tab: TabID | undefined, face: Face): void {
    this.#last = face;
    if (tab !== undefined) this.#byTab = { ...this.#byTab, [tab]: face };
    void this.#area.set({ [facesKey]: { last: face, tabs: this.#byTab } });
  }
}

function isFace(value: unknown): value is Face {
  return faces.some(({ id }) => id === value);
}
