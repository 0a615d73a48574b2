import type { SessionName } from '$ui/protocol/protocol';

// The backend decides (protocol.ParseSessionName); this says it before the call.
const allowed = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** Why a session cannot have this name; absent when it can. */
export function nameProblem(name: string, taken: readonly SessionName[]): string | undefined {
  if (name === '') return 'Give it a name.';
  if (!allowed.test(name)) {
    return 'Use 1 to 32 of a-z, 0-9, _ and -, starting with a letter or digit.';
  }
  if (taken.includes(name)) return `There is a session “${name}” already.`;
  return undefined;
}
