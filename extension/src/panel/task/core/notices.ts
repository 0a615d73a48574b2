import { calledIn } from './element';
import type { Tell } from './events';
import type { Action, PerformedAction, Observation, Step } from './types';
import { inWords, resultWords } from './words';

/** After this many failures of the same action the model is asked to do something else. */
const repeats = 2;
/** After this many failures of the same action the user is asked. */
const patience = 3;
/** The model is notified when this many steps are left. */
const warnings: readonly number[] = [5, 1];

/** The notice to the user about a tab in which the page's own events are used. */
const aside =
  'The browser does not let Pilotfish control this tab. The task continues with simulated page events: the page can tell that they are simulated, and some actions are not possible.';

/** What the model is sent in its next turn in addition to the page. */
export class Notices {
  #list: string[] = [];
  /** How many notices are in the current prompt. */
  #asked = 0;
  /** How often each action failed with the same code on the current page. */
  readonly #failures = new Map<string, number>();
  #failedOn = '';
  #before = { url: '', tab: '' };
  /** Why the last snapshot failed. */
  #refused = '';
  /** Whether the last snapshot was taken by the content script. */
  #byPage = false;

  constructor(private readonly tell: Tell) {}

  /** The notices for the prompt that is being made. */
  take(): readonly string[] {
    this.#asked = this.#list.length;
    return [...this.#list];
  }

  /** Adds a notice for the model only; the user knows it already. */
  add(text: string): void {
    // A repeated turn must not add a notice twice.
    if (!this.#list.includes(text)) this.#list.push(text);
  }

  /** Adds a notice for the model and the user, who may read it in other words. */
  async say(text: string, shown = text): Promise<void> {
    this.add(text);
    await this.tell({ kind: 'notice', text: shown });
  }

  /**
   * Removes the notices that the answered prompt contained. Those added since stay
   * for the next prompt.
   */
  told(): void {
    this.#list = this.#list.slice(this.#asked);
  }

  /** Adds the notices that a new snapshot calls for. */
  async observe(page: Observation, left: number): Promise<void> {
    const { backgroundEvents, refused } = page;
    if (backgroundEvents !== undefined) {
      this.add(`Meanwhile, by itself:\n${backgroundEvents.told}`);
      for (const text of backgroundEvents.lines) await this.tell({ kind: 'notice', text });
    }
    // The user sees a dialog themselves.
    const why = refused === undefined || refused.code === 'dialog' ? '' : refused.message;
    if (why !== '' && why !== this.#refused)
      await this.tell({ kind: 'notice', text: `The page cannot be read: ${why}` });
    this.#refused = why;
    // The model reads this in each snapshot.
    if (page.byPage === true && !this.#byPage) await this.tell({ kind: 'notice', text: aside });
    this.#byPage = page.byPage === true;
    if (warnings.includes(left))
      this.add(`Only ${String(left)} ${left === 1 ? 'step is' : 'steps are'} left.`);
    if (this.#before.tab === page.tab && this.#before.url !== '' && this.#before.url !== page.url)
      this.add(`The page is another one now: ${page.url}`);
    this.#before = { url: page.url, tab: page.tab };
  }

  /** Adds that the rest of a step's actions was not carried out. */
  left(rest: number, why: string): void {
    this.add(
      `${String(rest)} further ${rest === 1 ? 'action was' : 'actions were'} not done, because ${why}.`,
    );
  }

  /** Records the results of a step. Returns the action that failed too often, or undefined. */
  done(step: Step): PerformedAction | undefined {
    // Forget the URL: the step itself left the page, so the next URL is no surprise
    // and is unknown until the next snapshot.
    if (step.deeds.some(({ result }) => result.moved === true)) this.#before = { url: '', tab: '' };
    const page = `${step.tab} ${step.url}`;
    if (page !== this.#failedOn) this.#failures.clear();
    this.#failedOn = page;
    const bad = step.deeds.find(({ result }) => !result.ok);
    for (const { action, result } of step.deeds) if (result.ok) this.#forget(action);
    if (bad === undefined) return undefined;
    const key = JSON.stringify(bad.action) + (bad.result.code ?? '');
    const times = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, times);
    if (times >= patience) {
      this.#failures.delete(key);
      return bad;
    }
    if (times >= repeats)
      this.add(
        `The same action failed ${String(times)} times in the same way. Do something else, ask the person, or end the task.`,
      );
    return undefined;
  }

  #forget(action: Action): void {
    const begun = JSON.stringify(action);
    for (const key of this.#failures.keys()) if (key.startsWith(begun)) this.#failures.delete(key);
  }
}

/** The question to the user about an action that keeps failing. */
export function stuck({ action, result, target }: PerformedAction): string {
  const why =
    resultWords(result)
      .split('\n')
      .find((line) => line !== '') ?? '';
  const what = inWords(action, calledIn(target));
  return `“${what}” failed ${String(patience)} times in the same way: ${why}${/[.!?…]$/.test(why) ? '' : '.'} What should the task do?`;
}
