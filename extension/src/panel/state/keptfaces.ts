import type { TabID } from '$ui/protocol/protocol';

/** Where the choice of faces is kept: in chrome.storage.local, across restarts. */
export const facesKey = 'pilotfish.faces';

/** What is kept of it, as it was read: nothing in it is known to be right. */
export type KeptFaces = { last?: unknown; tabs?: Record<TabID, unknown> } | undefined;

/** The face of a tab as it was chosen: its own, else the one chosen last; undefined before any was. */
export function keptFace(kept: KeptFaces, tab: TabID): unknown {
  return kept?.tabs?.[tab] ?? kept?.last;
}
