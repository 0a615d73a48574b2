import type { Conversation } from '$ui/protocol/protocol';

/** An idle conversation of the tab t1. */
export function head(id: string, part: Partial<Conversation> = {}): Conversation {
  return {
    id,
    title: `about ${id}`,
    tab: 't1',
    agent: 'claude',
    agentName: 'Claude Code',
    state: 'idle',
    queue: [],
    options: [],
    commands: [],
    can: { images: true, resume: false, steer: false, terminal: false },
    created: '2026-11-21T09:30:00Z',
    updated: '2026-11-21T09:30:00Z',
    index: 1,
    entries: 2,
    ...part,
  };
}
