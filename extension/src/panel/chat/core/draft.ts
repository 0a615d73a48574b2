import type { Cancel, Clock } from '../../core/clock';
import { DRAFT_LATEST, DRAFT_QUIET } from '../../core/timing';

/** A text that is being typed. */
export interface Drafted {
  readonly text: string;
  /** The message that it was sent as, when nobody knows whether it arrived. */
  readonly of?: string | undefined;
}

/**
 * Keeps a text that is being typed somewhere safe: a little after the last key,
 * and while somebody types on and on, now and then all the same.
 */
export class Draft {
  readonly #clock: Clock;
  /** Keeps a text; it says itself what went wrong, and does not throw. */
  readonly #save: (draft: Drafted) => Promise<unknown>;
  /** A save is under way; what comes meanwhile follows it: an older text must not come last. */
  #saving: Promise<void> | undefined;
  #next: Drafted | undefined;
  /** Something is saved, and it was sent since. */
  #kept = false;
  #sent = false;
  #draft: Drafted | undefined;
  #quiet: Cancel = () => undefined;
  #latest: Cancel | undefined;

  constructor(clock: Clock, save: (draft: Drafted) => Promise<unknown>) {
    this.#clock = clock;
    this.#save = save;
  }

  /** The text is this now. */
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

  /** Saves what is not saved yet, now: the panel goes, or the conversation is left. */
  flush(): void {
    this.#quiet();
    this.#latest?.();
    this.#latest = undefined;
    const draft = this.#draft;
    this.#draft = undefined;
    if (draft !== undefined) this.#keep(draft);
  }

  /** Forgets what is not saved: it is sent. */
  drop(): void {
    this.#draft = undefined;
    this.flush();
    this.#sent = this.#kept;
  }

  /** It was sent: nothing of it stays saved; `known` is that somebody else knows of a text. */
  clear(known: boolean): void {
    if (this.#sent || (known && !this.#kept)) this.#keep({ text: '' });
  }

  #keep(draft: Drafted): void {
    this.#kept = draft.text !== '';
    this.#sent = false;
    if (this.#saving) this.#next = draft;
    else this.#saving = this.#run(draft);
  }

  /** Returns when no save is under way: what is sent must not be overtaken by it. */
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
