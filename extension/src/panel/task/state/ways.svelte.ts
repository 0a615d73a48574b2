import type { LLMProfile } from '$ui/protocol/protocol';
import { Profiles } from '../../models/profiles.svelte';
import { moveKeys } from './oldkeys';
import { readSettings, writeSettings, type TaskSettings } from './settings';

/** The ways to a model, and what a person sets for tasks. */
export class Ways extends Profiles {
  settings = $state.raw<TaskSettings>();
  /** Keys of an older version were looked for. */
  #moved = false;
  #loading: Promise<void> | undefined;

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
    await this.fetch();
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
}
