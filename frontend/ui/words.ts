// The words and tones by which both faces speak of states, so that the same
// thing has the same name in window and panel.
import type {
  AgentStatus,
  ConversationState,
  SessionState,
  TerminalState,
} from './protocol/protocol';

/** Tone is how a state is drawn: see StatusDot. */
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

/** What an agent is doing, in a word. */
export function agentWord(status: AgentStatus): Word {
  return agentWords[status];
}

const sessionWords: Record<SessionState, Word> = {
  stopped: { text: 'Stopped', tone: 'off' },
  starting: { text: 'Starting…', tone: 'busy' },
  running: { text: 'Running', tone: 'ok' },
  stopping: { text: 'Stopping…', tone: 'busy' },
  restarting: { text: 'Restarting…', tone: 'busy' },
  failed: { text: 'Failed', tone: 'danger' },
};

/** Where a session is in its life, in a word. */
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

/** Where a terminal is in its life, in a word. */
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

/** What a conversation is doing, in a word; empty for one at rest. */
export function conversationWord(state: ConversationState): Word {
  return conversationWords[state];
}

/** What the backend says as a sentence: Go writes it without a capital and a full stop. */
export function sentence(text: string): string {
  if (text === '') return '';
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
