import type { Exit, TerminalInfo } from '$ui/protocol/protocol';
import type { Socket, SocketEvents } from '../core/lastingsocket';
import type { StreamState } from '../core/stream';
import type { PanelKey } from './keys';

/** A link under the mouse. */
export interface HoveredLink {
  readonly url: string;
  readonly x: number;
  readonly y: number;
}

/** What a view gets from the panel, and the callbacks for its events. */
export interface ViewConfig {
  /** The terminal's current size. If it already fits, no second layout is needed. */
  readonly cols?: number;
  readonly rows?: number;
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly dark: boolean;
  readonly mac: boolean;
  /** Whether to draw with WebGL; called after the first frame is drawn. */
  readonly graphicsCard: () => boolean;
  readonly online: () => boolean;
  /** Whether the user has the panel before them. */
  readonly looked: () => boolean;
  readonly dial: (size: { cols: number; rows: number }, events: SocketEvents) => Promise<Socket>;
  readonly onState: (state: StreamState) => void;
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onExit: (exit: Exit | undefined) => void;
  readonly onTitle: (title: string) => void;
  readonly onBell: () => void;
  readonly onFind: () => void;
  readonly onLeave: () => void;
  /** The view got the keyboard. */
  readonly onFocus: () => void;
  /** A key about several terminals. Returns false if it is the program's. */
  readonly onKey: (key: PanelKey) => boolean;
  readonly onLink: (link: HoveredLink | undefined) => void;
  readonly onOpenLink: (url: string) => void;
  readonly onMatches: (index: number, count: number) => void;
  /** Asks the user whether this text may be pasted. */
  readonly askPaste: (text: string) => Promise<boolean>;
}

/** The number of a range that is closest to a value. */
export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
