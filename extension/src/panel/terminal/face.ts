import type { AgentKind } from '$ui/protocol/protocol';

/** The functions of the terminal's face that the panel calls. */
export interface Face {
  /** Opens the find bar. */
  find(): void;
  /** Asks the user whether a text may be pasted that could do more than it seems to. */
  askPaste(text: string): Promise<boolean>;
  /**
   * Runs the agent that the user picked, after its installation if necessary. With
   * `then`, calls that instead.
   */
  pick(kind: AgentKind, then?: (kind: AgentKind, command?: string) => void): void;
}
