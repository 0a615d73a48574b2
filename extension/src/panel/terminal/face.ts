import type { AgentKind } from '$ui/protocol/protocol';

/** What the panel has the face of the terminal do. */
export interface Face {
  /** Opens the find bar. */
  find(): void;
  /** Asks whether a text may be pasted that could do more than it seems. */
  askPaste(text: string): Promise<boolean>;
  /** A person picked an agent: for a terminal, or for what `then` does with it. */
  pick(kind: AgentKind, then?: (kind: AgentKind, command?: string) => void): void;
}
