import { oneLine } from '$ui/foreign';
import type { SessionInfo } from '$ui/protocol/protocol';

/** What the user calls a session. */
export function calledSession({ name, title = '' }: Pick<SessionInfo, 'name' | 'title'>): string {
  return title === '' ? name : oneLine(title);
}

/**
 * Why a session cannot have this name; absent when it can. The backend decides,
 * and makes the name of the folder; this says it before the call.
 */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  const title = name.trim().split(/\s+/u).join(' ');
  if (title === '') return 'Enter a name.';
  if (taken.includes(title)) return `There is already a session “${title}”.`;
  return undefined;
}
