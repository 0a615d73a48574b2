import type { LLMProfile } from '$ui/protocol/protocol';
import { Profiles } from '../../models/profiles.svelte';
import { moveKeys } from './oldkeys';
import { readSettings, writeSettings, type TaskSettings } from './settings';

/** The model profiles, and the user's settings for tasks. */
export class TaskModels extends Profiles {
  settings = $state.raw<TaskSettings>();
  /** Whether keys of an older version were already looked for. */
  #moved = false;
  #loading: Promise<void> | undefined;

  /** Resolves when the profiles are loaded, or could not be loaded; the problem is then shown. */
  async ready(): Promise<void> {
    if (this.llm === undefined) await (this.#loading ?? this.load());
  }

  /** Loads the settings and the profiles. */
  load(): Promise<void> {
    const loading = this.#load().finally(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    this.#loading = loading;
    return loading;
  }

  async #load(): Promise<void> {
    this.settings = await readSettings();
    await this.fetch();
    if (this.llm === undefined || this.#moved) return;
    this.#moved = true;
    await moveKeys(this.llm.providers, (request) => this.saveModel(request));
  }

  /** The settings; they are read first if necessary. */
  async known(): Promise<TaskSettings> {
    return this.settings ?? (await readSettings());
  }

  async set(part: Partial<TaskSettings>): Promise<void> {
    const settings = { ...(await this.known()), ...part };
    this.settings = settings;
    await writeSettings(settings);
  }

  /** The model for a task: the chosen one, else the first one for tasks, else the first one. */
  get profile(): LLMProfile | undefined {
    const all = this.llm?.profiles ?? [];
    return (
      all.find(({ id }) => id === this.settings?.profile) ??
      all.find((one) => one.for.includes('task')) ??
      all[0]
    );
  }
}
