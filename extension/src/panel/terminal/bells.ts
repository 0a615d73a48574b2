import type { TerminalID, TerminalInfo } from '$ui/protocol/protocol';

/** Hears the bells of terminals that are not in view, attached or not. */
export class Bells {
  readonly #heard = new Map<TerminalID, string>();

  /** Calls `rings` for each terminal that rang since the last call, except those in view. */
  hear(
    all: readonly TerminalInfo[],
    inView: readonly (TerminalID | undefined)[],
    rings: (id: TerminalID) => void,
  ): void {
    for (const { id, epoch, bells = 0 } of all) {
      const now = `${String(epoch)}:${String(bells)}`;
      const before = this.#heard.get(id);
      this.#heard.set(id, now);
      // What rang before the panel opened is not news.
      if (before !== undefined && before !== now && bells > 0 && !inView.includes(id)) rings(id);
    }
    for (const id of this.#heard.keys())
      if (!all.some((terminal) => terminal.id === id)) this.#heard.delete(id);
  }
}
