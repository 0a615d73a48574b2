import type { ChatAttachment } from '$ui/protocol/protocol';
import type { SendItem } from '../rooms/desk';
import type { Face } from '../state/faces.svelte';
import { originOf, plainText, textFor } from './text';

/** How a paste into a terminal ended. */
export type Pasted = 'pasted' | 'declined' | 'nothing';

/** Where something can be sent to, in the panel. */
export interface Receivers {
  readonly face: Face;
  readonly live: boolean;
  /** Whether a plain shell runs in the terminal in view, which gets plain text. */
  readonly shell: boolean;
  /** Pastes into the terminal in view, after the user's consent where it needs one. */
  paste(text: string): Promise<Pasted>;
  /** Adds to the message that is being written in Chat. */
  write(text: string, attachments: readonly ChatAttachment[]): void;
  /** Adds to the goal or message that is being written in Task. */
  goal(text: string): void;
  /** Shows the face, where the drawer takes its place, and waits until it is shown. */
  reveal(): Promise<void>;
  say(text: string, tone: 'ok' | 'danger'): void;
}

/** A text that is longer goes into a message of Chat as a file, in characters. */
const longestInMessage = 2_000;
/** The largest file that Chat gets of a text, in characters. */
const longestFile = 500_000;

/** Puts something into the input of the face in view, and says so. It is never submitted. */
export async function deliver(item: SendItem, to: Receivers): Promise<void> {
  if (!to.live) {
    to.say('Pilotfish is not connected, so nothing was sent. Try again in a moment.', 'danger');
    return;
  }
  switch (to.face) {
    case 'terminal': {
      const { text, cut } = to.shell ? plainText(item) : textFor(item);
      await to.reveal();
      const pasted = await to.paste(text);
      if (pasted === 'declined') return;
      if (pasted === 'nothing') {
        to.say('No agent runs in this terminal. Start one, then send it again.', 'danger');
        return;
      }
      to.say(`Pasted into the terminal${left(cut)}. Press Enter there to send it.`, 'ok');
      return;
    }
    case 'chat': {
      const { text, attachments, cut } = message(item);
      await to.reveal();
      to.write(text, attachments);
      to.say(`Added to your message${left(cut)}.`, 'ok');
      return;
    }
    case 'task': {
      const { text, cut } = textFor(item);
      await to.reveal();
      to.goal(text);
      to.say(`Added to the task${left(cut)}.`, 'ok');
    }
  }
}

/**
 * The content of a message: text of a page as an attachment, which the backend marks for the agent,
 * and a long text as a file.
 */
function message(item: SendItem): { text: string; attachments: ChatAttachment[]; cut: number } {
  const attachments = [...(item.attachments ?? [])];
  if (item.text.length <= longestInMessage) {
    const { title: name, text, origin } = item;
    if (origin === undefined || text.trim() === '') return { ...textFor(item), attachments };
    attachments.push({ kind: 'text', name, text: plainText(item).text, origin: originOf(origin) });
    return { text: '', attachments, cut: 0 };
  }
  const { text, cut } = textFor(item, longestFile);
  attachments.push({
    kind: 'file',
    name: `${item.title}.txt`,
    mime: 'text/plain',
    data: base64(text),
  });
  return { text: textFor({ ...item, text: '' }).text, attachments, cut };
}

function left(cut: number): string {
  return cut === 0 ? '' : `, without its last ${String(cut)} characters`;
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  // A call can take only a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
