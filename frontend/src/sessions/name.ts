import { oneLine } from '$ui/foreign';
import type { SessionInfo } from '$ui/protocol/protocol';

/** The name of a session as the user sees it. */
export function calledSession({ name, title = '' }: Pick<SessionInfo, 'name' | 'title'>): string {
  return title === '' ? name : oneLine(title);
}

/**
 * Why a session cannot have this name; undefined when it can. The backend decides and derives the
 * folder's name; this check only reports the problem before the call.
 */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  const title = name.trim().split(/\s+/u).join(' ');
  if (title === '') return 'Enter a name.';
  if (taken.includes(title)) return `There is already a session “${title}”.`;
  return undefined;
}
