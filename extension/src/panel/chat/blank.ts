import type { AgentKind, Conversation, ConversationID, TabID } from '$ui/protocol/protocol';

/** A head for a conversation that nobody but the panel knows yet. */
export function blank(
  id: ConversationID,
  tab: TabID,
  agent: AgentKind,
  name: string,
): Conversation {
  const now = new Date().toISOString();
  return {
    id,
    title: '',
    tab,
    agent,
    agentName: name,
    state: 'idle',
    queue: [],
    options: [],
    commands: [],
    can: { images: true, resume: false, steer: false, terminal: false },
    created: now,
    updated: now,
    index: 0,
    entries: 0,
  };
}
