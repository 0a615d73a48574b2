import {
  llmLocalReplySchema,
  llmModelsReplySchema,
  llmStateSchema,
  llmVerdictSchema,
  taskListReplySchema,
  taskPageSchema,
} from '$ui/protocol/task';
import { chatAttachmentSchema } from '$ui/protocol/chat';
import {
  TaskIdle,
  type LLMLocal,
  type LLMModel,
  type LLMProfile,
  type LLMSaveRequest,
  type LLMState,
  type LLMVerdict,
  type PanelEvent,
  type TabID,
  type Task,
  type TaskID,
} from '$ui/protocol/protocol';
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import { OfflineError, type Connection } from '../connection/connection';
import { RefusedError } from '../connection/request';
import type { Clock } from '../core/clock';
import type { SessionStore } from '../state/session.svelte';
import type { Heads } from './heads.svelte';
import { modelOf } from './models/models';
import { Run } from './run';
import { readSettings, writeSettings, type TaskSettings } from './settings';
import { TaskView } from './view.svelte';

/** What the surroundings give. */
export interface Surroundings {
  readonly connection: Connection;
  readonly session: SessionStore;
  readonly heads: Heads;
  readonly clock: Clock;
}

/** Why something did not work, and what to do about it. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** The tasks of the panel: which is shown where, and those that run here. */
export class Tasks {
  /** The ways to a model; undefined until they are known. */
  llm = $state.raw<LLMState>();
  settings = $state.raw<TaskSettings>();
  problem = $state.raw<Problem>();
  readonly #around: Surroundings;
  readonly #chosen = new SvelteMap<TabID, TaskID>();
  readonly #views = new SvelteMap<TaskID, TaskView>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #runs = new Map<TaskID, Run>();
  #waiting: (() => void)[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
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

  /** What is shown of a task; its steps are fetched when it is looked at first. */
  view(id: TaskID): TaskView {
    const known = this.#views.get(id);
    if (known !== undefined) return known;
    const view = new TaskView();
    this.#views.set(id, view);
    void this.#fetch(id, view);
    return view;
  }

  /** Whether this panel runs the task. */
  runsHere(id: TaskID): boolean {
    return this.#runs.has(id);
  }

  /** Reads what the face needs, once it is looked at. */
  async load(): Promise<void> {
    this.settings = await readSettings();
    await this.#try(async () => {
      this.llm = await this.#ask('/llm/profiles', {}, llmStateSchema);
    });
  }

  async set(part: Partial<TaskSettings>): Promise<void> {
    const settings = { ...(this.settings ?? (await readSettings())), ...part };
    this.settings = settings;
    await writeSettings(settings);
  }

  /** The model that a task gets: the chosen one, else the first that is for tasks. */
  get profile(): LLMProfile | undefined {
    const all = this.llm?.profiles ?? [];
    return (
      all.find(({ id }) => id === this.settings?.profile) ??
      all.find((one) => one.for.includes('task')) ??
      all[0]
    );
  }

  /** Begins a task beside a tab. Returns false, with the problem said, when it cannot. */
  async start(tab: TabID, goal: string, more: Partial<Task> = {}): Promise<boolean> {
    const settings = this.settings ?? (await readSettings());
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
      created: now,
      updated: now,
      index: 0,
      ...more,
    };
    return this.#begin(task, before === undefined ? '' : contextOf(before));
  }

  /** Goes on with a task that was interrupted, at its step. */
  async resume(id: TaskID): Promise<boolean> {
    return this.#try(async () => {
      const view = new TaskView();
      this.#views.set(id, view);
      const head = await this.#fetch(id, view);
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
    this.#views.get(id)?.wants('paused');
  }

  goOn(id: TaskID, did = ''): void {
    this.#views.get(id)?.wants(undefined);
    this.#runs.get(id)?.loop.resume(did);
  }

  say(id: TaskID, text: string): void {
    this.#runs.get(id)?.loop.say(text);
  }

  async stop(id: TaskID): Promise<void> {
    const run = this.#runs.get(id);
    if (run !== undefined) run.loop.stop();
    else await this.#try(() => this.#ask('/task/stop', { task: id }, v.unknown()));
  }

  async remove(id: TaskID): Promise<void> {
    await this.#try(() => this.#ask('/task/delete', { task: id }, v.unknown()));
  }

  async useTab(id: TaskID, tab: TabID, remove = false): Promise<void> {
    await this.#try(() => this.#ask('/task/tab', { task: id, tab, remove }, v.unknown()));
  }

  /** The tasks in which a text occurs, newest first. */
  async search(text: string): Promise<Task[]> {
    let found: Task[] = [];
    await this.#try(async () => {
      found = (await this.#ask('/task/list', { text, limit: 200 }, taskListReplySchema)).tasks;
      for (const task of found) this.#around.heads.put(task);
    });
    return found;
  }

  async saveModel(request: LLMSaveRequest): Promise<boolean> {
    return this.#try(async () => {
      this.llm = await this.#ask('/llm/save', request, llmStateSchema);
    });
  }

  async deleteModel(profile: string): Promise<boolean> {
    return this.#try(async () => {
      this.llm = await this.#ask('/llm/delete', { profile }, llmStateSchema);
    });
  }

  async models(profile: string): Promise<LLMModel[]> {
    let found: LLMModel[] = [];
    await this.#try(async () => {
      found = (await this.#ask('/llm/models', { profile }, llmModelsReplySchema)).models;
    });
    return found;
  }

  async test(profile: string): Promise<LLMVerdict | undefined> {
    let verdict: LLMVerdict | undefined;
    await this.#try(async () => {
      verdict = await this.#ask('/llm/test', { profile }, llmVerdictSchema);
    });
    return verdict;
  }

  /** Model servers on this machine. */
  async local(): Promise<LLMLocal[]> {
    let found: LLMLocal[] = [];
    await this.#try(async () => {
      ({ found } = await this.#ask('/llm/local', {}, llmLocalReplySchema));
    });
    return found;
  }

  /** Takes in what the backend pushes. */
  apply(event: PanelEvent): void {
    if (event.type === 'hello') {
      for (const wake of this.#waiting.splice(0)) wake();
    } else if (event.type === 'task') {
      this.#took(event.task);
      const view = this.#views.get(event.task.id);
      // Another panel runs it: what it wrote is read.
      if (view !== undefined && !this.#runs.has(event.task.id) && event.task.index > view.index)
        void this.#fetch(event.task.id, view);
    } else if (event.type === 'task_gone') {
      this.#views.delete(event.task);
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

  /** A program asks for a task; the panel of the tab's window takes it. */
  async #order(event: Extract<PanelEvent, { type: 'task_order' }>): Promise<void> {
    const { order, task } = event;
    if (order === 'stop') {
      this.#runs.get(task.id)?.loop.stop();
      return;
    }
    if (order !== 'run' || this.#runs.has(task.id)) return;
    const window = await chrome.windows.getCurrent();
    const tab = this.#around.session.tabs.find(({ id }) => id === task.tab);
    if (tab === undefined || tab.windowId !== window.id) return;
    const settings = this.settings ?? (await readSettings());
    if (this.llm === undefined) await this.load();
    await this.#begin(
      {
        ...task,
        maxSteps: task.maxSteps > 0 ? task.maxSteps : settings.steps,
        budget: task.budget > 0 ? task.budget : settings.tokens,
      },
      '',
    );
  }

  async #begin(task: Task, before: string): Promise<boolean> {
    return this.#try(async () => {
      this.#views.set(task.id, new TaskView());
      await this.#run(task, before);
    });
  }

  async #run(
    task: Task,
    before: string,
    restored?: ConstructorParameters<typeof Run>[0]['restored'],
  ): Promise<void> {
    const profile = this.llm?.profiles.find(({ id }) => id === task.profile) ?? this.profile;
    if (profile === undefined) throw new Error('Task needs a model. Set one up first.');
    const settings = this.settings ?? (await readSettings());
    const { connection, session, clock, heads } = this.#around;
    const call = (of: LLMProfile) => (_: string | URL | Request, init?: RequestInit) =>
      connection.stream(`/llm/call?profile=${encodeURIComponent(of.id)}`, init);
    const short = this.llm?.profiles.find((one) => one.for.includes('summary')) ?? profile;
    const [model, summary] = await Promise.all([
      modelOf(profile, call(profile)),
      modelOf(short, call(short)),
    ]);
    const view = this.view(task.id);
    const run = new Run({
      task: { ...task, profile: profile.id },
      world: {
        connection,
        tabs: () => session.tabs,
        viewer: () => heads.panel,
        file: (path) => this.#file(task.id, path),
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
        this.#say(error);
      })
      .finally(() => {
        this.#runs.delete(task.id);
        view.rest();
      });
  }

  /** A picture of a task's as base64. */
  async #file(task: TaskID, path: string): Promise<string | undefined> {
    try {
      return (await this.#ask('/task/file', { task, path }, chatAttachmentSchema)).data;
    } catch {
      return undefined; // the model is told of the picture in words
    }
  }

  #live(signal: AbortSignal): Promise<void> {
    if (this.#around.connection.link === 'live') return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    });
  }

  /** Reads a task's events into its view, and returns its head. */
  async #fetch(id: TaskID, view: TaskView): Promise<Task | undefined> {
    let head: Task | undefined;
    await this.#try(async () => {
      for (;;) {
        const page = await this.#ask('/task/get', { task: id, after: view.index }, taskPageSchema);
        head = page.head;
        this.#around.heads.put(page.head);
        if (page.events.length === 0) return;
        for (const event of page.events) view.read(event);
      }
    });
    return head;
  }

  #ask<S extends v.GenericSchema>(
    path: string,
    body: unknown,
    schema: S,
  ): Promise<v.InferOutput<S>> {
    return this.#around.connection.request(path, body, schema);
  }

  /** Does something; what goes wrong is said. */
  async #try(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.problem = undefined;
      return true;
    } catch (error) {
      this.#say(error);
      return false;
    }
  }

  #say(error: unknown): void {
    if (error instanceof RefusedError) this.problem = { message: error.message, hint: error.hint };
    else if (error instanceof OfflineError)
      this.problem = {
        message: 'Pilotfish is not connected just now.',
        hint: 'Try again when it is.',
      };
    else
      this.problem = { message: error instanceof Error ? error.message : String(error), hint: '' };
  }
}

/** What a follow-up task is told of the one before it. */
function contextOf(task: Task): string {
  const ended = task.summary === undefined || task.summary === '' ? task.state : task.summary;
  return `Goal: ${task.goal}\nHow it ended: ${ended}`;
}
