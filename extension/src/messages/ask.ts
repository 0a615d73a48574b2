/**
 * The requesting side: one answer before the deadline, and retries only for what is safe to repeat.
 */
import type { Clock } from '../panel/core/clock';
import { late, MessageError, readAnswer, type Asking, type Question } from './envelope';

/** Sends a question: chrome.runtime.sendMessage or chrome.tabs.sendMessage. */
export type Send = (message: Question) => Promise<unknown>;

/** The limits of a question. */
export interface Patience {
  readonly clock: Clock;
  readonly now: () => number;
  /** Aborts the question. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks once. It throws a MessageError: the other side's error, `deadline` when the time is over,
 * `unreached` when no listener received the question, or `lost` when the receiver went away before
 * it answered. Nothing is pending when it returns.
 */
export function ask(send: Send, question: Question, patience: Patience): Promise<unknown> {
  const { clock, now, signal } = patience;
  return new Promise((resolve, reject) => {
    const left = question.deadline - now();
    const given = (): void => {
      end(new MessageError('aborted', 'The request was cancelled.'));
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

/** Converts the browser's error for a message that got no answer. */
export function undelivered(error: unknown): MessageError {
  if (error instanceof MessageError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (
    /receiving end does not exist|frame with id \d+ (was removed|does not)|no frame with id/i.test(
      text,
    )
  )
    return new MessageError('unreached', 'The page is not ready.', 'Try again.');
  if (/no tab with id|tab was closed/i.test(text)) return noTab();
  if (/message (port|channel)|back\/forward cache|document was/i.test(text))
    return new MessageError(
      'lost',
      'The page, or the extension, went away before it answered.',
      'Look at the page before you do it again.',
    );
  return new MessageError('internal', text === '' ? 'The browser gave no reason.' : text);
}

/** The error for a tab that is closed. */
export function noTab(): MessageError {
  return new MessageError('no_tab', 'The tab was closed.', 'Go on in another tab.');
}

/**
 * Whether a question may be repeated after an error. A query may always be repeated when it got no
 * answer. An action may be repeated only when no listener received it, because otherwise it may
 * have been carried out.
 */
export function mayRepeat(kind: Asking, code: MessageError['code']): boolean {
  return code === 'unreached' || (kind === 'cs:query' && code === 'lost');
}

/** A reason to retry early, which may occur. */
export interface Waking {
  readonly done: Promise<void>;
  /** Stops waiting for it. */
  readonly end: () => void;
}

/** How a question is retried. */
export interface Repeat extends Patience {
  /** The kind of the final question, which decides whether it may be repeated. */
  readonly kind: Asking;
  /** When no further attempt may begin, on the clock of `now`. */
  readonly deadline: number;
  /** The pause before the attempt with this number, from 1, in milliseconds. */
  readonly pause: (attempt: number) => number;
  /** Ends a pause early when there is a reason to retry now. */
  readonly woken?: (() => Waking) | undefined;
}

/** Repeats what is safe to repeat, with growing pauses, until the deadline. */
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

/** A pause that the caller can abort and that a reason to retry ends early. */
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
      reject(new MessageError('aborted', 'The request was cancelled.'));
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
