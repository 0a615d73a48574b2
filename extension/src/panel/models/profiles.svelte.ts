import {
  llmLocalReplySchema,
  llmModelsReplySchema,
  llmStateSchema,
  llmVerdictSchema,
} from '$ui/protocol/schemas/llm';
import type { ModelStore } from '$ui/models/profiles';
import type {
  LLMLocal,
  LLMModel,
  LLMProfile,
  LLMSaveRequest,
  LLMState,
  LLMVerdict,
} from '$ui/protocol/protocol';
import { MODEL_TIMEOUT } from '../core/timing';
import type { Asking, Problem } from '../task/state/asking.svelte';

/** The app gives up a model that hangs, and reports that. */
const slow = { timeout: MODEL_TIMEOUT };

/** The model profiles, read and changed over HTTP. */
export class Profiles implements ModelStore {
  /** Undefined until they are loaded. */
  llm = $state.raw<LLMState>();
  protected readonly asking: Asking;

  constructor(asking: Asking) {
    this.asking = asking;
  }

  /** Why the last request failed. */
  get problem(): Problem | undefined {
    return this.asking.problem;
  }

  /** Loads the profiles. */
  async fetch(): Promise<void> {
    await this.asking.try(async () => {
      this.llm = await this.asking.ask('/llm/profiles', {}, llmStateSchema);
    });
  }

  /** One profile, once they are loaded. */
  get(id: string | undefined): LLMProfile | undefined {
    return this.llm?.profiles.find((one) => one.id === id);
  }

  async saveModel(request: LLMSaveRequest): Promise<boolean> {
    return this.asking.try(async () => {
      this.llm = await this.asking.ask('/llm/save', request, llmStateSchema);
    });
  }

  async deleteModel(profile: string): Promise<boolean> {
    return this.asking.try(async () => {
      this.llm = await this.asking.ask('/llm/delete', { profile }, llmStateSchema);
    });
  }

  async models(profile: string): Promise<LLMModel[]> {
    let found: LLMModel[] = [];
    await this.asking.try(async () => {
      const reply = await this.asking.ask('/llm/models', { profile }, llmModelsReplySchema, slow);
      found = reply.models;
    });
    return found;
  }

  async test(profile: string): Promise<LLMVerdict | undefined> {
    let verdict: LLMVerdict | undefined;
    await this.asking.try(async () => {
      verdict = await this.asking.ask('/llm/test', { profile }, llmVerdictSchema, slow);
    });
    return verdict;
  }

  /** Lists the model servers on this machine. */
  async local(): Promise<LLMLocal[]> {
    let found: LLMLocal[] = [];
    await this.asking.try(async () => {
      ({ found } = await this.asking.ask('/llm/local', {}, llmLocalReplySchema));
    });
    return found;
  }
}
