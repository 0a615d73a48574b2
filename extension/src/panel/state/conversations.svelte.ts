import type {
  Conversation,
  ConversationID,
  ConversationState,
  PanelEvent,
  TabID,
} from '$ui/protocol/protocol';
import { byTime } from '$ui/time';

/** What asks for a person first: one word for all conversations of a tab. */
const urgency: readonly ConversationState[] = [
  'needs_you',
  'sign_in',
  'failed',
  'running',
  'starting',
];

/** The session's conversations without their entries, as the backend said them last. */
export class Conversations {
  all = $state.raw<readonly Conversation[]>([]);
  /** Questions that stand in the conversation in view, by the broker's ids. */
  inView = $state.raw<readonly string[]>([]);

  /** What is to be shown beside a tab, as was asked elsewhere; until it is. */
  wanted = $state.raw<{ readonly tab: TabID; readonly id: ConversationID }>();

  /** Those beside a tab, the one used last first. */
  of(tab: TabID): Conversation[] {
    return this.all.filter((one) => one.tab === tab);
  }

  get(id: ConversationID): Conversation | undefined {
    return this.all.find((one) => one.id === id);
  }

  /** What a tab's conversations are doing, in the state that matters most; undefined when all rest. */
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
