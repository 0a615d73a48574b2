/**
 * The envelope of every message inside the extension: sender and receiver, question, deadline and
 * answer. A web page can send none of these messages (the manifest has no externally_connectable).
 * No message contains a secret, and none can become a prompt or a terminal's input.
 */
import type { Methods, TabEventName, ToTab } from './methods';

/**
 * The version of the envelope. A message with another version is refused: its sender is another
 * build.
 */
export const MESSAGE_VERSION = 1;

/**
 * The kind of a question. A page of the extension calls the worker (`rpc:call`). The worker tells a
 * content script to act (`cs:rpc`) or queries it (`cs:query`). Events in a tab are pushed
 * (`tab:event`).
 */
export type Asking = 'rpc:call' | 'cs:rpc' | 'cs:query';

/** The methods of a kind. */
export type Method<K extends Asking> = keyof Methods[K] & string;
/** The parameters and the result of a method. */
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

/** The fields of every message. */
interface Envelope {
  readonly v: number;
  /** The id of a question; an answer has the same id. */
  readonly id: string;
  /** After this time the message is no longer valid, in milliseconds like Date.now. */
  readonly deadline: number;
}

/** A question, which gets one answer. */
export interface Question<K extends Asking = Asking> extends Envelope {
  readonly kind: K;
  readonly method: string;
  readonly params: unknown;
}

/** Something that happened in a tab. It gets no answer. */
export interface TabEvent extends Envelope {
  readonly kind: 'tab:event';
  readonly event: TabEventName;
}

/** The answer to a question, on the same channel. */
export type Answer = Envelope & { readonly kind: 'query:response' } & (
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: MessageFault }
  );

/** Why a question failed. */
export interface MessageFault {
  readonly code: MessageCode;
  readonly message: string;
  /** What the user or agent can do about it; empty when there is nothing to do. */
  readonly hint: string;
}

/** The stable codes of faults. */
export type MessageCode =
  | 'bad_message' // not a message of this list
  | 'version' // the sender is another build of the extension
  | 'unknown_kind' // no handlers for this kind here
  | 'unknown_method'
  | 'sender' // this sender may not send this message
  | 'deadline' // the deadline has passed
  | 'unreached' // no listener received it: nothing was done
  | 'lost' // the receiver went away before it answered
  | 'no_tab' // the tab was closed
  | 'discarded' // the browser has discarded the tab to save memory
  | 'restricted' // the browser allows no extension in such a page
  | 'error_page' // the tab shows a browser error page
  | 'navigation' // a page could not be loaded
  | 'moved' // the page belongs to another site than the allowed one
  | 'aborted' // the caller aborted
  | 'internal' // an internal error of ours
  // What is wrong with an element: the same codes as in backend/protocol.
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

/** The error class for a MessageFault. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  constructor(
    readonly code: MessageCode,
    message: string,
    /** What the user or agent can do about it; empty when there is nothing to do. */
    readonly hint = '',
  ) {
    super(message);
  }

  /** The error as it is sent. */
  get fault(): MessageFault {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}

/** Makes a question to send. */
export function question<K extends Asking, M extends Method<K>>(
  kind: K,
  method: M,
  params: Params<K, M>,
  deadline: number,
  id: string = crypto.randomUUID(),
): Question<K> {
  return { kind, v: MESSAGE_VERSION, id, deadline, method, params };
}

/** Makes a tab event to send. */
export function tabEvent(event: TabEventName, deadline: number): TabEvent {
  return { kind: 'tab:event', v: MESSAGE_VERSION, id: crypto.randomUUID(), deadline, event };
}

/** Makes the answer to a question. */
export function answerTo(
  { id, deadline }: Pick<Envelope, 'id' | 'deadline'>,
  outcome: { ok: true; value: unknown } | { ok: false; error: MessageFault },
): Answer {
  return { kind: 'query:response', v: MESSAGE_VERSION, id, deadline, ...outcome };
}

/**
 * Parses a message from a sender that was already checked. It throws a MessageError for anything
 * that is not a message of this version within its deadline.
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

/** Parses an answer, which must belong to this question. */
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

/**
 * The error for a question whose deadline has passed. For a question to a tab it names the inner
 * method.
 */
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
