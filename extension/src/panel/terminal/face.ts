import type { AgentKind } from '$ui/protocol/protocol';
import type { PanelKey } from './keys';

/** The functions of the terminal's face that the panel calls. */
export interface Face {
  /** Opens the find bar. */
  find(): void;
  /** Does what a key about several terminals means. Returns false if it means nothing now. */
  key(key: PanelKey): boolean;
  /** Asks the user whether a text may be pasted that could do more than it seems to. */
  askPaste(text: string): Promise<boolean>;
  /**
   * Runs the agent that the user picked, after its installation if necessary. With
   * `then`, calls that instead.
   */
  pick(kind: AgentKind, then?: (kind: AgentKind, command?: string) => void): void;
}
