import type { Cancel, Clock } from '../../core/clock';
import { DRAFT_LATEST, DRAFT_QUIET } from '../../core/timing';

/**
 * Keeps a text that is being typed somewhere safe: a little after the last key,
 * and while somebody types on and on, now and then all the same.
 */
export class Draft {
  readonly #clock: Clock;
  readonly #save: (text: string) => void;
  #text: string | undefined;
  #quiet: Cancel = () => undefined;
  #latest: Cancel | undefined;

  constructor(clock: Clock, save: (text: string) => void) {
    this.#clock = clock;
    this.#save = save;
  }

  /** The text is this now. */
  change(text: string): void {
    this.#text = text;
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
    const text = this.#text;
    this.#text = undefined;
    if (text !== undefined) this.#save(text);
  }

  /** Forgets what is not saved: it was sent. */
  drop(): void {
    this.#text = undefined;
    this.flush();
  }
}
