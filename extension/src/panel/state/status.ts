import type { TerminalInfo } from '$ui/protocol/protocol';
import { agentWord, terminalWord, type Word } from '$ui/words';
import type { Link } from '../connection/connection';
import type { StreamState } from '../core/stream';

/** Everything that decides the status word in the toolbar. */
export interface StatusInput {
  readonly link: Link;
  /** Whether the link has been live at least once. */
  readonly known: boolean;
  readonly starting: boolean;
  readonly terminal: TerminalInfo | undefined;
  readonly stream: StreamState | undefined;
}

/** The state of the terminal in view, in one word; undefined when there is no terminal. */
export function statusWord(input: StatusInput): Word | undefined {
  const { terminal, stream } = input;
  switch (input.link) {
    case 'live':
      break;
    case 'unpaired':
      return { text: 'Offline', tone: 'off' };
    case 'impostor':
    case 'outdated':
      return { text: 'Offline', tone: 'danger' };
    default:
      return { text: input.known ? 'Reconnecting…' : 'Connecting…', tone: 'busy' };
  }
  if (input.starting) return terminalWord('starting');
  if (terminal === undefined) return undefined;
  if (terminal.state !== 'live') return terminalWord(terminal.state);
  switch (stream) {
    case 'waiting':
      return { text: 'Reconnecting…', tone: 'busy' };
    case 'attaching':
    case 'replaying':
      return { text: 'Connecting…', tone: 'busy' };
    case 'taken':
      return { text: 'Elsewhere', tone: 'idle' };
    case 'gone':
      return { text: 'Gone', tone: 'off' };
    default:
      break;
  }
  if (terminal.status === 'working' || terminal.status === 'needs_you') {
    const word = agentWord(terminal.status);
    return { ...word, text: word.text.charAt(0).toUpperCase() + word.text.slice(1) };
  }
  return terminalWord('live');
}

/** The message about the connection; undefined when it is live. */
export function linkSentence(
  link: Link,
  known: boolean,
): { text: string; hint: string } | undefined {
  switch (link) {
    case 'live':
      return undefined;
    case 'unpaired':
      return {
        text: 'Waiting for Pilotfish.',
        hint: 'Start the app if it is not running. If you installed the extension yourself, open the page that Pilotfish names.',
      };
    case 'connecting':
      return { text: 'Connecting to Pilotfish…', hint: '' };
    case 'waiting':
      return known
        ? { text: 'Disconnected from Pilotfish.', hint: 'Connecting again…' }
        : { text: 'Pilotfish does not respond.', hint: 'Trying again…' };
    case 'impostor':
      return {
        text: 'Another program is using Pilotfish’s port.',
        hint: 'Restart Pilotfish; the panel then connects again.',
      };
    case 'outdated':
      return {
        text: 'The panel and the app have different versions.',
        hint: 'Restart the session in Pilotfish’s window to load the new panel.',
      };
  }
}
