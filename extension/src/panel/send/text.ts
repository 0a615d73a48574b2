import { manyLines, oneLine } from '$ui/foreign';
import type { SendItem } from '../rooms/desk';

/** The longest text that is put into an input, in characters. What is longer is cut. */
export const MAX_SENT = 16_000;

/** The longest title, in characters. */
const longestTitle = 120;

/** What goes into an input. */
export interface Sent {
  readonly text: string;
  /** How many characters were left out. */
  readonly cut: number;
}

/**
 * The text for an agent's input. What comes from a page is between two tags with a random mark,
 * as in the replies of our commands (backend/command/foreign), so that the agent can tell it
 * from the user's own words, and no page can close the mark.
 */
export function textFor(item: SendItem, most = MAX_SENT, mark = randomMark()): Sent {
  const { text: kept, cut } = plainText({ ...item, title: '' }, most);
  const origin = item.origin === undefined ? undefined : originOf(item.origin);
  const from = origin === undefined ? '' : `, from ${origin}`;
  const title = `[${oneLine(item.title).slice(0, longestTitle)}${from}]`;
  if (kept === '') return { text: title, cut };
  const note = cut === 0 ? '' : `\n[${String(cut)} more characters were left out]`;
  if (origin === undefined) return { text: `${title}\n${kept}${note}`, cut };
  const tag = `page-${mark}`;
  const body = `<${tag} origin=${JSON.stringify(origin)}>\n${kept}\n</${tag}>`;
  return { text: `${title}\n${body}${note}`, cut };
}

/** The text alone, for a shell; the title if there is no text. */
export function plainText(item: SendItem, most = MAX_SENT): Sent {
  const whole = manyLines(item.text).trim();
  if (whole === '') return { text: oneLine(item.title), cut: 0 };
  const kept = whole.length > most ? cutAt(whole, most) : whole;
  return { text: kept, cut: whole.length - kept.length };
}

/** The origin of a page as the envelope names it. */
export function originOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return 'unknown';
  return url.host === '' ? url.protocol : `${url.protocol}//${url.host}`;
}

/** Cuts a text without dividing a character that has two halves. */
function cutAt(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

function randomMark(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
