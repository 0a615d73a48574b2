import type { Confinement } from '$ui/protocol/protocol';

/** What the shield in a header says, and what pressing its button does. */
export interface ConfinedWords {
  /** Whether the program is confined. */
  confined: boolean;
  /** What it reaches: nothing of ours, the desktop, or everything. */
  state: 'closed' | 'closed-without-desktop' | 'open';
  /** The name of the shield. */
  label: string;
  /** What that means, for the user. */
  text: string;
  /** What to do about it; empty for nothing. */
  hint: string;
  /** Confines a shell, or frees it; absent where nothing can be changed here. */
  action?: string;
}

const sees = 'your home folder, your keys, the working folder and the network';

/** The words for a program. `shell` is the user's own shell, which they can confine. */
export function confinedWords(
  confined: boolean,
  shell: boolean,
  { on, problem, desktop }: Confinement,
): ConfinedWords {
  if (confined && desktop) {
    return {
      confined,
      state: 'closed-without-desktop',
      label: 'Confined without the desktop',
      text: `This ${shell ? 'shell' : 'agent'} and everything that it starts cannot see Pilotfish’s settings and state, the browser’s profile or other processes. But it can reach your desktop, where a program can act as you, and it has ${sees}. In the tray and in notifications nothing can be allowed.`,
      hint: because(desktop.message, desktop.hint),
      ...(shell && { action: 'Stop confining' }),
    };
  }
  if (confined) {
    return {
      confined,
      state: 'closed',
      label: 'Confined',
      text: `This ${shell ? 'shell' : 'agent'} and everything that it starts cannot see Pilotfish’s settings and state, the browser’s profile, other processes or your desktop. It has ${sees}.`,
      hint: '',
      ...(shell && { action: 'Stop confining' }),
    };
  }
  if (shell) {
    return {
      confined,
      state: 'open',
      label: 'Not confined',
      text: 'This shell is yours: it can do all that you can. Confine it to run an agent by hand.',
      hint: problem ? because(problem.message, problem.hint) : '',
      ...(!problem && { action: 'Confine this shell' }),
    };
  }
  return {
    confined,
    state: 'open',
    label: 'Not confined',
    text: 'This agent can do all that you can, which includes reading Pilotfish’s own files.',
    hint: problem
      ? because(problem.message, problem.hint)
      : on
        ? 'Restart it to confine it.'
        : 'Turn on “Confine agents” in Settings, and restart it.',
  };
}

/** A problem and what to do about it, as sentences. */
function because(message: string, hint: string | undefined): string {
  return [message, hint ?? '']
    .filter((part) => part !== '')
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`)
    .join(' ');
}
