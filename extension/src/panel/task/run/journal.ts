import { taskWriteReplySchema } from '$ui/protocol/schemas/task';
import {
  CodeNotRunning,
  TaskEventStep,
  type Task,
  type TaskEventKind,
  type TaskID,
  type TaskShot,
  type TaskWriteReply,
  type TaskWriteRequest,
} from '$ui/protocol/protocol';
import { OfflineError, type Connection } from '../../connection/connection';
import { RefusedError } from '../../connection/request';

/** What a task's journal needs from the panel. */
export interface Writing {
  readonly connection: Pick<Connection, 'request'>;
  /** The name of this panel. */
  readonly viewer: () => string;
  /** Resolves when a failed request may be repeated; never immediately. */
  readonly live: (signal: AbortSignal) => Promise<void>;
  /** The next sequence number of this panel's writes. */
  readonly count: () => number;
  /** Called with the reply about held events once they are written. */
  readonly written: (reply: TaskWriteReply) => void;
}

/** One event to be written. */
interface Event {
  /**
   * Its sequence number among all writes of this panel; the backend uses it to
   * ignore duplicates.
   */
  readonly seq: number;
  readonly kind: TaskEventKind;
  /** The state of the task after the event. */
  readonly head: Task;
  readonly data?: unknown;
  /** The number of the step that the event is about, and the tab to take a screenshot of for it. */
  readonly step?: number;
  readonly picture?: TaskShot;
}

/**
 * Writes the events of a task, in order. A written event is on disk. While the app
 * is not running, writes wait, so that a restart of the app only delays a task. An
 * event that need not be written at once is sent together with the next request,
 * which the backend carries out after the write. That saves a round trip.
 */
export class TaskJournal {
  #last: Promise<unknown> = Promise.resolve();
  /** The events to be sent with the next request. */
  #held: Event[] = [];

  constructor(
    private readonly id: TaskID,
    private readonly writing: Writing,
    private readonly signal: AbortSignal,
  ) {}

  /** Writes one event, and the state of the task after it. */
  write(kind: TaskEventKind, head: Task, data?: unknown): Promise<TaskWriteReply> {
    return this.#next(async () => {
      await this.#release();
      return this.#write({ seq: this.writing.count(), kind, head, data });
    });
  }

  /**
   * Holds a step, which is written before anything else: with the next request or
   * with `flush`. The complete step replaces the one that had only the thought.
   */
  hold(step: number, head: Task, data: unknown, picture?: TaskShot): void {
    this.#held = this.#held.filter((one) => one.step !== step);
    const seq = this.writing.count();
    this.#held.push({ seq, kind: TaskEventStep, head, data, step, ...(picture && { picture }) });
  }

  /** Writes the held events, if there are any. */
  flush(): Promise<void> {
    return this.#next(() => this.#release());
  }

  /**
   * Sends a request together with the held events. A request that did not reach the
   * app is repeated when the app is back. `safe` allows that even if it may have
   * reached the app.
   */
  async along<T extends { readonly written?: TaskWriteReply | undefined }>(
    safe: boolean,
    send: (writes: readonly TaskWriteRequest[]) => Promise<T>,
  ): Promise<T> {
    const held = this.#held;
    if (held.length === 0) return send([]);
    this.#held = [];
    try {
      const reply = await send(held.map((one) => this.#body(one)));
      if (reply.written !== undefined) this.writing.written(reply.written);
      return reply;
    } catch (error) {
      // Safe to send again: the backend ignores duplicates.
      this.#held = [...held, ...this.#held];
      if (!isAway(error, safe) || this.signal.aborted) throw error;
      await this.flush();
      return send([]);
    }
  }

  #next<T>(does: () => Promise<T>): Promise<T> {
    const next = this.#last.then(does);
    // A failed write does not prevent those after it.
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #release(): Promise<void> {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      const reply = await this.#write(first);
      this.#held = this.#held.filter((one) => one !== first);
      this.writing.written(reply);
    }
  }

  #body({ seq, kind, head, data, picture }: Event): TaskWriteRequest {
    return {
      task: this.id,
      seq,
      kind,
      head,
      viewer: this.writing.viewer(),
      ...(data !== undefined && { data }),
      ...(picture !== undefined && { picture }),
    };
  }

  async #write(event: Event): Promise<TaskWriteReply> {
    for (;;) {
      try {
        const { connection } = this.writing;
        return await connection.request('/task/write', this.#body(event), taskWriteReplySchema);
      } catch (error) {
        if (!isAway(error, true) || this.signal.aborted) throw error;
        await this.writing.live(this.signal);
      }
    }
  }
}

/**
 * Whether a request failed because the app was away: it is ending, or the socket
 * was lost and the panel has a new name since. With `safe`, also when the app may
 * have received the request.
 */
function isAway(error: unknown, safe: boolean): boolean {
  return (
    error instanceof OfflineError ||
    (error instanceof RefusedError && error.code === CodeNotRunning) ||
    (safe && error instanceof TypeError)
  );
}
