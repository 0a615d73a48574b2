import type { ModelStore } from '$ui/models/profiles';
import type {
  LLMLocal,
  LLMModel,
  LLMSaveRequest,
  LLMState,
  LLMVerdict,
} from '$ui/protocol/protocol';
import { sentence } from '$ui/words';
import { asBackendError, type Backend } from '../backend';

/** The model profiles as the window has them. */
export class Models implements ModelStore {
  llm = $state.raw<LLMState>();
  problem = $state.raw<{ readonly message: string; readonly hint: string }>();
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Requests the model profiles: at first, and after the panel has changed one. */
  load(): Promise<boolean> {
    return this.#try(async () => {
      this.llm = await this.#backend.models();
    });
  }

  saveModel(request: LLMSaveRequest): Promise<boolean> {
    return this.#try(async () => {
      this.llm = await this.#backend.saveModel(request);
    });
  }

  deleteModel(profile: string): Promise<boolean> {
    return this.#try(async () => {
      this.llm = await this.#backend.deleteModel(profile);
    });
  }

  async models(profile: string): Promise<LLMModel[]> {
    let found: LLMModel[] = [];
    await this.#try(async () => {
      found = await this.#backend.listModels(profile);
    });
    return found;
  }

  async test(profile: string): Promise<LLMVerdict | undefined> {
    let verdict: LLMVerdict | undefined;
    await this.#try(async () => {
      verdict = await this.#backend.testModel(profile);
    });
    return verdict;
  }

  async local(): Promise<LLMLocal[]> {
    let found: LLMLocal[] = [];
    await this.#try(async () => {
      found = await this.#backend.localModels();
    });
    return found;
  }

  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.problem = undefined;
      return true;
    } catch (reason) {
      const { message, hint } = asBackendError(reason);
      this.problem = { message: sentence(message), hint: sentence(hint) };
      return false;
    }
  }
}
