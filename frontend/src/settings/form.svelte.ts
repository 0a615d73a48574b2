import { SvelteMap } from 'svelte/reactivity';
import { asBackendError, sentence, type Backend, type BackendError } from '../backend';
import type { SessionInfo, Settings } from '$ui/protocol/protocol';

export type FieldName = keyof Settings;

/** Settings that a session reads only when it starts. */
export const atSessionStart: readonly FieldName[] = ['browserPath', 'profileDir', 'startUrl'];

/** How long "Saved" is shown beside a field, in milliseconds. */
export const savedLife = 2_000;

/**
 * The settings while the user edits them. Each field is saved on its own when it loses focus. A
 * field that is refused keeps the typed text, with the reason below it.
 */
export class SettingsForm {
  readonly #backend: Backend;
  /** The settings that the backend has; undefined until they were requested. */
  #kept = $state.raw<Settings>();
  draft = $state<Settings>();
  failure = $state.raw<BackendError>();
  errors = $state.raw<Readonly<Partial<Record<FieldName, string>>>>({});
  /** The field that was saved last, for savedLife. */
  saved = $state<FieldName>();
  /** Changed fields that wait for a restart, with the start time of the session run. */
  readonly #waiting = new SvelteMap<FieldName, string>();
  #queue: Promise<void> = Promise.resolve();
  #savedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Requests the settings; what the user is editing stays. */
  async load(): Promise<void> {
    this.failure = undefined;
    try {
      this.#take(await this.#backend.settings());
    } catch (reason) {
      this.failure = asBackendError(reason);
    }
  }

  /**
   * Saves one field of the draft. `run` is the start time of the session that must restart for a
   * setting of atSessionStart; undefined when no session runs.
   */
  save(field: FieldName, run?: string): Promise<void> {
    // One after the other: each request carries all settings, so two at the same time would
    // overwrite each other.
    this.#queue = this.#queue.then(() => this.#save(field, run));
    return this.#queue;
  }

  async #save(field: FieldName, run: string | undefined): Promise<void> {
    const kept = this.#kept;
    const draft = this.draft;
    if (!kept || !draft) return;
    if (draft[field] === kept[field]) {
      this.#setError(field, undefined);
      return;
    }
    try {
      const now = await this.#backend.saveSettings({ ...kept, [field]: draft[field] });
      this.#setError(field, undefined);
      this.#kept = now;
      Object.assign(draft, { [field]: now[field] });
      this.#sayQuietly(field);
      if (run !== undefined && atSessionStart.includes(field)) {
        this.#waiting.set(field, run);
      }
    } catch (reason) {
      const error = asBackendError(reason);
      const named = error.field in kept ? (error.field as FieldName) : field;
      this.#setError(named, sentence(error.text));
    }
  }

  /** Whether a saved field waits for this session to restart. */
  waits(field: FieldName, session: SessionInfo | undefined): boolean {
    const run = this.#waiting.get(field);
    return run !== undefined && session?.startedAt === run;
  }

  #take(settings: Settings): void {
    const before = this.#kept;
    this.#kept = settings;
    if (!this.draft || !before) {
      this.draft = { ...settings };
      return;
    }
    for (const field of Object.keys(settings) as FieldName[]) {
      if (this.draft[field] === before[field]) {
        Object.assign(this.draft, { [field]: settings[field] });
      }
    }
  }

  #setError(field: FieldName, text: string | undefined): void {
    const others = Object.entries(this.errors).filter(([name]) => name !== field);
    this.errors = Object.fromEntries(text === undefined ? others : [...others, [field, text]]);
  }

  #sayQuietly(field: FieldName): void {
    clearTimeout(this.#savedTimer);
    this.saved = field;
    this.#savedTimer = setTimeout(() => {
      this.saved = undefined;
    }, savedLife);
  }
}
