import { chatAttachmentSchema } from '$ui/protocol/schemas/chat';
import { taskListReplySchema, taskPageSchema } from '$ui/protocol/schemas/task';
import type { TabID, Task, TaskEvent, TaskID, TaskListReply } from '$ui/protocol/protocol';
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import type { Asking } from './asking.svelte';
import type { Heads } from './heads.svelte';
import { TaskView } from './view.svelte';

/** The stored tasks: reads, searches and deletes them. */
export class TaskHistory {
  readonly #views = new SvelteMap<TaskID, TaskView>();
  readonly #asking: Asking;
  readonly #heads: Heads;

  constructor(asking: Asking, heads: Heads) {
    this.#asking = asking;
    this.#heads = heads;
  }

  /** The view of a task. Its events are loaded on the first call. */
  view(id: TaskID): TaskView {
    const known = this.#views.get(id);
    if (known !== undefined) return known;
    const view = this.begin(id);
    void this.fetch(id, view);
    return view;
  }

  /** The view of a task, if it was loaded before. */
  known(id: TaskID): TaskView | undefined {
    return this.#views.get(id);
  }

  /** A new empty view, for a task that starts or is read from its beginning. */
  begin(id: TaskID): TaskView {
    const view = new TaskView();
    this.#views.set(id, view);
    return view;
  }

  forget(id: TaskID): void {
    this.#views.delete(id);
  }

  /** Reads a task's new events into its view, and returns the task. */
  async fetch(id: TaskID, view: TaskView): Promise<Task | undefined> {
    let head: Task | undefined;
    await this.#asking.try(async () => {
      for (;;) {
        const page = await this.#asking.ask(
          '/task/get',
          { task: id, after: view.index },
          taskPageSchema,
        );
        head = page.head;
        this.#heads.put(page.head);
        if (page.events.length === 0) return;
        for (const event of page.events) view.read(event);
      }
    });
    return head;
  }

  /** All events of a task. */
  async events(id: TaskID): Promise<TaskEvent[]> {
    const events: TaskEvent[] = [];
    await this.#asking.try(async () => {
      for (;;) {
        const after = events.at(-1)?.index ?? 0;
        const page = await this.#asking.ask('/task/get', { task: id, after }, taskPageSchema);
        if (page.events.length === 0) return;
        events.push(...page.events);
      }
    });
    return events;
  }

  /** The tasks that contain a text, newest first, and where. */
  async search(text: string): Promise<TaskListReply> {
    let reply: TaskListReply = { tasks: [] };
    await this.#asking.try(async () => {
      const body = { text, limit: 200 };
      reply = await this.#asking.ask('/task/list', body, taskListReplySchema);
      for (const task of reply.tasks) this.#heads.put(task);
    });
    return reply;
  }

  async remove(id: TaskID): Promise<void> {
    await this.#asking.try(() => this.#asking.ask('/task/delete', { task: id }, v.unknown()));
  }

  async useTab(id: TaskID, tab: TabID, remove = false): Promise<void> {
    const body = { task: id, tab, remove };
    await this.#asking.try(() => this.#asking.ask('/task/tab', body, v.unknown()));
  }

  /** The screenshot of a step as a data URL; undefined if there is none. */
  async picture(task: TaskID, step: number): Promise<string | undefined> {
    try {
      const { data = '' } = await this.#asking.ask(
        '/task/picture',
        { task, step },
        chatAttachmentSchema,
      );
      return data === '' ? undefined : `data:image/jpeg;base64,${data}`;
    } catch {
      return undefined; // screenshots of old tasks are deleted to make room
    }
  }

  /** A screenshot of a task as base64; undefined if it is not available. */
  async file(path: string): Promise<string | undefined> {
    try {
      return (await this.#asking.ask('/chat/file', { path }, chatAttachmentSchema)).data;
    } catch {
      return undefined; // the model has the text of the page instead
    }
  }
}
