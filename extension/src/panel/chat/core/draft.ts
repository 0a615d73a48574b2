import type { Cancel, Clock } from '../../core/clock';
import { DRAFT_LATEST, DRAFT_QUIET } from '../../core/timing';

/** A draft. */
export interface Drafted {
  readonly text: string;
  /** The id of the message it was sent as, if it is unknown whether that arrived. */
  readonly of?: string | undefined;
}

/** Saves a draft: shortly after the last key, and from time to time while the user keeps typing. */
export class Draft {
  readonly #clock: Clock;
  /** Saves a draft. It reports errors itself and does not throw. */
  readonly #save: (draft: Drafted) => Promise<unknown>;
  /**
   * The save in progress. A later draft waits for it, so that an older text is
   * never saved last.
   */
  #saving: Promise<void> | undefined;
  #next: Drafted | undefined;
  /** Whether a draft is saved, and whether it has been sent since. */
  #kept = false;
  #sent = false;
  #draft: Drafted | undefined;
  #quiet: Cancel = () => undefined;
  #latest: Cancel | undefined;

  constructor(clock: Clock, save: (draft: Drafted) => Promise<unknown>) {
    this.#clock = clock;
    this.#save = save;
  }

  /** Records the current text. */
  change(draft: Drafted): void {
    this.#draft = draft;
    this.#quiet();
    this.#quiet = this.#clock.after(DRAFT_QUIET, () => {
      this.flush();
    });
    this.#latest ??= this.#clock.after(DRAFT_LATEST, () => {
      this.flush();
    });
  }

  /** Saves an unsaved text now, because the panel closes or the user leaves the conversation. */
  flush(): void {
    this.#quiet();
    this.#latest?.();
    this.#latest = undefined;
    const draft = this.#draft;
    this.#draft = undefined;
    if (draft !== undefined) this.#keep(draft);
  }

  /** Discards the unsaved text, because it is being sent. */
  drop(): void {
    this.#draft = undefined;
    this.flush();
    this.#sent = this.#kept;
  }

  /** Clears the saved draft after it was sent. `known` tells that the backend reports a draft. */
  clear(known: boolean): void {
    if (this.#sent || (known && !this.#kept)) this.#keep({ text: '' });
  }

  #keep(draft: Drafted): void {
    this.#kept = draft.text !== '';
    this.#sent = false;
    if (this.#saving) this.#next = draft;
    else this.#saving = this.#run(draft);
  }

  /** Resolves when no save is in progress, so that a save cannot overtake a message. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  async #run(draft: Drafted): Promise<void> {
    for (let now: Drafted | undefined = draft; now !== undefined;) {
      this.#next = undefined;
      await this.#save(now);
      now = this.#next;
    }
    this.#saving = undefined;
  }
}
