import { SessionFailed, SessionRunning, type WindowState } from '$ui/protocol/protocol';
import type { Tone } from '$ui/words';

export interface Overall {
  readonly tone: Tone;
  readonly text: string;
  /** Shown on hover. */
  readonly detail: string;
}

/** The state of the app in one line: its version, and whether it responds. */
export function overall(state: WindowState | undefined, failed = false): Overall {
  if (!state && failed) {
    return { tone: 'danger', text: 'Not responding', detail: 'The app does not respond' };
  }
  if (!state) return { tone: 'busy', text: 'Starting…', detail: 'Pilotfish is starting' };
  const text = `Version ${state.version}`;
  if (state.port === 0) return { tone: 'danger', text, detail: 'The local server is not running' };
  const detail = `Local server on port ${String(state.port)}`;
  if (state.problem || state.sessions.some((session) => session.state === SessionFailed)) {
    return { tone: 'danger', text, detail };
  }
  const runs = state.sessions.some((session) => session.state === SessionRunning);
  return { tone: runs ? 'ok' : 'off', text, detail };
}
