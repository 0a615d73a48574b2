import {
  TaskIdle,
  type LLMProfile,
  type PanelEvent,
  type TabID,
  type Task,
  type TaskID,
} from '$ui/protocol/protocol';
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import type { Connection } from '../connection/connection';
import type { Clock } from '../core/clock';
import { WRITE_AGAIN } from '../core/timing';
import type { SessionStore } from '../state/session.svelte';
import { Asking } from './asking.svelte';
import type { Heads } from './heads.svelte';
import { modelOf } from './models/models';
import { Orders } from './orders';
import { Run } from './run';
import { Shelf } from './shelf.svelte';
import { Ways } from './ways.svelte';

/** What the surroundings give. */
export interface Surroundings {
  readonly connection: Connection;
  readonly session: SessionStore;
  readonly heads: Heads;
  readonly clock: Clock;
}

/** The tasks of the panel: which is shown where, and those that run here. */
export class Tasks {
  readonly asking: Asking;
  readonly ways: Ways;
  readonly shelf: Shelf;
  readonly #around: Surroundings;
  readonly #orders: Orders;
  readonly #chosen = new SvelteMap<TabID, TaskID>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #runs = new Map<TaskID, Run>();
  #waiting: (() => void)[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
    this.#orders = new Orders(around);
    this.asking = new Asking(around.connection);
    this.ways = new Ways(this.asking);
    this.shelf = new Shelf(this.asking, around.heads);
  }

  /** The task that a tab shows: the one that was chosen, else one that is not over. */
  of(tab: TabID): Task | undefined {
    const chosen = this.#chosen.get(tab);
    if (chosen === '') return undefined;
    const { heads } = this.#around;
    return (chosen === undefined ? undefined : heads.get(chosen)) ?? heads.unfinishedOf(tab);
  }

  choose(tab: TabID, id: TaskID | undefined): void {
    this.#chosen.set(tab, id ?? '');
  }

  /** Whether this panel runs the task. */
  runsHere(id: TaskID): boolean {
    return this.#runs.has(id);
  }

  /** Begins a task beside a tab. Returns false, with the problem said, when it cannot. */
  async start(tab: TabID, goal: string, more: Partial<Task> = {}): Promise<boolean> {
    const settings = await this.ways.known();
    const before = this.of(tab);
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- a moment, not a clock
    const now = new Date().toISOString();
    const task: Task = {
      id: crypto.randomUUID(),
      title: goal.split('\n')[0]?.slice(0, 60) ?? '',
      goal,
      tab,
      tabs: [tab],
      state: TaskIdle,
      steps: 0,
      maxSteps: settings.steps,
      tokens: 0,
      budget: settings.tokens,
      keepGroup: settings.keepGroup,
      created: now,
      updated: now,
      index: 0,
      ...more,
    };
    return this.#begin(task, before === undefined ? '' : contextOf(before));
  }

  /** Goes on with a task that was interrupted, at its step. */
  async resume(id: TaskID): Promise<boolean> {
    return this.asking.try(async () => {
      const view = this.shelf.begin(id);
      const head = await this.shelf.fetch(id, view);
      if (head === undefined) return;
      await this.#run(head, '', {
        steps: view.whole,
        summary: view.summary,
        from: view.from,
        tokens: head.tokens,
      });
    });
  }

  pause(id: TaskID): void {
    this.#runs.get(id)?.loop.pause();
    this.shelf.known(id)?.wants('paused');
  }

  goOn(id: TaskID, did = ''): void {
    this.shelf.known(id)?.wants(undefined);
    this.#runs.get(id)?.loop.resume(did);
  }

  say(id: TaskID, text: string): void {
    this.#runs.get(id)?.loop.say(text);
  }

  async stop(id: TaskID): Promise<void> {
    const run = this.#runs.get(id);
    if (run !== undefined) run.loop.stop();
    else await this.asking.try(() => this.asking.ask('/task/stop', { task: id }, v.unknown()));
  }

  /** Takes in what the backend pushes. */
  apply(event: PanelEvent): void {
    if (event.type === 'hello') {
      for (const wake of this.#waiting.splice(0)) wake();
    } else if (event.type === 'task') {
      this.#took(event.task);
      const view = this.shelf.known(event.task.id);
      // Another panel runs it: what it wrote is read.
      if (view !== undefined && !this.#runs.has(event.task.id) && event.task.index > view.index)
        void this.shelf.fetch(event.task.id, view);
    } else if (event.type === 'task_gone') {
      this.shelf.forget(event.task);
    } else if (event.type === 'models') {
      void this.ways.load();
    } else if (event.type === 'task_order') {
      void this.#order(event);
    }
  }

  /** The document goes: what runs is interrupted, and can be resumed. */
  dispose(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The backend's word about a task that runs here: a tab that it got shows it, also when it is over. */
  #took(task: Task): void {
    const run = this.#runs.get(task.id);
    if (run === undefined) return;
    for (const tab of task.tabs) if (!run.head.tabs.includes(tab)) this.#chosen.set(tab, task.id);
    run.took(task);
  }

  /** A program asks for a task; the panel of the tab's window takes it, or says why it cannot. */
  async #order(event: Extract<PanelEvent, { type: 'task_order' }>): Promise<void> {
    const { order, task } = event;
    if (order === 'stop') {
      this.#runs.get(task.id)?.loop.stop();
      return;
    }
    // The person pressed Esc, or the button, on the page.
    if (order === 'pause' && this.runsHere(task.id)) {
      this.pause(task.id);
      return;
    }
    if (order !== 'run' || !(await this.#orders.isOurs(task))) return;
    const settings = await this.ways.known();
    await this.ways.load();
    const begun = await this.#begin(
      {
        ...task,
        maxSteps: task.maxSteps > 0 ? task.maxSteps : settings.steps,
        budget: task.budget > 0 ? task.budget : settings.tokens,
      },
      '',
    );
    if (!begun) await this.#orders.refuse(task, this.asking.problem);
  }

  async #begin(task: Task, before: string): Promise<boolean> {
    return this.asking.try(async () => {
      this.shelf.begin(task.id);
      await this.#run(task, before);
    });
  }

  async #run(
    task: Task,
    before: string,
    restored?: ConstructorParameters<typeof Run>[0]['restored'],
  ): Promise<void> {
    const profile =
      this.ways.llm?.profiles.find(({ id }) => id === task.profile) ?? this.ways.profile;
    if (profile === undefined) throw new Error('Task needs a model. Set one up first.');
    const settings = await this.ways.known();
    const { connection, session, clock, heads } = this.#around;
    const call = (of: LLMProfile) => (_: string | URL | Request, init?: RequestInit) =>
      connection.stream(`/llm/call?profile=${encodeURIComponent(of.id)}`, init);
    const short = this.ways.llm?.profiles.find((one) => one.for.includes('summary')) ?? profile;
    const [model, summary] = await Promise.all([
      modelOf(profile, call(profile)),
      modelOf(short, call(short)),
    ]);
    const view = this.shelf.view(task.id);
    const run = new Run({
      task: { ...task, profile: profile.id },
      world: {
        connection,
        tabs: () => session.tabs,
        viewer: () => heads.panel,
        file: (path) => this.shelf.file(task.id, path),
      },
      writing: { live: (signal) => this.#live(signal) },
      settings,
      profile,
      model,
      summary,
      clock,
      before,
      ...(restored !== undefined && { restored }),
      show: (event, head) => {
        heads.put(head);
        view.index = Math.max(view.index, head.index);
        view.apply(event);
      },
    });
    this.#runs.set(task.id, run);
    heads.put(run.head);
    if (task.tab !== undefined) this.#chosen.set(task.tab, task.id);
    void run
      .run()
      .catch((error: unknown) => {
        this.asking.say(error);
      })
      .finally(() => {
        this.#runs.delete(task.id);
        view.rest();
      });
  }

  /**
   * Resolves when something that failed may be tried again: when the panel is
   * connected, or a while later when it is already. Never at once: in a document
   * that goes every request fails at once, and trying on would keep its process
   * busy for ever, which is that of the whole extension.
   */
  #live(signal: AbortSignal): Promise<void> {
    const { connection, clock } = this.#around;
    return new Promise((resolve) => {
      const cancel = connection.link === 'live' ? clock.after(WRITE_AGAIN, resolve) : undefined;
      const wake = (): void => {
        cancel?.();
        resolve();
      };
      this.#waiting.push(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

/** What a follow-up task is told of the one before it. */
function contextOf(task: Task): string {
  const ended = task.summary === undefined || task.summary === '' ? task.state : task.summary;
  return `Goal: ${task.goal}\nHow it ended: ${ended}`;
}
