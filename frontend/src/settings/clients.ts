import type { Client, ClientKind } from '$ui/protocol/protocol';

/** What a client is, as text. */
export function clientWord({ kind, session = '', tab = '' }: Client): string {
  const what: Record<ClientKind, string> = {
    mcp: 'Program connected by MCP',
    script: 'Scripts at an address of pilotfish share',
    terminal: 'Agent in a terminal',
    chat: 'Agent in Chat',
    control: 'Control page in a browser',
    panel: 'Part of Pilotfish',
    shell: 'Part of Pilotfish',
  };
  const where = session === '' ? 'all sessions' : `session ${session}`;
  return `${what[kind]} · ${where}${tab === '' ? '' : `, tab ${tab}`}`;
}

/** How old the token of a client is, and when it was last used, as text. */
export function ageWord({ kind, made, expires, used, open, revoked }: Client, now: number): string {
  if (revoked !== undefined) return `Revoked ${span(now - Date.parse(revoked))} ago`;
  const since = kind === 'mcp' || kind === 'control' ? 'Connected' : 'Token made';
  const last =
    used === undefined ? 'not used yet' : `last used ${span(now - Date.parse(used))} ago`;
  const parts = [`${since} ${span(now - Date.parse(made))} ago`, last];
  if (expires !== undefined) parts.push(`ends in ${span(Date.parse(expires) - now)}`);
  const connections = open === 1 ? '1 open connection' : `${String(open)} open connections`;
  if (open > 0) parts.push(connections);
  return parts.join(' · ');
}

/** A time in milliseconds in its largest unit. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${String(seconds)} s`;
  if (seconds < 7200) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 172_800) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} days`;
}

/** What happens when a client is revoked, as text. */
export function revokeWord({ kind, name }: Client): string {
  const then: Record<ClientKind, string> = {
    mcp: `It is refused until you allow it again here. To keep it out for good, take Pilotfish out of its settings, too: started anew, it is a new program.`,
    script: 'Make a new address with pilotfish share.',
    terminal: 'Restart it in its terminal to give it a new token.',
    chat: 'Restart the agent in Chat to give it a new token.',
    control: 'It needs another address of `pilotfish control`.',
    panel: 'The side panel gets a new token at once and connects again.',
    shell:
      'The command line gets a new token at once. Programs that are connected by MCP use the same one: they connect again by themselves.',
  };
  return `The connections of ${name} close now, and its token is not accepted any more. ${then[kind]}`;
}
