import {
  TaskInterrupted,
  TaskOrderGiveUp,
  TaskOrderGoOn,
  TaskOrderPause,
  TaskOrderSay,
  TaskOrderTakeOver,
  type PanelEvent,
  type TabID,
  type Task,
  type TaskID,
} from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Connection } from '../../connection/connection';
import { RefusedError } from '../../connection/request';
import type { Clock } from '../../core/clock';
import type { SessionStore } from '../../state/session.svelte';
import { Asking } from './asking.svelte';
import { Chosen } from './chosen.svelte';
import { Closed, homeless } from './closed';
import { isOver, type Heads } from './heads.svelte';
import { Later } from './later';
import { Planners, type Again } from '../run/planners';
import { contextOf, newTask } from './newtask';
import { Orders } from './orders';
import type { Param, Recipe } from '../core/recipe';
import { doneOf } from '../core/replay';
import { allClosed } from '../core/runcontrol';
import { Run, type RunConfig } from '../run/run';
import { Routines } from './routines.svelte';
import { TaskHistory } from './history.svelte';
import { TaskModels } from './models.svelte';

/** What the tasks need from the panel. */
export interface Dependencies {
  readonly connection: Connection;
  readonly session: SessionStore;
  readonly heads: Heads;
  readonly clock: Clock;
  /** Set in the task page, which runs tasks where no panel is open. */
  readonly taskPage?: boolean;
}

/** A replay to start. */
export interface Rerun {
  readonly goal: string;
  readonly recipe: Recipe;
  readonly values: Readonly<Record<string, string>>;
  /** The name of the routine that is replayed. */
  readonly routine?: string;
}

/** The tasks of the panel: which one each tab shows, and those that run in this panel. */
export class Tasks {
  /** The end of a task that no tab shows any more, as a text for the user. */
  lost = $state<string>();
  /**
   * The goal of a task that could not be started, until the component with the
   * field has taken it.
   */
  unbegun = $state<string>();
  readonly asking: Asking;
  readonly models: TaskModels;
  readonly history: TaskHistory;
  readonly routines: Routines;
  readonly #deps: Dependencies;
  readonly #orders: Orders;
  readonly #closed: Closed;
  readonly #chosen = new Chosen();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #runs = new Map<TaskID, Run>();
  /** The interrupted tasks that are being resumed, so that a second press does not run one twice. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #resuming = new Map<TaskID, Promise<boolean>>();
  readonly #planners: Planners;
  readonly #again: Later;
  /** How many writes this panel has made. */
  #count = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#orders = new Orders(deps);
    void this.#chosen.load();
    this.#again = new Later(deps);
    this.#closed = new Closed(deps.clock, () => this.#runs.values());
    this.asking = new Asking(deps.connection);
    this.models = new TaskModels(this.asking);
    this.history = new TaskHistory(this.asking, deps.heads);
    this.routines = new Routines(this.asking);
    this.#planners = new Planners({
      connection: deps.connection,
      heads: deps.heads,
      models: this.models,
      tab: (task) => this.#runs.get(task.id)?.loop.tab ?? task.tab ?? '',
      tabs: (task) => this.#runs.get(task.id)?.head.tabs ?? task.tabs,
    });
  }

  /** The task that a tab shows: the chosen one, else an unfinished one, else a failed one. */
  of(tab: TabID): Task | undefined {
    const chosen = this.#chosen.get(tab);
    if (chosen === '') return undefined;
    const { heads } = this.#deps;
    return (
      (chosen === undefined ? undefined : heads.get(chosen)) ??
      heads.unfinishedOf(tab) ??
      heads.failedOf(tab)
    );
  }

  choose(tab: TabID, id: TaskID | undefined): void {
    this.#chosen.set(tab, id ?? '');
  }

  /** Whether this panel runs the task. */
  runsHere(id: TaskID): boolean {
    return this.#runs.has(id);
  }

  /**
   * Why a text is not a plain instruction, which needs no model. Empty if it is
   * one. Undefined if the app cannot be asked; the problem is then shown.
   */
  async unknown(words: string): Promise<string | undefined> {
    let why: string | undefined;
    await this.asking.try(async () => {
      why = (await this.#planners.read(words)).unknown ?? '';
    });
    return why;
  }

  /** Starts a task in a tab. Returns false if it cannot start; the problem is then shown. */
  async start(tab: TabID, goal: string, more: Partial<Task> = {}): Promise<boolean> {
    const before = this.of(tab);
    const task = newTask(tab, goal, await this.models.known(), more);
    const earlier = before === undefined ? '' : (this.history.known(before.id)?.before ?? '');
    return this.#begin(task, before === undefined ? '' : contextOf(before, earlier));
  }

  /**
   * Resumes an interrupted task at its next step. Returns false if it cannot be
   * resumed; the problem is then shown.
   */
  resume(id: TaskID, values: Readonly<Record<string, string>> = {}): Promise<boolean> {
    if (this.runsHere(id)) return Promise.resolve(true);
    const now = this.#resuming.get(id);
    if (now !== undefined) return now;
    const begun = this.#resume(id, values).finally(() => this.#resuming.delete(id));
    this.#resuming.set(id, begun);
    return begun;
  }

  async #resume(id: TaskID, values: Readonly<Record<string, string>>): Promise<boolean> {
    const view = this.history.begin(id);
    const head = await this.history.fetch(id, view);
    if (head === undefined) return false;
    return this.asking.try(async () => {
      const { whole: steps, summary, from, recipe, before } = view;
      const done = recipe === undefined ? undefined : doneOf(steps);
      await this.#run(head, before, {
        restored: { steps, summary, from, tokens: head.tokens },
        ...(recipe !== undefined && done !== undefined && { again: { recipe, values, done } }),
      });
    });
  }

  /** The secret parameters that the user must enter before an interrupted replay resumes. */
  missing(id: TaskID): readonly Param[] {
    const view = this.history.known(id);
    return (view?.recipe?.params ?? []).filter(({ secret }) => secret);
  }

  /** Replays recorded actions in a tab, without a model. */
  async replay(tab: TabID, { goal, recipe, values, routine }: Rerun): Promise<boolean> {
    const kept = {
      ...recipe,
      // Values that are not secret are written with the recipe, so that the replay
      // can be resumed.
      params: recipe.params.map((one) =>
        one.secret ? one : { ...one, value: values[one.name] ?? one.value },
      ),
    };
    const task = newTask(tab, goal, await this.models.known(), {
      maxSteps: recipe.deeds.length * 2 + 20,
      ...(routine !== undefined && { routine }),
    });
    return this.#begin(task, '', { recipe: kept, values, done: 0 });
  }

  // What the user wants of a task that another panel or the task page runs is passed on to it.

  pause(id: TaskID): void {
    const run = this.#runs.get(id);
    if (run === undefined) void this.#tell(id, TaskOrderPause);
    else run.loop.pause();
    this.history.known(id)?.wants('paused');
  }

  /** Pauses a task so that the user can act. An action that waits for an approval is interrupted. */
  takeOver(id: TaskID, asked: boolean): void {
    const run = this.#runs.get(id);
    if (asked && run === undefined) void this.#tell(id, TaskOrderTakeOver);
    else if (asked) run?.loop.takeOver();
    this.pause(id);
  }

  goOn(id: TaskID, did = ''): void {
    this.history.known(id)?.wants(undefined);
    const run = this.#runs.get(id);
    if (run === undefined) void this.#tell(id, TaskOrderGoOn);
    else run.loop.resume(did);
  }

  /** Closes a failed task; it remains in the history. */
  async close(id: TaskID): Promise<void> {
    for (const [tab, chosen] of this.#chosen) if (chosen === id) this.#chosen.set(tab, '');
    await this.asking.try(() => this.asking.ask('/task/close', { task: id }, v.unknown()));
  }

  /** Sets whether the tabs stay a group after this task and later ones. */
  keepGroup(id: TaskID, keep: boolean): void {
    this.#runs.get(id)?.keepGroup(keep);
    void this.models.set({ keepGroup: keep });
  }

  /**
   * Sends a message to a task. Returns false if the task cannot use it; the problem
   * is then shown.
   */
  async say(id: TaskID, text: string): Promise<boolean> {
    const run = this.#runs.get(id);
    if (run === undefined) return this.#tell(id, TaskOrderSay, text);
    return this.asking.try(async () => {
      const unknown = await this.#planners.take(id, text);
      if (unknown !== '') throw new Error(unknown);
      run.loop.say(text);
    });
  }

  #tell(task: TaskID, order: string, text = ''): Promise<boolean> {
    const body = { task, order, text };
    return this.asking.try(() => this.asking.ask('/task/order', body, v.unknown()));
  }

  async stop(id: TaskID): Promise<void> {
    const run = this.#runs.get(id);
    if (run !== undefined) run.loop.stop();
    else await this.asking.try(() => this.asking.ask('/task/stop', { task: id }, v.unknown()));
  }

  /** Handles an event of the backend. */
  apply(event: PanelEvent): void {
    if (event.type === 'hello') {
      this.#again.wake();
      // They could not be loaded before.
      if (this.models.llm === undefined) void this.models.load();
    } else if (event.type === 'task') {
      this.#took(event.task);
      const view = this.history.known(event.task.id);
      // Another panel runs the task, so read what it wrote.
      if (view !== undefined && !this.#runs.has(event.task.id) && event.task.index > view.index)
        void this.history.fetch(event.task.id, view);
    } else if (event.type === 'task_gone') {
      this.history.forget(event.task);
    } else if (event.type === 'models') {
      void this.models.load();
    } else if (event.type === 'tabs') {
      this.#closed.tabs(event.tabs);
    } else if (event.type === 'task_order') {
      void this.#order(event);
    }
  }

  /** Called when the panel closes. Running tasks are interrupted, and can be resumed. */
  dispose(): void {
    this.#again.wake();
  }

  /**
   * Updates a task that runs here from the backend. A tab that the task has opened
   * shows the task, even after it has ended.
   */
  #took(task: Task): void {
    const run = this.#runs.get(task.id);
    if (run === undefined) return;
    for (const tab of task.tabs) if (!run.head.tabs.includes(tab)) this.#chosen.set(tab, task.id);
    this.#adopt(task);
    run.took(task);
  }

  /**
   * Makes tabs without a choice show the task that they belong to. The reply to a
   * write may be the first to name them.
   */
  #adopt(task: Task): void {
    for (const tab of task.tabs) if (!this.#chosen.has(tab)) this.#chosen.set(tab, task.id);
  }

  /** Handles an order: of a program, of the user on the page, or of the user in another panel. */
  async #order(event: Extract<PanelEvent, { type: 'task_order' }>): Promise<void> {
    const { order, task, text = '' } = event;
    const run = this.#runs.get(task.id);
    if (order === 'run' || order === 'resume') {
      if (!(await this.#orders.isOurs(event))) return;
      if (order === 'run') {
        await this.#take(task);
      } else {
        await this.models.ready();
        await this.resume(task.id);
      }
    } else if (run === undefined) {
      return;
    } else if (order === TaskOrderPause) {
      this.pause(task.id);
    } else if (order === TaskOrderTakeOver) {
      this.takeOver(task.id, true);
    } else if (order === TaskOrderGoOn) {
      this.goOn(task.id);
    } else if (order === TaskOrderSay) {
      if (await this.say(task.id, text)) return;
      const why = this.asking.problem?.message ?? '';
      run.loop.notice(why, why);
    } else if (order === TaskOrderGiveUp) {
      run.loop.giveUp();
    } else if (order === 'stop') {
      run.loop.stop();
    }
  }

  /** Starts an ordered task, or reports why it cannot. */
  async #take(task: Task): Promise<void> {
    const settings = await this.models.known();
    await this.models.load();
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

  async #begin(task: Task, before: string, again?: Again): Promise<boolean> {
    return this.asking.try(async () => {
      this.history.begin(task.id);
      await this.#run(task, before, again === undefined ? {} : { again });
    });
  }

  async #run(
    task: Task,
    before: string,
    { restored, again }: { restored?: RunConfig['restored']; again?: Again },
  ): Promise<void> {
    const settings = await this.models.known();
    const { connection, session, clock, heads } = this.#deps;
    const view = this.history.view(task.id);
    const { profile, guide, ...planner } = await this.#planners.of(task, {
      again,
      steps: restored?.steps,
      view,
    });
    const thinks = profile !== undefined && guide === undefined;
    if (thinks) await this.models.loadServers();
    const run = new Run({
      task: { ...task, ...(profile !== undefined && { profile: profile.id }) },
      world: {
        connection,
        tabs: () => session.tabs,
        viewer: () => heads.panel,
        file: (path) => this.history.file(path),
        whole: guide !== undefined,
        pause: () => {
          this.pause(task.id);
        },
      },
      writing: {
        live: (signal) => this.#again.after(signal),
        count: () => (this.#count += 1),
      },
      settings,
      vision: profile?.vision === true,
      servers: thinks && this.models.servers.length > 0,
      clock,
      before,
      first: before === '' || restored !== undefined ? undefined : { before },
      ...planner,
      ...(restored !== undefined && { restored }),
      show: (event, head) => {
        heads.put(head);
        this.#adopt(head);
        view.index = Math.max(view.index, head.index);
        if (event.kind === 'step') guide?.told(event.step);
        view.apply(event);
        // No tab shows the task any more.
        if (event.kind !== 'end') return;
        const { text } = event.outcome;
        if (text === allClosed || homeless(head, session.tabs))
          this.lost = `“${head.title}” has ended: ${text}`;
      },
    });
    view.before = before;
    if (again !== undefined) view.recipe = again.recipe;
    this.#runs.set(task.id, run);
    heads.put(run.head);
    const beside = task.tab === undefined ? undefined : this.#chosen.get(task.tab);
    if (task.tab !== undefined) this.#chosen.set(task.tab, task.id);
    void run
      .run()
      .catch((error: unknown) => {
        this.asking.say(error);
        if (!run.kept && restored === undefined && task.asker === undefined) {
          // The task was never stored.
          heads.remove(task.id);
          if (task.tab !== undefined) this.#chosen.set(task.tab, beside ?? '');
          this.unbegun = task.goal;
        } else if (!isOver(run.head)) heads.put(interrupted(run.head, error));
      })
      .finally(() => {
        this.#runs.delete(task.id);
        this.#planners.forget(task.id);
        view.rest();
      });
  }
}

/** A task that no panel runs any more because of an error. */
function interrupted(task: Task, error: unknown): Task {
  const why = error instanceof RefusedError ? error : undefined;
  return {
    ...task,
    state: TaskInterrupted,
    ...(why && { error: { code: why.code, message: why.message, hint: why.hint } }),
  };
}
