import type {
  ChatAttachment,
  Conversation,
  ConversationID,
  ConversationState,
  PanelEvent,
  TabID,
} from '$ui/protocol/protocol';
import { byTime } from '$ui/time';

/** The states in order of urgency. A tab shows the most urgent state of all its conversations. */
const urgency: readonly ConversationState[] = [
  'needs_you',
  'sign_in',
  'failed',
  'running',
  'starting',
];

/** The session's conversations without their entries, as the backend last reported them. */
export class Conversations {
  all = $state.raw<readonly Conversation[]>([]);
  /** The ids of approvals that the conversation in view shows itself. */
  inView = $state.raw<readonly string[]>([]);

  /** The conversation that another part asked to show for a tab, until it is shown. */
  wanted = $state.raw<{ readonly tab: TabID; readonly id: ConversationID }>();

  /** What the user sends to the agent, until Chat has put it into the message. */
  handed = $state.raw<{
    readonly text: string;
    readonly attachments: readonly ChatAttachment[];
  }>();

  /** The conversations of a tab, the one used last first. */
  of(tab: TabID): Conversation[] {
    return this.all.filter((one) => one.tab === tab);
  }

  get(id: ConversationID): Conversation | undefined {
    return this.all.find((one) => one.id === id);
  }

  /** The most urgent state of a tab's conversations; undefined when all are idle. */
  busiest(tab: TabID): ConversationState | undefined {
    const states = this.of(tab).map(({ state }) => state);
    return urgency.find((state) => states.includes(state));
  }

  apply(event: PanelEvent): void {
    if (event.type === 'hello') this.all = [...event.conversations].sort(newest);
    else if (event.type === 'conversation') this.put(event.conversation);
    else if (event.type === 'conversation_gone')
      this.all = this.all.filter(({ id }) => id !== event.conversation);
    else if (event.type === 'show' && event.conversation !== undefined)
      this.wanted = { tab: event.tab, id: event.conversation };
  }

  put(conversation: Conversation): void {
    const others = this.all.filter(({ id }) => id !== conversation.id);
    this.all = [conversation, ...others].sort(newest);
  }
}

function newest(a: Conversation, b: Conversation): number {
  return byTime(b.updated, a.updated) || byTime(b.created, a.created);
}
