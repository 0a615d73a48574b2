import type { Clock } from '../../core/clock';
import type { Tell } from './events';
import type { Status } from './types';

/** The task was stopped by the user; not an error. */
class Stopped extends Error {}

/** The task has reached its time limit. */
export class OutOfTime extends Error {}

/** The message of a task that ends because its tabs were closed. */
export const allClosed = 'All tabs of the task were closed.';

/** All tabs of the task were closed. */
export class TabsClosed extends Error {
  constructor() {
    super(allClosed);
  }
}

/** The task asked a question, and nobody answered it. */
export class Unanswered extends Error {
  constructor(question: string) {
    super(`The task asked “${question}”, and nobody answered.`);
  }
}

export interface RunControlConfig {
  readonly clock: Clock;
  /** A clock in milliseconds; only differences are used. */
  readonly now: () => number;
  readonly tell: Tell;
  /** The time limit in milliseconds; waiting for the user does not count. */
  readonly time: number;
}

/**
 * The run control of a task: pause, answers and stop by the user, and the time
 * limit. Everything that a task waits for is aborted by `signal`.
 */
export class RunControl {
  readonly #config: RunControlConfig;
  readonly #abort = new AbortController();
  #status: Status = 'running';
  #paused = false;
  #wake: (() => void) | undefined;
  /** The open question. */
  #asked: { readonly question: string; readonly answer: (text: string) => void } | undefined;
  /** Aborts the current action only. */
  #action: AbortController | undefined;
  /** How long the task has waited for the user, in milliseconds. */
  #idle = 0;
  #began = 0;
  #cancel: (() => void) | undefined;

  constructor(config: RunControlConfig) {
    this.#config = config;
  }

  get status(): Status {
    return this.#status;
  }

  /** Aborts when the task is stopped or has reached its time limit. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** How long the task has worked, in milliseconds, without waiting for the user. */
  get took(): number {
    return this.#config.now() - this.#began - this.#idle;
  }

  /** Starts the time. */
  async start(): Promise<void> {
    this.#began = this.#config.now();
    await this.#set('running');
  }

  /** Cancels the deadline, because the task has ended. */
  end(): void {
    this.#cancel?.();
  }

  pause(): void {
    this.#paused = true;
  }

  /** Pauses the task at once: an action that runs, or waits for an approval, is interrupted. */
  takeOver(): void {
    this.#paused = true;
    this.#action?.abort();
  }

  /** The signal of a new action: it aborts when the user takes over, too. */
  action(): AbortSignal {
    this.#action = new AbortController();
    return AbortSignal.any([this.signal, this.#action.signal]);
  }

  /** Continues the task; false if it was not paused. */
  resume(): boolean {
    if (!this.#paused) return false;
    this.#paused = false;
    this.#wake?.();
    return true;
  }

  /** Answers the open question; false if there is none. */
  answer(text: string): boolean {
    if (this.#asked === undefined) return false;
    this.#asked.answer(text);
    this.#asked = undefined;
    return true;
  }

  /** Ends the task with its open question, because nobody answers it. */
  giveUp(): void {
    if (this.#asked !== undefined) this.#end(new Unanswered(this.#asked.question));
  }

  stop(): void {
    this.#end(new Stopped('stopped'));
  }

  /** Ends the task because its tabs were closed. */
  lose(): void {
    this.#end(new TabsClosed());
  }

  /** Asks the user, and waits for the answer. */
  async ask(question: string): Promise<string> {
    this.signal.throwIfAborted();
    // The answer may come before `tell` resolves.
    const answered = new Promise<string>((answer) => {
      this.#asked = { question, answer };
    });
    return this.#wait('waiting', question, async () => {
      this.signal.throwIfAborted();
      const text = await answered;
      this.signal.throwIfAborted();
      await this.#config.tell({ kind: 'person', text });
      return text;
    });
  }

  /** Waits while the task is paused. Throws when it is stopped or out of time. */
  async hold(): Promise<void> {
    this.signal.throwIfAborted();
    if (!this.#isPaused()) return;
    await this.#wait('paused', undefined, async () => {
      while (this.#isPaused()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (!this.#isPaused() || this.signal.aborted) resolve();
        });
        this.#wake = undefined;
        this.signal.throwIfAborted();
      }
    });
  }

  /** Waits for this many milliseconds. */
  rest(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#config.clock.after(ms, () => {
        this.signal.removeEventListener('abort', ended);
        resolve();
      });
      const ended = (): void => {
        cancel();
        reject(new Stopped('stopped'));
      };
      this.signal.addEventListener('abort', ended, { once: true });
      if (this.signal.aborted) ended();
    });
  }

  /** Waits for the user; that time does not count. */
  async #wait<T>(
    status: Status,
    question: string | undefined,
    until: () => Promise<T>,
  ): Promise<T> {
    const from = this.#config.now();
    await this.#set(status, question);
    try {
      return await until();
    } finally {
      this.#idle += this.#config.now() - from;
      if (!this.signal.aborted) await this.#set('running');
    }
  }

  async #set(status: Status, question?: string): Promise<void> {
    this.#status = status;
    this.#cancel?.();
    this.#cancel =
      status === 'running'
        ? this.#config.clock.after(Math.max(0, this.#config.time - this.took), () => {
            this.#end(new OutOfTime('out of time'));
          })
        : undefined;
    await this.#config.tell({
      kind: 'status',
      status,
      ...(question !== undefined && { question }),
    });
  }

  #end(why: Error): void {
    this.#cancel?.();
    this.#abort.abort(why);
    this.#wake?.();
    this.answer('');
  }

  // A method, because TypeScript would narrow a property to its value before the await.
  #isPaused(): boolean {
    return this.#paused;
  }
}
