// What the panel says in a session that works in the user's own browser.
import { SessionBackground, type SessionInfo, type Tab } from '$ui/protocol/protocol';

/** Whether agents can use a tab, with the action that changes it. */
export interface Sharing {
  readonly text: string;
  readonly action: string;
  /** What the action does: take the tab back, or give it. */
  readonly back: boolean;
}

/**
 * Whether agents can use a tab of the user; undefined for a tab that an agent opened, and in a
 * browser of Pilotfish.
 */
export function sharing(tab: Tab | undefined): Sharing | undefined {
  if (tab?.given === true)
    return { text: 'Agents can use this tab.', action: 'Take back', back: true };
  if (tab?.private === true)
    return { text: 'Agents cannot see this tab.', action: 'Give it to agents', back: false };
  return undefined;
}

/** What is said when the browser runs on, and Pilotfish is not connected to it any more. */
export function disconnected(session: SessionInfo | undefined): string | undefined {
  if (session?.state !== SessionBackground) return undefined;
  return 'Pilotfish is not connected to this browser any more. Start its session again.';
}
