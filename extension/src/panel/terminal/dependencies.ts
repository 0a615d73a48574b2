import type { AgentKind, TabID, TerminalID } from '$ui/protocol/protocol';
import type { Connection } from '../connection/connection';
import type { EarlyTerminal } from '../connection/earlyterminal';
import type { Looking } from '../state/looking';
import type { SessionStore } from '../state/session.svelte';
import type { PanelKey } from './keys';
import type { Layout } from './layout.svelte';
import type { TerminalView } from './view';

/** What all terminals need from the panel. */
export interface Dependencies {
  readonly connection: Connection;
  /** The terminal that was attached early, if it is this one; see EarlyConnection. */
  readonly early: (id: TerminalID) => EarlyTerminal | undefined;
  readonly session: SessionStore;
  /** Whether the user has the panel before them. */
  readonly looking: Looking;
  readonly fontFamily: string;
  readonly mac: boolean;
  readonly graphicsCard: () => boolean;
  readonly askPaste: (text: string) => Promise<boolean>;
  readonly openLink: (url: string) => void;
  readonly onFind: () => void;
  readonly onLeave: () => void;
  /** The order of the terminals, and which two share the panel. */
  readonly layout: Layout;
  /** A key of the panel was pressed in a terminal. Returns false if it is the program's. */
  readonly onKey: (key: PanelKey) => boolean;
}

/** A view, and what is known about it before it has a terminal. */
export interface Shown {
  readonly view: TerminalView;
  tab: TabID;
  id: TerminalID | undefined;
  /** What a new terminal runs. Used only for the first dial. */
  start: { agent: AgentKind | undefined; command: string; resume: string } | undefined;
}
