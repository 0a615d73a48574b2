import type { Tell } from './events';
import type { RunControl } from './runcontrol';
import { ModelError, type Answer, type Model, type Prompt } from './types';

/** How often a model is asked in all if it gives no answer. */
const attempts = 3;
/**
 * The delay before the first retry in milliseconds, if the model's error names
 * none. It doubles.
 */
const againAfter = 1000;

/** The model as the loop asks it: with retries, and with all tokens counted. */
export class Planner {
  #tokens = 0;

  constructor(
    private readonly model: Model,
    private readonly control: RunControl,
    private readonly tell: Tell,
  ) {}

  /** Tokens used so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Adds tokens that were used elsewhere. */
  count(tokens: number): void {
    this.#tokens += tokens;
  }

  /**
   * Asks the model, with retries where they may help. Throws ModelError when there
   * is no answer.
   */
  async ask(prompt: Prompt): Promise<Answer> {
    const { signal } = this.control;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await this.model.complete(prompt, signal);
        // A model may ignore the signal; its answer is then discarded.
        signal.throwIfAborted();
        this.#tokens += answer.tokens;
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelError) || !error.again || attempt >= attempts) throw error;
        const wait = error.wait > 0 ? error.wait : againAfter * 2 ** (attempt - 1);
        await this.tell({
          kind: 'notice',
          text: `${error.message} Trying again in ${String(Math.ceil(wait / 1000))} s.`,
        });
        await this.control.rest(wait);
      }
    }
  }
}
