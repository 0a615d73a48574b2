/**
 * The envelope of everything that travels inside the extension: who asks whom
 * what, until when, and what came of it. A web page can send none of it (the
 * manifest has no externally_connectable), no message carries a secret, and
 * none can become a prompt or input of a terminal.
 */
import type { Methods, TabEventName, ToTab } from './methods';

/** The version of the envelope. One of another version is refused: its sender is another build. */
export const MESSAGE_VERSION = 1;

/**
 * What a message means: a page of the extension asks the worker (`rpc:call`), the
 * worker has a content script act (`cs:rpc`) or tell (`cs:query`), and what
 * happened in a tab is pushed (`tab:event`).
 */
export type Asking = 'rpc:call' | 'cs:rpc' | 'cs:query';

/** The methods of a kind. */
export type Method<K extends Asking> = keyof Methods[K] & string;
/** What a method is told, and what it answers. */
export type Params<K extends Asking, M extends Method<K>> = Methods[K][M] extends {
  params: infer P;
}
  ? P
  : never;
export type Result<K extends Asking, M extends Method<K>> = Methods[K][M] extends {
  result: infer R;
}
  ? R
  : never;

/** What every message has. */
interface Envelope {
  readonly v: number;
  /** Its own; an answer has that of its question. */
  readonly id: string;
  /** When it is worth nothing any more: milliseconds as Date.now counts them. */
  readonly deadline: number;
}

/** A question that has one answer. */
export interface Question<K extends Asking = Asking> extends Envelope {
  readonly kind: K;
  readonly method: string;
  readonly params: unknown;
}

/** Something that happened in a tab. Nobody answers it. */
export interface TabEvent extends Envelope {
  readonly kind: 'tab:event';
  readonly event: TabEventName;
}

/** The answer to a question, on the very channel on which that came. */
export type Answer = Envelope & { readonly kind: 'query:response' } & (
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: MessageFault }
  );

/** Why something was not answered. */
export interface MessageFault {
  readonly code: MessageCode;
  readonly message: string;
  /** What to do about it; empty when there is nothing to do. */
  readonly hint: string;
}

/** The stable codes of faults. */
export type MessageCode =
  | 'bad_message' // it is no message of this list
  | 'version' // its sender is another build of the extension
  | 'unknown_kind' // of a kind that nobody here answers
  | 'unknown_method'
  | 'sender' // it comes from where it must not come from
  | 'deadline' // its time is over
  | 'unreached' // nobody was there to hear it: nothing was done
  | 'lost' // whoever heard it went away before they answered
  | 'no_tab' // the tab was closed
  | 'discarded' // the browser has put the tab to sleep
  | 'restricted' // the browser lets no extension into such a page
  | 'error_page' // the tab shows why its page could not be loaded
  | 'navigation' // a page could not be loaded
  | 'moved' // the page is of another site than the one that was allowed
  | 'aborted' // the asker gave up
  | 'internal' // a fault of ours
  // What the page says of an element; the same words as in backend/protocol.
  | 'bad_argument'
  | 'no_element'
  | 'ambiguous'
  | 'gone'
  | 'changed'
  | 'disabled'
  | 'hidden'
  | 'inert'
  | 'covered'
  | 'not_actable';

/** A fault as it is thrown. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  constructor(
    readonly code: MessageCode,
    message: string,
    /** What to do about it; empty when there is nothing to do. */
    readonly hint = '',
  ) {
    super(message);
  }

  /** As it travels. */
  get fault(): MessageFault {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}

/** A question, ready to be sent. */
export function question<K extends Asking, M extends Method<K>>(
  kind: K,
  method: M,
  params: Params<K, M>,
  deadline: number,
  id: string = crypto.randomUUID(),
): Question<K> {
  return { kind, v: MESSAGE_VERSION, id, deadline, method, params };
}

/** What happened in a tab, ready to be sent. */
export function tabEvent(event: TabEventName, deadline: number): TabEvent {
  return { kind: 'tab:event', v: MESSAGE_VERSION, id: crypto.randomUUID(), deadline, event };
}

/** The answer to a question. */
export function answerTo(
  { id, deadline }: Pick<Envelope, 'id' | 'deadline'>,
  outcome: { ok: true; value: unknown } | { ok: false; error: MessageFault },
): Answer {
  return { kind: 'query:response', v: MESSAGE_VERSION, id, deadline, ...outcome };
}

/**
 * Reads what came in, from a sender that was checked already. It throws a
 * MessageError for what is no message of this version in time.
 */
export function read(value: unknown, now: number): Question | TabEvent {
  if (typeof value !== 'object' || value === null || !('kind' in value))
    throw new MessageError('bad_message', 'This is no message of the extension.');
  const { kind } = value;
  if (!('v' in value) || value.v !== MESSAGE_VERSION)
    throw new MessageError(
      'version',
      `A message of version ${said('v' in value ? value.v : 'none')} came to an extension that speaks version ${String(MESSAGE_VERSION)}.`,
      'Reload the panel: the extension was replaced.',
    );
  if (kind !== 'rpc:call' && kind !== 'cs:rpc' && kind !== 'cs:query' && kind !== 'tab:event')
    throw new MessageError('unknown_kind', `There is no message of the kind ${said(kind)}.`);
  const { id, deadline } = { id: undefined, deadline: undefined, ...value };
  if (typeof id !== 'string' || id === '' || typeof deadline !== 'number')
    throw new MessageError('bad_message', `A ${kind} has an id and a deadline.`);
  const about = { v: MESSAGE_VERSION, id, deadline };
  if (kind === 'tab:event') {
    const { event } = { event: undefined, ...value };
    if (typeof event !== 'string')
      throw new MessageError('bad_message', 'A tab:event says what happened.');
    return { ...about, kind, event: event as TabEventName };
  }
  const { method, params } = { method: undefined, params: undefined, ...value };
  if (typeof method !== 'string')
    throw new MessageError('bad_message', `A ${kind} names a method.`);
  if (deadline <= now) throw late({ kind, method, params });
  return { ...about, kind, method, params };
}

/** Reads an answer; it must be the one to this question. */
export function readAnswer(value: unknown, asked: Pick<Envelope, 'id'>): Answer {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    const answer = value as Partial<Answer>;
    if (
      answer.kind === 'query:response' &&
      answer.v === MESSAGE_VERSION &&
      answer.id === asked.id &&
      (answer.ok === true || (answer.ok === false && answer.error !== undefined))
    )
      return answer as Answer;
  }
  throw new MessageError('bad_message', 'What came back is no answer to this question.');
}

/** The fault of a question whose time is over: what was asked of a tab is named as that. */
export function late({
  kind,
  method,
  params,
}: Pick<Question, 'kind' | 'method' | 'params'>): MessageError {
  const inner = kind === 'rpc:call' && method === 'tab' ? (params as ToTab) : { kind, method };
  return new MessageError(
    'deadline',
    `The page did not answer ${inner.method} in time.`,
    inner.kind === 'cs:rpc' ? 'Look at the page before you do it again.' : 'The page may be busy.',
  );
}

function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? JSON.stringify(value).slice(0, 40)
    : typeof value;
}
