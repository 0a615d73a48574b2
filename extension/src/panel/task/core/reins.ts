import type { Clock } from '../../core/clock';
import type { Tell } from './events';
import type { Status } from './types';

/** The task was stopped; nothing is wrong. */
class Stopped extends Error {}

/** The task's time is over. */
export class OutOfTime extends Error {}

/** How a task ends of which nothing is left that it could work on. */
export const allClosed = 'All tabs of the task were closed.';

/** Nothing is left that the task could work on. */
export class TabsClosed extends Error {
  constructor() {
    super(allClosed);
  }
}

export interface ReinsConfig {
  readonly clock: Clock;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  readonly tell: Tell;
  /** How long the task may take, in ms, without the time in which the person is waited for. */
  readonly time: number;
}

/**
 * What holds a task: the person, who pauses it, answers it and stops it, and its
 * time. Everything that a task waits for ends with `signal`.
 */
export class Reins {
  readonly #config: ReinsConfig;
  readonly #abort = new AbortController();
  #status: Status = 'running';
  #paused = false;
  #wake: (() => void) | undefined;
  #answer: ((text: string) => void) | undefined;
  /** Milliseconds that the person was waited for. */
  #idle = 0;
  #began = 0;
  #cancel: (() => void) | undefined;

  constructor(config: ReinsConfig) {
    this.#config = config;
  }

  get status(): Status {
    return this.#status;
  }

  /** Ends when the task was stopped or its time is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Milliseconds that the task took so far, without those in which the person was waited for. */
  get took(): number {
    return this.#config.now() - this.#began - this.#idle;
  }

  /** The time begins. */
  async start(): Promise<void> {
    this.#began = this.#config.now();
    await this.#set('running');
  }

  /** Nothing is left to be held: the deadline goes. */
  end(): void {
    this.#cancel?.();
  }

  pause(): void {
    this.#paused = true;
  }

  /** Lets the task go on; false when it was not paused. */
  resume(): boolean {
    if (!this.#paused) return false;
    this.#paused = false;
    this.#wake?.();
    return true;
  }

  /** Answers the question that waits; false when none does. */
  answer(text: string): boolean {
    if (this.#answer === undefined) return false;
    this.#answer(text);
    this.#answer = undefined;
    return true;
  }

  stop(): void {
    this.#end(new Stopped('stopped'));
  }

  /** Ends the task: its tabs were closed. */
  lose(): void {
    this.#end(new TabsClosed());
  }

  /** Asks the person, and waits. */
  async ask(question: string): Promise<string> {
    // The answer may come as soon as the question is told.
    const answered = new Promise<string>((resolve) => {
      this.#answer = resolve;
    });
    return this.#wait('waiting', question, async () => {
      this.signal.throwIfAborted();
      const text = await answered;
      this.signal.throwIfAborted();
      await this.#config.tell({ kind: 'person', text });
      return text;
    });
  }

  /** Waits while the task is paused; throws when it was stopped or has no time left. */
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

  /** Lets some time pass. */
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

  /** Waits for the person; that time does not count. */
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

  // A getter would be narrowed to what it was before the wait.
  #isPaused(): boolean {
    return this.#paused;
  }
}
