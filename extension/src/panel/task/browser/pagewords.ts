// Formats the results of a content script with the same words and the same envelope
// as the app's own commands; see told and envelope in backend/command.

import {
  CodeAmbiguous,
  CodeBadArgument,
  CodeChanged,
  CodeCovered,
  CodeDisabled,
  CodeGone,
  CodeHidden,
  CodeInert,
  CodeInternal,
  CodeNavigation,
  CodeNoElement,
  CodeNoInput,
  CodeNotActable,
  CodeTimeout,
  CodeUnknownTab,
  type Code,
  type CommandReply,
} from '$ui/protocol/protocol';
import type { MessageCode, MessageError } from '../../../messages/envelope';
import { beginning } from '../../core/words';
import type { Done } from '../../../messages/methods';

/** The longest line of page text, in characters. */
const longest = 300;

/**
 * Marks text of a page as data. It is put between two tags with a random number in
 * their name. The page cannot know the number, so nothing in the text can close the
 * tag.
 */
export function enveloped(origin: string, text: string): string {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  const gap = text.includes('\n') ? '\n' : '';
  const tag = `page-${nonce}`;
  return `<${tag} origin=${JSON.stringify(origin)}>${gap}${clean(text)}${gap}</${tag}>`;
}

/**
 * Removes characters that make a text look like another: control characters except
 * line breaks and tabs, marks that change the text direction, and invisible ones.
 */
export function clean(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\uFFFD\u2028\u2029\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu,
    '',
  );
}

/** The origin of a URL, in the form that a frame itself reports. */
export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'null';
}

/** Describes the result of an action: `head` in our words, `page` in the page's. */
export function told(what: string, done: Done, left: boolean): { head: string; page: string } {
  const { hit, change, scrolled, value } = done;
  let head = `${what} by the page’s own events, which the page can tell from a user’s`;
  if (left) head += '; the tab went to another page';
  else if (change?.url !== undefined) head += '; the address changed';
  if (scrolled !== undefined) {
    const [x, y, above, below] = scrolled.map(String);
    head += `; scrolled by ${x ?? '0'},${y ?? '0'}, above ${above ?? '0'}, below ${below ?? '0'}`;
  } else if (!left && change?.any !== true && value === undefined) head += '; no change was seen';
  const page: string[] = [];
  const add = (mark: string, lines: readonly string[]): void => {
    for (const line of lines) page.push(mark + short(line));
  };
  if (!left && change?.url !== undefined) add('', [change.url]);
  add('', [value === undefined ? hit : `${hit} with ${JSON.stringify(short(value))}`]);
  add('says: ', change?.said ?? []);
  add('+ ', change?.appeared ?? []);
  add('~ ', change?.changed ?? []);
  add('- ', change?.gone ?? []);
  if ((change?.more ?? 0) > 0) page.push(`… ${String(change?.more)} more`);
  if (change?.focus !== undefined && !page.join('\n').includes(change.focus))
    add('focus: ', [change.focus]);
  return { head, page: page.join('\n') };
}

/** Puts a text of the page on one line and shortens it to the longest length. */
export function short(line: string): string {
  const one = clean(line).split(/\s+/).join(' ');
  return one.length > longest ? `${beginning(one, longest - 1)}…` : one;
}

/** The code that a command's reply has for each error of a content script. */
const codes: Readonly<Partial<Record<MessageCode, Code>>> = {
  deadline: CodeTimeout,
  no_tab: CodeUnknownTab,
  discarded: CodeNoInput,
  restricted: CodeNoInput,
  error_page: CodeNoInput,
  navigation: CodeNavigation,
  unreached: CodeGone,
  lost: CodeGone,
  moved: CodeGone,
  bad_argument: CodeBadArgument,
  no_element: CodeNoElement,
  ambiguous: CodeAmbiguous,
  gone: CodeGone,
  changed: CodeChanged,
  disabled: CodeDisabled,
  hidden: CodeHidden,
  inert: CodeInert,
  covered: CodeCovered,
  not_actable: CodeNotActable,
};

/** The codes whose messages quote the page. */
const quoting = /^(no_element|ambiguous|gone|changed|disabled|hidden|inert|covered|not_actable)$/;

/** Converts an error to the reply of a command, with quotes of the page in an envelope. */
export function refused(tab: string, error: MessageError, origin: string): CommandReply {
  const foreign = quoting.test(error.code);
  const message = foreign ? enveloped(origin, error.message) : error.message;
  const hint = foreign && error.hint !== '' ? enveloped(origin, error.hint) : error.hint;
  return {
    ok: false,
    tab,
    text: hint === '' ? message : `${message}: ${hint}`,
    error: { code: codes[error.code] ?? CodeInternal, message, hint },
    durationMs: 0,
  };
}
