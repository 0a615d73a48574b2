import type { ActorKind, Approval, Task, TerminalInfo } from '$ui/protocol/protocol';
import { agentWord, conversationWord, taskWord, type Word } from '$ui/words';
import type { ConversationState, Conversation } from '$ui/protocol/protocol';
import type { Face } from './faces.svelte';

/** What a tab has of each face, and what waits for the user. */
export interface Busy {
  readonly terminals: readonly TerminalInfo[];
  /** Terminals that rang the bell while they were not in view. */
  readonly rang?: ReadonlySet<string>;
  /** The terminal in view. */
  readonly terminal: TerminalInfo | undefined;
  readonly conversations: readonly Conversation[];
  /** The most urgent state of the conversations. */
  readonly busiest: ConversationState | undefined;
  /** The newest unfinished task. */
  readonly task: Task | undefined;
  readonly approvals: readonly Approval[];
}

/** What each face is doing or needs from the user; undefined for none. */
export function badges(busy: Busy): Record<Face, Word | undefined> {
  const { terminals, task } = busy;
  const status =
    terminals.some(({ status }) => status === 'needs_you') || asks(busy, 'terminal', terminals)
      ? 'needs_you'
      : busy.terminal?.status;
  const talking = asks(busy, 'chat', busy.conversations) ? 'needs_you' : busy.busiest;
  const asking = busy.conversations.find(({ state }) => state === talking);
  const progress = busy.terminal?.progress;
  return {
    terminal:
      status !== 'needs_you' && progress !== undefined && progress.state !== 'unknown'
        ? {
            text: `${String(progress.percent)} %`,
            tone: progress.state === 'error' ? 'danger' : 'busy',
          }
        : status !== 'needs_you' && busy.terminals.some(({ id }) => busy.rang?.has(id))
          ? { text: 'rang', tone: 'attention' }
          : status === 'needs_you' || status === 'working'
            ? agentWord(status)
            : undefined,
    chat: talking && inside(conversationWord(talking, asking?.agent ?? '')),
    // A task that waits for an approval waits for the user, as one with a question does.
    task:
      task !== undefined && ['running', 'waiting'].includes(task.state)
        ? inside(taskWord(asks(busy, 'task', [task]) ? 'waiting' : task.state))
        : undefined,
  };
}

/** A word for the middle of a line. */
function inside({ text, tone }: Word): Word {
  return { text: text.toLowerCase(), tone };
}

/** Whether an approval waits for one of these terminals, conversations or tasks. */
function asks({ approvals }: Busy, kind: ActorKind, ones: readonly { id: string }[]): boolean {
  return approvals.some(
    ({ actor }) => actor.kind === kind && ones.some(({ id }) => id === actor.id),
  );
}
