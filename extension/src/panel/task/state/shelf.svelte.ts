import { chatAttachmentSchema } from '$ui/protocol/chat';
import type { TabID, Task, TaskEvent, TaskID, TaskListReply } from '$ui/protocol/protocol';
import { taskListReplySchema, taskPageSchema } from '$ui/protocol/task';
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import type { Asking } from './asking.svelte';
import type { Heads } from './heads.svelte';
import { TaskView } from './view.svelte';

/** The tasks as they are kept: what was written of each, to be read, searched and deleted. */
export class Shelf {
  readonly #views = new SvelteMap<TaskID, TaskView>();
  readonly #asking: Asking;
  readonly #heads: Heads;

  constructor(asking: Asking, heads: Heads) {
    this.#asking = asking;
    this.#heads = heads;
  }

  /** What is shown of a task; its steps are fetched when it is looked at first. */
  view(id: TaskID): TaskView {
    const known = this.#views.get(id);
    if (known !== undefined) return known;
    const view = this.begin(id);
    void this.fetch(id, view);
    return view;
  }

  /** What is shown of a task that was looked at already. */
  known(id: TaskID): TaskView | undefined {
    return this.#views.get(id);
  }

  /** An empty view, for a task that begins or is read from its beginning. */
  begin(id: TaskID): TaskView {
    const view = new TaskView();
    this.#views.set(id, view);
    return view;
  }

  forget(id: TaskID): void {
    this.#views.delete(id);
  }

  /** Reads a task's events into its view, and returns its head. */
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

  /** All that was written of a task. */
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

  /** The tasks in which a text occurs, newest first, and where. */
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

  /** The picture of a step as the address of an image; undefined when there is none. */
  async picture(task: TaskID, step: number): Promise<string | undefined> {
    try {
      const { data = '' } = await this.#asking.ask(
        '/task/picture',
        { task, step },
        chatAttachmentSchema,
      );
      return data === '' ? undefined : `data:image/jpeg;base64,${data}`;
    } catch {
      return undefined; // old tasks make room for new ones
    }
  }

  /** A picture of a task's as base64; undefined when it cannot be had. */
  async file(task: TaskID, path: string): Promise<string | undefined> {
    try {
      return (await this.#asking.ask('/task/file', { task, path }, chatAttachmentSchema)).data;
    } catch {
      return undefined; // the model is told of the picture in words
    }
  }
}
