import type { LLMProfile } from '$ui/protocol/protocol';
import { Profiles } from '../../models/profiles.svelte';
import { taskToolsReplySchema } from '$ui/protocol/schemas/tasktools';
import { moveKeys } from './oldkeys';
import { readSettings, withoutModel, writeSettings, type TaskSettings } from './settings';

/** The model profiles, the user's settings for tasks, and the servers that tasks may use. */
export class TaskModels extends Profiles {
  settings = $state.raw<TaskSettings>();
  /** The names of the user's MCP servers that tasks may use, or are asked about. */
  servers = $state.raw<readonly string[]>([]);
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
    await Promise.all([this.fetch(), this.loadServers()]);
    if (this.llm === undefined || this.#moved) return;
    this.#moved = true;
    await moveKeys(this.llm.providers, (request) => this.saveModel(request));
  }

  /** Loads the names of the servers. The list may be changed outside of the panel. */
  async loadServers(): Promise<void> {
    try {
      const { servers } = await this.asking.ask('/task/tools', {}, taskToolsReplySchema);
      this.servers = servers.map(({ name }) => name);
    } catch {
      this.servers = []; // a task works without them; what is wrong with the app shows elsewhere
    }
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

  /**
   * The model for a task: the chosen one, else the first one for tasks, else the first one. Undefined
   * if there is none, or if the user wants tasks without one.
   */
  get profile(): LLMProfile | undefined {
    if (this.settings?.profile === withoutModel) return undefined;
    const all = this.llm?.profiles ?? [];
    return (
      all.find(({ id }) => id === this.settings?.profile) ??
      all.find((one) => one.for.includes('task')) ??
      all[0]
    );
  }
}
