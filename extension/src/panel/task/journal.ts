import { taskWriteReplySchema } from '$ui/protocol/task';
import {
  CodeNotRunning,
  type Task,
  type TaskEventKind,
  type TaskID,
  type TaskWriteReply,
} from '$ui/protocol/protocol';
import { OfflineError, type Connection } from '../connection/connection';
import { RefusedError } from '../connection/request';

/** What a task's journal needs. */
export interface Writing {
  readonly connection: Pick<Connection, 'request'>;
  /** The name of this panel view. */
  readonly viewer: () => string;
  /** Resolves when what failed may be tried again; never at once. */
  readonly live: (signal: AbortSignal) => Promise<void>;
}

/**
 * Writes what happens in a task, in its order. What is written is on disk; while
 * the app is away it waits, so that a restart of the app costs a task nothing
 * but time.
 */
export class TaskJournal {
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly id: TaskID,
    private readonly writing: Writing,
    private readonly signal: AbortSignal,
  ) {}

  /** Writes one event, and what the task has become with it. */
  write(kind: TaskEventKind, head: Task, data?: unknown): Promise<TaskWriteReply> {
    const next = this.#last.then(() => this.#write(kind, head, data));
    // One that failed keeps none behind it from being tried.
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #write(kind: TaskEventKind, head: Task, data: unknown): Promise<TaskWriteReply> {
    for (;;) {
      try {
        const { connection, viewer } = this.writing;
        const body = {
          task: this.id,
          kind,
          head,
          viewer: viewer(),
          ...(data !== undefined && { data }),
        };
        return await connection.request('/task/write', body, taskWriteReplySchema);
      } catch (error) {
        // The app ends, or the socket did and the view has another name now.
        const away =
          error instanceof OfflineError ||
          error instanceof TypeError ||
          (error instanceof RefusedError && error.code === CodeNotRunning);
        if (!away || this.signal.aborted) throw error;
        await this.writing.live(this.signal);
      }
    }
  }
}
