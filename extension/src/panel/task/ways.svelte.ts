import {
  llmLocalReplySchema,
  llmModelsReplySchema,
  llmStateSchema,
  llmVerdictSchema,
} from '$ui/protocol/task';
import type {
  LLMLocal,
  LLMModel,
  LLMProfile,
  LLMSaveRequest,
  LLMState,
  LLMVerdict,
} from '$ui/protocol/protocol';
import { MODEL_TIMEOUT } from '../core/timing';
import type { Asking, Problem } from './asking.svelte';
import { moveKeys } from './oldkeys';
import { readSettings, writeSettings, type TaskSettings } from './settings';

/** A model that hangs is given up by the app, which says so. */
const slow = { timeout: MODEL_TIMEOUT };

/** The ways to a model, and what a person sets for tasks. */
export class Ways {
  /** Undefined until they are known. */
  llm = $state.raw<LLMState>();
  settings = $state.raw<TaskSettings>();
  readonly #asking: Asking;
  /** Keys of an older version were looked for. */
  #moved = false;
  #loading: Promise<void> | undefined;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Why the last thing that was asked for did not work. */
  get problem(): Problem | undefined {
    return this.#asking.problem;
  }

  /** Resolves when the ways are known, or, with the problem said, cannot be had. */
  async ready(): Promise<void> {
    if (this.llm === undefined) await (this.#loading ?? this.load());
  }

  /** Reads what the face needs, once it is looked at. */
  load(): Promise<void> {
    const loading = this.#load().finally(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    this.#loading = loading;
    return loading;
  }

  async #load(): Promise<void> {
    this.settings = await readSettings();
    await this.#asking.try(async () => {
      this.llm = await this.#asking.ask('/llm/profiles', {}, llmStateSchema);
    });
    if (this.llm === undefined || this.#moved) return;
    this.#moved = true;
    await moveKeys(this.llm.providers, (request) => this.saveModel(request));
  }

  /** The settings, read when they are not known yet. */
  async known(): Promise<TaskSettings> {
    return this.settings ?? (await readSettings());
  }

  async set(part: Partial<TaskSettings>): Promise<void> {
    const settings = { ...(await this.known()), ...part };
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

  async saveModel(request: LLMSaveRequest): Promise<boolean> {
    return this.#asking.try(async () => {
      this.llm = await this.#asking.ask('/llm/save', request, llmStateSchema);
    });
  }

  async deleteModel(profile: string): Promise<boolean> {
    return this.#asking.try(async () => {
      this.llm = await this.#asking.ask('/llm/delete', { profile }, llmStateSchema);
    });
  }

  async models(profile: string): Promise<LLMModel[]> {
    let found: LLMModel[] = [];
    await this.#asking.try(async () => {
      const reply = await this.#asking.ask('/llm/models', { profile }, llmModelsReplySchema, slow);
      found = reply.models;
    });
    return found;
  }

  async test(profile: string): Promise<LLMVerdict | undefined> {
    let verdict: LLMVerdict | undefined;
    await this.#asking.try(async () => {
      verdict = await this.#asking.ask('/llm/test', { profile }, llmVerdictSchema, slow);
    });
    return verdict;
  }

  /** Model servers on this machine. */
  async local(): Promise<LLMLocal[]> {
    let found: LLMLocal[] = [];
    await this.#asking.try(async () => {
      ({ found } = await this.#asking.ask('/llm/local', {}, llmLocalReplySchema));
    });
    return found;
  }
}
