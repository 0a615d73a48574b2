import { calledIn } from './element';
import type { Tell } from './events';
import type { Action, Deed, Observation, Step } from './types';
import { inWords } from './words';

/** How often the same thing may fail before the model is told to do something else. */
const repeats = 2;
/** How often it may fail before the user is asked. */
const patience = 3;
/** The numbers of steps left at which the model is told. */
const warnings: readonly number[] = [5, 1];

/** What the person is told where a tab is worked on otherwise than all others. */
const aside =
  'The browser does not let Pilotfish control this tab. The task continues with simulated page events: the page can tell that they are simulated, and some actions are not possible.';

/** What the model is told beside the page in its next turn. */
export class Notices {
  #list: string[] = [];
  /** How many of them the prompt has that the model is asked with. */
  #asked = 0;
  /** How often each action failed in the same way, on the page of now. */
  readonly #failures = new Map<string, number>();
  #failedOn = '';
  #before = { url: '', tab: '' };
  /** Why the last page could not be seen. */
  #refused = '';
  /** The last page was looked at by a script of ours in it. */
  #byPage = false;

  constructor(private readonly tell: Tell) {}

  /** What the prompt tells that is made now. */
  take(): readonly string[] {
    this.#asked = this.#list.length;
    return [...this.#list];
  }

  /** Adds one for the model alone: the person knows it. */
  add(text: string): void {
    // A turn that is made again says nothing twice.
    if (!this.#list.includes(text)) this.#list.push(text);
  }

  /** Adds one that the person is shown as well. */
  async say(text: string): Promise<void> {
    this.add(text);
    await this.tell({ kind: 'notice', text });
  }

  /** The model was told what the prompt had; what came while it thought is for the next. */
  told(): void {
    this.#list = this.#list.slice(this.#asked);
  }

  /** Before a turn: what of it should not be missed. */
  async look(page: Observation, left: number): Promise<void> {
    const { news, refused } = page;
    if (news !== undefined) {
      this.add(`Meanwhile, by itself:\n${news.told}`);
      for (const text of news.lines) await this.tell({ kind: 'notice', text });
    }
    // A dialog stands before the person's eyes.
    const why = refused === undefined || refused.code === 'dialog' ? '' : refused.message;
    if (why !== '' && why !== this.#refused)
      await this.tell({ kind: 'notice', text: `The page cannot be read: ${why}` });
    this.#refused = why;
    // The model is told with each look.
    if (page.byPage === true && !this.#byPage) await this.tell({ kind: 'notice', text: aside });
    this.#byPage = page.byPage === true;
    if (warnings.includes(left))
      this.add(`Only ${String(left)} ${left === 1 ? 'step is' : 'steps are'} left.`);
    if (this.#before.tab === page.tab && this.#before.url !== '' && this.#before.url !== page.url)
      this.add(`The page is another one now: ${page.url}`);
    this.#before = { url: page.url, tab: page.tab };
  }

  /** What was left undone of a step's actions. */
  left(rest: number, why: string): void {
    this.add(
      `${String(rest)} further ${rest === 1 ? 'action was' : 'actions were'} not done, because ${why}.`,
    );
  }

  /** After a step: the action that the model does again and again in vain; undefined when there is none. */
  done(step: Step): Deed | undefined {
    // Where the step left the page is not known before the next look; a step that
    // moved it itself is no surprise.
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

/** What the user is asked about an action that failed again and again. */
export function stuck({ action, result, target }: Deed): string {
  const why = result.text.split('\n').find((line) => line !== '' && !line.startsWith('<')) ?? '';
  const what = inWords(action, calledIn(target));
  return `“${what}” failed ${String(patience)} times in the same way: ${why} What should the task do?`;
}
