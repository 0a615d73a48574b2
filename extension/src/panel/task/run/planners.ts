import type {
  LLMProfile,
  Task,
  TaskID,
  TaskPlainReply,
  TaskPlainRequest,
} from '$ui/protocol/protocol';
import { taskPlainReplySchema } from '$ui/protocol/schemas/task';
import { COMMAND_TIMEOUT } from '../../core/timing';
import type { Recipe } from '../core/recipe';
import type { Replay } from '../core/replay';
import type { Model, Step } from '../core/types';
import { modelOf } from '../models/models';
import { carriedOut, instructionsIn, Plain } from './plain';
import { replayOf } from './replaying';
import type { Dependencies } from '../state/tasks.svelte';
import type { TaskView } from '../state/view.svelte';
import type { TaskModels } from '../state/models.svelte';

/** A replay to start or to resume. */
export interface Again {
  readonly recipe: Recipe;
  readonly values: Readonly<Record<string, string>>;
  readonly done: number;
}

/** The planner of a task. */
export interface Thinking {
  readonly model: Model;
  /** The model that summarises old steps. */
  readonly summary: Model;
  /** The profile of the model; undefined if no model is used. */
  readonly profile: LLMProfile | undefined;
  /** What takes the place of the model, and asks questions of its own. */
  readonly guide?: Replay | Plain;
  /** Written before the first step, so that the task can be resumed. */
  readonly first?: unknown;
  /** Values that must not be written anywhere. */
  readonly secrets: readonly string[];
}

/** What a planner is made for. */
export interface Purpose {
  readonly again?: Again | undefined;
  /** The steps of an interrupted task. */
  readonly steps?: readonly Step[] | undefined;
  readonly view: TaskView;
}

export interface PlannersConfig extends Pick<Dependencies, 'connection' | 'heads'> {
  readonly models: TaskModels;
  /** The current tab of a task, and all its tabs. */
  readonly tab: (task: Task) => string;
  readonly tabs: (task: Task) => readonly string[];
}

/** A model without summaries; the list of the steps' goals is used instead. */
const silent: Model = { complete: () => Promise.resolve({ text: '', tokens: 0 }) };

/**
 * The planners of the tasks that run in this panel: a model, a recording, or plain
 * instructions where there is no model.
 */
export class Planners {
  readonly #config: PlannersConfig;
  readonly #guides = new Map<TaskID, Replay | Plain>();

  constructor(config: PlannersConfig) {
    this.#config = config;
  }

  /** Makes the planner of a task. */
  async of(task: Task, { again, steps, view }: Purpose): Promise<Thinking> {
    const { models } = this.#config;
    const profile = models.llm?.profiles.find(({ id }) => id === task.profile) ?? models.profile;
    const plain = again === undefined && (view.plain || profile === undefined);
    const [own, short] = plain || profile === undefined ? [] : await this.#models(profile);
    if (plain) {
      const guide = await this.#plain(task, view, steps);
      this.#guides.set(task.id, guide);
      view.plain = true;
      return {
        model: guide,
        summary: silent,
        profile: undefined,
        guide,
        secrets: [],
        ...(steps === undefined && { first: { plain: true } }),
      };
    }
    if (again === undefined) {
      if (own === undefined || short === undefined) throw new Error('There is no model.');
      return { model: own, summary: short, profile, secrets: [] };
    }
    const guide = this.#replay(task, again, own);
    this.#guides.set(task.id, guide);
    return {
      model: guide,
      summary: short ?? silent,
      profile,
      guide,
      secrets: again.recipe.params.flatMap(({ name, secret }) => {
        const value = again.values[name];
        return secret && value !== undefined && value !== '' ? [value] : [];
      }),
      ...(steps === undefined && { first: { recipe: again.recipe } }),
    };
  }

  /** Forgets the planner of a task that has ended or was interrupted. */
  forget(id: TaskID): void {
    this.#guides.delete(id);
  }

  /** Reads plain instructions. */
  read(text: string): Promise<TaskPlainReply> {
    return this.#ask({ text });
  }

  /**
   * Adds a message of the user to a task of plain instructions, as further
   * instructions. Returns why it is not an instruction; empty if it was added, or
   * if it is an answer.
   */
  async take(id: TaskID, text: string): Promise<string> {
    const guide = this.#guides.get(id);
    if (!(guide instanceof Plain) || guide.choices.length > 0) return '';
    const { steps, unknown = '' } = await this.read(text);
    guide.add(text, steps);
    return unknown;
  }

  /** The models of a profile: the planner's, and the one that summarises old steps. */
  async #models(profile: LLMProfile): Promise<[Model, Model]> {
    const { connection, models } = this.#config;
    const call = (of: LLMProfile) => (_: string | URL | Request, init?: RequestInit) =>
      connection.stream(`/llm/call?profile=${encodeURIComponent(of.id)}`, init);
    const short = models.llm?.profiles.find((one) => one.for.includes('summary')) ?? profile;
    return Promise.all([modelOf(profile, call(profile)), modelOf(short, call(short))]);
  }

  #replay(task: Task, again: Again, model: Model | undefined): Replay {
    const { connection, heads, tab, tabs } = this.#config;
    return replayOf({
      ...again,
      task: task.id,
      world: { connection, viewer: () => heads.panel },
      tab: () => tab(task),
      tabs: () => tabs(task),
      model,
    });
  }

  async #plain(task: Task, view: TaskView, steps?: readonly Step[]): Promise<Plain> {
    const { heads, tab } = this.#config;
    const plain = new Plain({
      ask: (asked, signal) =>
        this.#ask({ ...asked, task: task.id, viewer: heads.panel, tab: tab(task) }, signal),
      done: steps === undefined ? 0 : carriedOut(steps),
    });
    const texts = steps === undefined ? [task.goal] : instructionsIn(task.goal, view.lines);
    for (const text of texts) {
      const { steps: titles, unknown } = await this.read(text);
      // Only the goal must be an instruction. A later message that is none is
      // ignored, as it was before.
      if (unknown !== undefined && text === task.goal) throw new Error(unknown);
      plain.add(text, titles);
    }
    return plain;
  }

  #ask(request: TaskPlainRequest, signal?: AbortSignal): Promise<TaskPlainReply> {
    return this.#config.connection.request('/task/plain', request, taskPlainReplySchema, {
      timeout: COMMAND_TIMEOUT,
      ...(signal !== undefined && { signal }),
    });
  }
}
