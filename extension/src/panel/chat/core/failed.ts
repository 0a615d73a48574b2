import type { Cell } from '$ui/chat/core/fold';
import { EndCrashed, EndFailed, EndRestarted, type ChatEntry } from '$ui/protocol/protocol';

/** The last message and the end of its answer, if that answer failed. */
export function failedAnswer(
  cells: readonly Cell[],
): { readonly message: ChatEntry; readonly end: string } | undefined {
  const last = cells.findLast(({ entry }) => entry.kind === 'user' || entry.kind === 'end')?.entry;
  const reason = last?.end?.reason;
  if (last === undefined) return undefined;
  if (reason !== EndFailed && reason !== EndCrashed && reason !== EndRestarted) return undefined;
  const message = cells.findLast(({ entry }) => entry.kind === 'user')?.entry;
  return message && { message, end: last.id };
}
