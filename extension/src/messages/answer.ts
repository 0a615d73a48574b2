/** The responding side: check the sender, parse, run the method, answer before the deadline. */
import {
  answerTo,
  late,
  MessageError,
  read,
  type Answer,
  type Asking,
  type Method,
  type Params,
  type Question,
  type Result,
  type TabEvent,
} from './envelope';
import { maySend, type Sender } from './sender';

/** What a method receives besides its parameters. */
export interface Asked {
  readonly question: Question;
  readonly sender: Sender;
  /** Aborts at the deadline. A method must not act after that. */
  readonly signal: AbortSignal;
}

/** Handlers for the methods of a kind. Several listeners may share a kind. */
export type Desk<K extends Asking> = {
  readonly [M in Method<K>]?: (
    params: Params<K, M>,
    asked: Asked,
  ) => Result<K, M> | Promise<Result<K, M>>;
};

/** Handlers by kind of message. */
export type Desks = { readonly [K in Asking]?: Desk<K> };

type Reply = (answer: Answer) => void;

/**
 * Returns a listener for chrome.runtime.onMessage that answers these questions. It refuses our own
 * invalid messages with a reason. It ignores messages of a kind for which it has no handlers,
 * because another listener may answer them; `alone` says that there is no other listener.
 */
export function answering(
  desks: Desks,
  own: string,
  alone: boolean,
): (message: unknown, sender: Sender, reply: Reply) => boolean {
  return (message, sender, reply) => {
    const id = idOf(message);
    const refuse = (error: unknown): false => {
      reply(answerTo({ id, deadline: 0 }, { ok: false, error: faultOf(error) }));
      return false;
    };
    const kind = kindOf(message);
    if (kind === 'tab:event') return false; // an event is not answered
    const known = kind !== undefined && desks[kind] !== undefined;
    if (!known && !alone) return false;
    // Check the sender before parsing anything else. Our own extension receives an error for a kind
    // without handlers; any other sender learns nothing.
    const allowed = known
      ? maySend(kind, sender, own)
      : maySend('rpc:call', sender, own) || maySend('cs:query', sender, own);
    if (!allowed) return refuse(new MessageError('sender', 'This sender may not ask for that.'));
    try {
      const question = read(message, Date.now());
      if (question.kind === 'tab:event' || desks[question.kind] === undefined)
        throw new MessageError('unknown_kind', `Nobody here answers a ${question.kind}.`);
      const desk = desks[question.kind] as Readonly<Record<string, unknown>>;
      const method = Object.hasOwn(desk, question.method) ? desk[question.method] : undefined;
      if (typeof method !== 'function') {
        if (!alone) return false;
        throw new MessageError(
          'unknown_method',
          `There is no ${question.kind} ${question.method}.`,
        );
      }
      void run(question, sender, method as Handler).then(reply);
      return true;
    } catch (error) {
      return refuse(error);
    }
  };
}

type Handler = (params: unknown, asked: Asked) => unknown;

/** Runs a method, and answers at the deadline at the latest. */
async function run(question: Question, sender: Sender, method: Handler): Promise<Answer> {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late(question);
      end.abort(error);
      reject(error);
    }, question.deadline - Date.now());
  });
  try {
    const asked = { question, sender, signal: end.signal };
    const value = await Promise.race([method(question.params, asked), over]);
    return answerTo(question, { ok: true, value: value ?? null });
  } catch (error) {
    return answerTo(question, { ok: false, error: faultOf(error) });
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

/** Returns a listener for chrome.runtime.onMessage that receives tab events. It never answers. */
export function hearing(
  own: string,
  hear: (event: TabEvent, sender: Sender) => void,
): (message: unknown, sender: Sender) => false {
  return (message, sender) => {
    if (kindOf(message) !== 'tab:event' || !maySend('tab:event', sender, own)) return false;
    try {
      const event = read(message, Date.now());
      if (event.kind === 'tab:event') hear(event, sender);
    } catch {
      // A message of another build. Nobody waits for an answer.
    }
    return false;
  };
}

function kindOf(message: unknown): Asking | 'tab:event' | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return undefined;
  const { kind } = message;
  return kind === 'rpc:call' || kind === 'cs:rpc' || kind === 'cs:query' || kind === 'tab:event'
    ? kind
    : undefined;
}

function idOf(message: unknown): string {
  const { id } = { id: '', ...(typeof message === 'object' ? message : {}) };
  return typeof id === 'string' ? id : '';
}

/** An error as it is sent. Its message is never empty. */
function faultOf(error: unknown): MessageError['fault'] {
  if (error instanceof MessageError) return error.fault;
  const text = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message: text === '' ? 'It failed and gave no reason.' : text,
    hint: '',
  };
}
