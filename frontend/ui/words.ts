// The words and tones for states, shared by window and panel, so that the same state has the same
// name in both.
import type {
  AgentKind,
  AgentStatus,
  ConversationState,
  SessionState,
  TaskState,
  TerminalState,
} from './protocol/protocol';

/** How a state is drawn: see StatusDot. */
export type Tone = 'off' | 'idle' | 'ok' | 'busy' | 'attention' | 'danger';

export interface Word {
  readonly text: string;
  readonly tone: Tone;
}

const agentWords: Record<AgentStatus, Word> = {
  starting: { text: 'starting', tone: 'busy' },
  idle: { text: 'idle', tone: 'ok' },
  working: { text: 'working', tone: 'busy' },
  needs_you: { text: 'needs you', tone: 'attention' },
  ended: { text: 'ended', tone: 'off' },
  missing: { text: 'not installed', tone: 'danger' },
};

/** The status of an agent, in a word. */
export function agentWord(status: AgentStatus): Word {
  return agentWords[status];
}

const sessionWords: Record<SessionState, Word> = {
  stopped: { text: 'Stopped', tone: 'off' },
  starting: { text: 'Starting…', tone: 'busy' },
  running: { text: 'Running', tone: 'ok' },
  stopping: { text: 'Stopping…', tone: 'busy' },
  background: { text: 'Runs without a window', tone: 'ok' },
  restarting: { text: 'Restarting…', tone: 'busy' },
  failed: { text: 'Failed', tone: 'danger' },
};

/** The state of a session, in a word. */
export function sessionWord(state: SessionState): Word {
  return sessionWords[state];
}

const terminalWords: Record<TerminalState, Word> = {
  starting: { text: 'Starting…', tone: 'busy' },
  live: { text: 'Live', tone: 'ok' },
  stopping: { text: 'Stopping…', tone: 'busy' },
  ended: { text: 'Ended', tone: 'off' },
  missing: { text: 'Not installed', tone: 'danger' },
};

/** The state of a terminal, in a word. */
export function terminalWord(state: TerminalState): Word {
  return terminalWords[state];
}

const conversationWords: Record<ConversationState, Word> = {
  idle: { text: '', tone: 'ok' },
  starting: { text: 'Starting…', tone: 'busy' },
  running: { text: 'Working', tone: 'busy' },
  needs_you: { text: 'Needs you', tone: 'attention' },
  failed: { text: 'Stopped', tone: 'danger' },
  sign_in: { text: 'Sign in', tone: 'attention' },
  terminal: { text: 'In a terminal', tone: 'idle' },
};

/** The prefix of the agent kinds of model profiles. */
export const modelKind = 'model:';

/**
 * The state of a conversation, in a word; empty when it is idle. A model profile needs a key, where
 * an agent needs a sign-in.
 */
export function conversationWord(state: ConversationState, agent: AgentKind): Word {
  if (state === 'sign_in' && agent.startsWith(modelKind))
    return { text: 'Enter a key', tone: 'attention' };
  return conversationWords[state];
}

/** A message of the backend as a sentence: in Go it has no capital and no full stop. */
export function sentence(text: string): string {
  if (text === '') return '';
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}

/** A task's state, as the user reads it. */
export function taskWord(state: TaskState): Word {
  switch (state) {
    case 'running':
      return { text: 'Working', tone: 'busy' };
    case 'waiting':
      return { text: 'Needs you', tone: 'attention' };
    case 'paused':
      return { text: 'Paused', tone: 'off' };
    case 'done':
      return { text: 'Done', tone: 'ok' };
    case 'failed':
      return { text: 'Failed', tone: 'danger' };
    case 'stopped':
      return { text: 'Stopped', tone: 'off' };
    case 'interrupted':
      return { text: 'Interrupted', tone: 'attention' };
    default:
      return { text: 'Waiting to start', tone: 'off' };
  }
}
