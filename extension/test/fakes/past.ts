import type { PastSession } from '$ui/protocol/protocol';

/** Sessions of three agents; the last one is known to its agent only. */
export function pastSessions(): PastSession[] {
  const updated = '2026-11-20T09:00:00Z';
  const folder = '/home/ada/src/shop';
  const files = { folder, updated, terminal: true, chat: true };
  return [
    {
      ...files,
      agent: 'claude',
      agentName: 'Claude Code',
      id: 'a-1',
      title: 'Why is the cart\u202e empty <b>after</b> a reload, and only on Tuesdays?',
    },
    { ...files, agent: 'codex', agentName: 'Codex', id: 'c-1', title: 'Write the changelog' },
    {
      folder: '/home/ada/src/a-very-long-name-of-a-project/packages/server',
      updated,
      chat: true,
      agent: 'goose',
      agentName: 'Goose',
      id: 'g-1',
      title: 'Bake a cake',
    },
  ];
}
