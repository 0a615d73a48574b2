import { SvelteMap } from 'svelte/reactivity';
import { asBackendError, sentence, type Backend, type BackendError } from '../backend';
import type { SessionInfo, Setting, Settings, SettingsRegistry } from '$ui/protocol/protocol';
import { same, topOf, valueAt, withValue } from './registry';

/** The place of a setting's value, as in Setting.field. */
export type FieldName = string;

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
  draft = $state.raw<Settings>();
  registry = $state.raw<SettingsRegistry>();
  failure = $state.raw<BackendError>();
  errors = $state.raw<Readonly<Record<FieldName, string>>>({});
  /** The field that was saved last, for savedLife. */
  saved = $state<FieldName>();
  /** Changed fields that wait for a restart, with the start time of the session run. */
  readonly #waiting = new SvelteMap<FieldName, string>();
  #queue: Promise<unknown> = Promise.resolve();
  #savedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** The settings that are in force. */
  get kept(): Settings | undefined {
    return this.#kept;
  }

  /** Requests the settings; what the user is editing stays. */
  async load(): Promise<void> {
    this.failure = undefined;
    try {
      this.registry ??= await this.#backend.settingsRegistry();
      // Not while a save is on its way: the answer would be older than that.
      await this.#next(async () => {
        this.#take(await this.#backend.settings());
        return true;
      });
    } catch (reason) {
      this.failure = asBackendError(reason);
    }
  }

  /** Puts a value into the draft; save saves it. */
  put(field: FieldName, value: unknown): void {
    if (this.draft) this.draft = withValue(this.draft, field, value);
  }

  /**
   * Saves one field of the draft. `run` is the start time of the session that must restart for a
   * setting that is read at its start; undefined when no session runs.
   */
  save(field: FieldName, run?: string): Promise<boolean> {
    return this.#next(() => {
      const draft = this.draft;
      return draft ? this.#save({ [field]: valueAt(draft, field) }, field, run, true) : false;
    });
  }

  /** Gives settings other values, all at once. */
  apply(values: Record<FieldName, unknown>, run?: string): Promise<boolean> {
    return this.#next(() => this.#save(values, Object.keys(values)[0] ?? '', run));
  }

  /** The values that settings have now, for undoing. */
  values(settings: readonly Setting[]): Record<FieldName, unknown> {
    const kept = this.#kept;
    if (!kept) return {};
    return Object.fromEntries(settings.map(({ field }) => [field, valueAt(kept, field)]));
  }

  // One after the other: each request carries all settings, so two at the same time would
  // overwrite each other.
  #next(work: () => Promise<boolean> | boolean): Promise<boolean> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #save(
    values: Record<FieldName, unknown>,
    field: FieldName,
    run?: string,
    typed = false,
  ): Promise<boolean> {
    const kept = this.#kept;
    if (!kept) return false;
    let wanted = kept;
    for (const [name, value] of Object.entries(values)) wanted = withValue(wanted, name, value);
    if (same(wanted, kept)) {
      for (const name of Object.keys(values)) this.#setError(name, undefined);
      return true;
    }
    try {
      const now = await this.#backend.saveSettings(wanted);
      this.#kept = now;
      for (const name of Object.keys(values)) {
        this.#setError(name, undefined);
        // What the user has typed since stays.
        const later = typed && !same(this.draft && valueAt(this.draft, name), values[name]);
        if (!later) this.put(name, valueAt(now, name));
        const setting = this.registry?.settings.find((one) => one.field === name);
        if (run !== undefined && setting?.atSessionStart) this.#waiting.set(name, run);
      }
      this.#sayQuietly(field);
      return true;
    } catch (reason) {
      const error = asBackendError(reason);
      const named = error.field === '' || error.field === topOf(field) ? field : error.field;
      this.#setError(named, sentence(error.text));
      return false;
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
    for (const field of Object.keys(settings) as (keyof Settings)[]) {
      if (same(this.draft[field], before[field])) this.put(field, settings[field]);
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
