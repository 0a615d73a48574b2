// Other programs and MCP servers of the fake app: none, or, for a test that has the app's own code
// beside it, what that answers.
import type { ProgramsReply, ToolServersReply } from '../../ui/protocol/protocol';

declare global {
  interface Window {
    /** Asks the app's own code; a test exposes it. */
    bridged?: (method: string, request: unknown) => Promise<string>;
  }
}

export function fakePrograms(bridged: boolean): Record<string, (...args: unknown[]) => unknown> {
  const programs: ProgramsReply = {
    programs: [
      {
        name: 'claude',
        title: 'Claude Code',
        installed: true,
        connected: false,
        current: false,
        file: '/home/ada/.claude.json',
      },
    ],
  };
  const servers: ToolServersReply = { servers: [] };
  if (!bridged) return { Programs: () => programs, ToolServers: () => servers };
  const ask = (method: string) => async (request: unknown) => {
    const said = JSON.parse((await window.bridged?.(method, request)) ?? '{}') as {
      reply?: unknown;
      error?: unknown;
    };
    if (said.error !== undefined) throw new Error(JSON.stringify(said.error));
    return said.reply;
  };
  return { Programs: ask('Programs'), ToolServers: ask('ToolServers') };
}
