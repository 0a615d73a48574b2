import { TerminalMissing, type TerminalInfo } from '$ui/protocol/protocol';
import { tabName } from '../parts/tabname';
import type { Layout } from './layout.svelte';
import type { Names } from './names.svelte';

/** A terminal that can be shown together with another one, by its name. */
export interface Share {
  readonly name: string;
  readonly run: () => void;
}

/** The terminals of a tab that can be shown together with one of them. */
export function sharesOf(
  terminal: TerminalInfo | undefined,
  all: readonly TerminalInfo[],
  names: Names,
  layout: Layout,
): Share[] {
  if (terminal === undefined) return [];
  return all
    .filter(({ id, state }) => id !== terminal.id && state !== TerminalMissing)
    .map((other) => ({
      name: tabName(other, all, names.of(other.id)),
      run: () => {
        layout.pair(terminal.id, other.id);
      },
    }));
}
