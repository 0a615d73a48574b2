import { taskWriteReplySchema } from '$ui/protocol/task';
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

/** What a task's journal needs. */
export interface Writing {
  readonly connection: Pick<Connection, 'request'>;
  /** The name of this panel view. */
  readonly viewer: () => string;
  /** Resolves when what failed may be tried again; never at once. */
  readonly live: (signal: AbortSignal) => Promise<void>;
  /** Counts what is written in this panel. */
  readonly count: () => number;
  /** Takes in what became of what was held. */
  readonly written: (reply: TaskWriteReply) => void;
}

/** One event that is to be written. */
interface Event {
  /** Its place among all that this panel writes: by it the backend knows what it has already. */
  readonly seq: number;
  readonly kind: TaskEventKind;
  /** What the task has become with it. */
  readonly head: Task;
  readonly data?: unknown;
  /** The step that it tells of, and the tab of which a picture is kept with it. */
  readonly step?: number;
  readonly picture?: TaskShot;
}

/**
 * Writes what happens in a task, in its order. What is written is on disk; while
 * the app is away it waits, so that a restart of the app costs a task nothing
 * but time. What need not be written at once goes along with what is asked next,
 * which is done after it: a round trip less each.
 */
export class TaskJournal {
  #last: Promise<unknown> = Promise.resolve();
  /** What goes along with the next request. */
  #held: Event[] = [];

  constructor(
    private readonly id: TaskID,
    private readonly writing: Writing,
    private readonly signal: AbortSignal,
  ) {}

  /** Writes one event, and what the task has become with it. */
  write(kind: TaskEventKind, head: Task, data?: unknown): Promise<TaskWriteReply> {
    return this.#next(async () => {
      await this.#release();
      return this.#write({ seq: this.writing.count(), kind, head, data });
    });
  }

  /**
   * Takes in a step, to be written before anything else is: with the next request,
   * or with `flush`. The whole step stands for the one that was only thought of.
   */
  hold(step: number, head: Task, data: unknown, picture?: TaskShot): void {
    this.#held = this.#held.filter((one) => one.step !== step);
    const seq = this.writing.count();
    this.#held.push({ seq, kind: TaskEventStep, head, data, step, ...(picture && { picture }) });
  }

  /** Writes what is held, if anything is. */
  flush(): Promise<void> {
    return this.#next(() => this.#release());
  }

  /**
   * Sends a request that takes along what is held. One that did not reach the app
   * is sent again when the app is back; `safe` says that it may be when that is
   * not certain.
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
      // The backend writes nothing of it twice.
      this.#held = [...held, ...this.#held];
      if (!isAway(error, safe) || this.signal.aborted) throw error;
      await this.flush();
      return send([]);
    }
  }

  #next<T>(does: () => Promise<T>): Promise<T> {
    const next = this.#last.then(does);
    // One that failed keeps none behind it from being tried.
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
 * The app ends, or the socket did and the view has another name now. `safe`: also
 * when it may have heard what it was sent.
 */
function isAway(error: unknown, safe: boolean): boolean {
  return (
    error instanceof OfflineError ||
    (error instanceof RefusedError && error.code === CodeNotRunning) ||
    (safe && error instanceof TypeError)
  );
}
