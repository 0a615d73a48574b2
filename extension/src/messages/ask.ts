/** The asking side: one answer in time, and again only what is safe to do twice. */
import type { Clock } from '../panel/core/clock';
import { late, MessageError, readAnswer, type Asking, type Question } from './envelope';

/** How a question is sent on its way: chrome.runtime.sendMessage, or that of tabs. */
export type Send = (message: Question) => Promise<unknown>;

/** What bounds a question. */
export interface Patience {
  readonly clock: Clock;
  readonly now: () => number;
  /** The asker's own end of it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks once. It throws a MessageError: what the other side says, `deadline` when
 * the time is over, `unreached` when nobody heard it and `lost` when whoever
 * heard it went away. Nothing is pending when it returns.
 */
export function ask(send: Send, question: Question, patience: Patience): Promise<unknown> {
  const { clock, now, signal } = patience;
  return new Promise((resolve, reject) => {
    const left = question.deadline - now();
    const given = (): void => {
      end(new MessageError('aborted', 'The asker gave up.'));
    };
    const cancel = clock.after(Math.max(0, left), () => {
      end(late(question));
    });
    const end = (error: Error): void => {
      cancel();
      signal?.removeEventListener('abort', given);
      reject(error);
    };
    if (signal?.aborted === true) {
      given();
      return;
    }
    signal?.addEventListener('abort', given, { once: true });
    send(question).then(
      (value) => {
        try {
          const answer = readAnswer(value, question);
          if (!answer.ok) {
            const { code, message, hint } = answer.error;
            throw new MessageError(code, message, hint);
          }
          cancel();
          signal?.removeEventListener('abort', given);
          resolve(answer.value);
        } catch (error) {
          end(error instanceof Error ? error : new Error(String(error)));
        }
      },
      (error: unknown) => {
        end(undelivered(error));
      },
    );
  });
}

/** What the browser says of a message that got no answer. */
export function undelivered(error: unknown): MessageError {
  if (error instanceof MessageError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (
    /receiving end does not exist|frame with id \d+ (was removed|does not)|no frame with id/i.test(
      text,
    )
  )
    return new MessageError('unreached', 'Nobody was there to hear it.', 'Try again.');
  if (/no tab with id|tab was closed/i.test(text)) return noTab();
  if (/message (port|channel)|back\/forward cache|document was/i.test(text))
    return new MessageError(
      'lost',
      'The page, or the extension, went away before it answered.',
      'Look at the page before you do it again.',
    );
  return new MessageError('internal', text === '' ? 'The browser gave no reason.' : text);
}

/** The fault of a tab that is not there any more. */
export function noTab(): MessageError {
  return new MessageError('no_tab', 'The tab was closed.', 'Go on in another tab.');
}

/**
 * Whether a question may be asked again after a fault: a query always when it
 * went astray; what acts only when it was heard by nobody, for it may have
 * happened.
 */
export function mayRepeat(kind: Asking, code: MessageError['code']): boolean {
  return code === 'unreached' || (kind === 'cs:query' && code === 'lost');
}

/** A reason to go on that may come. */
export interface Waking {
  readonly done: Promise<void>;
  /** Nobody waits for it any more. */
  readonly end: () => void;
}

/** How a question is asked again. */
export interface Repeat extends Patience {
  /** What the question does in the end: the kind by which it is judged. */
  readonly kind: Asking;
  /** When no further try may begin, as `now` counts. */
  readonly deadline: number;
  /** The pause before the try with this number, from 1, in milliseconds. */
  readonly pause: (attempt: number) => number;
  /** What ends a pause early, because there is a reason to try again now. */
  readonly woken?: (() => Waking) | undefined;
}

/** Asks again, after growing pauses and until the deadline, what is safe to ask again. */
export async function askAgain<T>(attempt: () => Promise<T>, repeat: Repeat): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof MessageError) || !mayRepeat(repeat.kind, error.code)) throw error;
      const pause = repeat.pause(tries);
      if (repeat.now() + pause >= repeat.deadline) throw error;
      await rest(pause, repeat);
    }
  }
}

/** A pause that the asker can end, and that a reason to go on ends early. */
function rest(ms: number, { clock, signal, woken }: Repeat): Promise<void> {
  const waking = woken?.();
  return new Promise<void>((resolve, reject) => {
    const end = (): void => {
      cancel();
      waking?.end();
      signal?.removeEventListener('abort', given);
    };
    const given = (): void => {
      end();
      reject(new MessageError('aborted', 'The asker gave up.'));
    };
    const done = (): void => {
      end();
      resolve();
    };
    const cancel = clock.after(ms, done);
    if (signal?.aborted === true) {
      given();
      return;
    }
    signal?.addEventListener('abort', given, { once: true });
    void waking?.done.then(done);
  });
}
