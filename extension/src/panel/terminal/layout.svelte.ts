import type { TerminalID } from '$ui/protocol/protocol';

/** The storage key of the order of terminals, which ones share the panel, and how. */
export const layoutKey = 'pilotfish.terminals.layout';

/** How many terminals have a kept place, and how many pairs are kept. */
const MAX_ORDER = 100;
const MAX_PAIRS = 40;

/** The share of the first terminal of two: its bounds, and what a new pair has. */
export const LEAST_SHARE = 0.15;
const HALF = 0.5;

/** Two terminals that are shown together, the first one above or on the left. */
export type Pair = readonly [TerminalID, TerminalID];

/** The stored value as it was read, not validated. */
type Kept = { order?: unknown; pairs?: unknown; share?: unknown } | undefined;

/**
 * The order of the terminals in the strip, and which two share the panel. The panel's
 * document is closed and opened often, so the extension's storage keeps it. It may name
 * terminals that are gone; those of a tab are what the backend says.
 */
export class Layout {
  #order = $state.raw<readonly TerminalID[]>([]);
  #pairs = $state.raw<readonly Pair[]>([]);
  /** The part of the panel that the first terminal of a pair has, 0 to 1. */
  share = $state(HALF);
  readonly #area: chrome.storage.StorageArea;
  /** Whether something was changed here, which is newer than what is stored. */
  #changed = false;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  /** Reads what is stored. A change made during the read is newer. */
  async load(): Promise<void> {
    const kept = (await this.#area.get(layoutKey))[layoutKey] as Kept;
    if (this.#changed) return;
    this.#order = list(kept?.order).filter((id) => typeof id === 'string');
    this.#pairs = list(kept?.pairs).filter(isPair);
    if (typeof kept?.share === 'number') this.share = bounded(kept.share);
  }

  /** Terminals in the order that the user gave them; new ones follow in theirs. */
  sorted<T extends { readonly id: TerminalID }>(terminals: readonly T[]): T[] {
    const place = (id: TerminalID): number => {
      const at = this.#order.indexOf(id);
      return at === -1 ? this.#order.length : at;
    };
    return [...terminals].sort((a, b) => place(a.id) - place(b.id));
  }

  /** Moves one of the terminals of a tab to another place among them. */
  move(terminals: readonly TerminalID[], id: TerminalID, to: number): void {
    const without = terminals.filter((other) => other !== id);
    const next = without.toSpliced(Math.max(0, to), 0, id);
    const others = this.#order.filter((other) => !terminals.includes(other));
    this.#order = [...others, ...next].slice(-MAX_ORDER);
    this.#keep();
  }

  /** The pair that a terminal belongs to. */
  pairOf(id: TerminalID | undefined): Pair | undefined {
    return id === undefined ? undefined : this.#pairs.find((pair) => pair.includes(id));
  }

  /** The other terminal of the pair that a terminal belongs to. */
  partner(id: TerminalID | undefined): TerminalID | undefined {
    return this.pairOf(id)?.find((other) => other !== id);
  }

  /** Shows two terminals together. Each belongs to one pair only. */
  pair(first: TerminalID, second: TerminalID): void {
    const others = this.#pairs.filter((pair) => !pair.includes(first) && !pair.includes(second));
    this.#pairs = [...others, [first, second] as const].slice(-MAX_PAIRS);
    this.#keep();
  }

  /** Shows a terminal alone again. */
  part(id: TerminalID): void {
    this.#pairs = this.#pairs.filter((pair) => !pair.includes(id));
    this.#keep();
  }

  /** Gives the first terminal of two this part of the panel. */
  resize(share: number): void {
    this.share = bounded(share);
    this.#keep();
  }

  #keep(): void {
    this.#changed = true;
    const kept = { order: this.#order, pairs: this.#pairs, share: this.share };
    void this.#area.set({ [layoutKey]: kept });
  }
}

function bounded(share: number): number {
  return Number.isFinite(share) ? Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share)) : HALF;
}

function list(kept: unknown): unknown[] {
  return Array.isArray(kept) ? kept : [];
}

function isPair(one: unknown): one is Pair {
  return Array.isArray(one) && one.length === 2 && one.every((id) => typeof id === 'string');
}
