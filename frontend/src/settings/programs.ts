import type { Option } from '$ui/option';
import type { Program, ProgramChange, ToolServer, ToolServersReply } from '$ui/protocol/protocol';
import { sentence } from '../backend';

/** How a program stands, as text and as the tone of a dot. */
export function standing(program: Program): { text: string; tone: 'ok' | 'warn' | 'off' } {
  if (program.problem !== undefined) return { text: 'Settings cannot be read', tone: 'warn' };
  if (program.connected && program.current) return { text: 'Connected', tone: 'ok' };
  if (program.connected) return { text: 'Connected to another Pilotfish', tone: 'warn' };
  return program.installed
    ? { text: 'Not connected', tone: 'off' }
    : { text: 'Not installed', tone: 'off' };
}

/** The programs in the order of the page: what is connected or installed comes first. */
export function ordered(programs: readonly Program[]): Program[] {
  const rank = ({ connected, installed }: Program) => (connected ? 0 : installed ? 1 : 2);
  return [...programs].sort((a, b) => rank(a) - rank(b));
}

/** What was done to a program's settings, as sentences. */
export function outcome(program: Program, done: ProgramChange): string {
  const { title } = program;
  if (done.problem !== undefined) {
    const { message, hint = '' } = done.problem;
    return `${title} is connected, but its server does not start: ${message}.${hint === '' ? '' : ` ${sentence(hint)}.`}`;
  }
  if (!program.connected)
    return done.change === ''
      ? `${title} was not connected.`
      : `${title} is not connected any more. Restart it if it runs.`;
  const before = done.change === '' ? `${title} was connected already` : `${title} is connected`;
  const tools = done.tools === 1 ? '1 tool' : `${String(done.tools)} tools`;
  return `${before}: the server starts and has ${tools}. Restart ${title} if it runs.`;
}

export const permissionOptions: Option[] = [
  { value: 'ask', text: 'Ask' },
  { value: 'allow', text: 'Allow' },
  { value: 'deny', text: 'Deny' },
];

/** What goes to a server beside its line, as text; empty for nothing. */
export function extras({ variables = [], headers = [], from = '' }: ToolServer): string {
  const parts = [];
  if (variables.length > 0) parts.push(`with ${variables.join(', ')}`);
  if (headers.length > 0) parts.push(`with ${headers.join(', ')}`);
  if (from !== '') parts.push(`from ${from}`);
  return parts.join(' · ');
}

/** What was imported from a program, as text. */
export function imported(title: string, { taken = [], left = [] }: ToolServersReply): string {
  if (taken.length === 0 && left.length === 0) return `${title} has no other MCP servers.`;
  const count =
    taken.length === 0
      ? `Nothing was imported from ${title}.`
      : `Imported from ${title}: ${taken.join(', ')}. You are asked before an agent gets one.`;
  return [count, ...left.map(({ name, why }) => `${name} is left out: ${ended(why)}`)].join(' ');
}

function ended(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** Whether a line is an address, and not the command line of a program. */
export function isAddress(line: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(line.trim());
}
