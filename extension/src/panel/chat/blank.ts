import type {
  AgentKind,
  AgentsFile,
  Conversation,
  ConversationID,
  PanelView,
  TabID,
} from '$ui/protocol/protocol';
import { talkers, usual } from './agents';

/**
 * A conversation that only the panel knows so far. Its agent is `asked`, or the one
 * from the settings when `asked` is empty.
 */
export function blank(
  id: ConversationID,
  tab: TabID,
  asked: AgentKind,
  { agents, settings }: { agents: AgentsFile; settings: Pick<PanelView, 'chatAgent'> },
): Conversation {
  const known = talkers(agents);
  const agent = asked === '' ? usual(known, settings.chatAgent) : asked;
  const name = [...known, ...agents.agents].find(({ kind }) => kind === agent)?.name ?? agent;
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
