import { oneLine } from '$ui/foreign';
import type { TerminalInfo } from '$ui/protocol/protocol';

/**
 * The name of a terminal among those of its tab: the user's own, else its agent's, with a
 * number where several have the same.
 */
export function tabName(
  terminal: TerminalInfo,
  all: readonly TerminalInfo[],
  own: string | undefined,
): string {
  if (own !== undefined) return oneLine(own);
  const alike = all.filter((other) => other.name === terminal.name);
  if (alike.length === 1) return terminal.name;
  return `${terminal.name} ${String(alike.findIndex(({ id }) => id === terminal.id) + 1)}`;
}
