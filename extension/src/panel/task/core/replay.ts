import { answerOf } from './answer';
import { recordedInWords, filled, type Recipe } from './recipe';
import { called, meant, similar, type Found, type Mark } from './element';
import type { Action, Answer, Choice, Model, Prompt, Step } from './types';

export interface ReplayConfig {
  readonly recipe: Recipe;
  /** The values of the parameters. */
  readonly values: Readonly<Record<string, string>>;
  /** Takes a snapshot of the whole page. */
  readonly observe: (signal: AbortSignal) => Promise<string>;
  /** Waits a moment for an element to appear. */
  readonly appear: (mark: Mark, signal: AbortSignal) => Promise<void>;
  /** The task's tabs, in the order in which they were added. */
  readonly tabs: () => readonly string[];
  /** The model that can take over the task. */
  readonly model?: Model | undefined;
  /** How many of the actions were done before the task was interrupted. */
  readonly done?: number;
}

/** The most elements that a question offers. */
const offered = 6;

const again = 'Look again';
const skip = 'Skip this step';
const stop = 'Stop the task';
const handOver = 'Let the model continue';

/** What of an action has an element: its own one, and the one that it drags to. */
type End = 'ref' | 'to';

/**
 * A replay of recorded actions. It takes the place of the model, and answers each
 * turn with the next action, on the element that the recording means. When the page
 * differs from the recording, it asks the user.
 */
export class Replay implements Model {
  readonly #config: ReplayConfig;
  #at: number;
  #asked = false;
  #choices: readonly Choice[] = [];
  /** The refs of the offered elements, by the text of the answer. */
  #refs = new Map<string, string>();
  /** The refs of the elements that the user chose for the next action, by its end. */
  readonly #picked = new Map<End, string>();
  /** The end that the open question is about: a drag has two. */
  #end: End = 'ref';
  #trouble: string | undefined;
  #waited = false;
  #stopped = false;
  #handed = false;

  constructor(config: ReplayConfig) {
    this.#config = config;
    this.#at = config.done ?? 0;
  }

  /** The offered answers to the open question. */
  get choices(): readonly Choice[] {
    return this.#choices;
  }

  /** How many actions are done or skipped. */
  get at(): number {
    return this.#at;
  }

  /** Records the result of a turn. */
  told(step: Step): void {
    if (this.#handed) return;
    const [performed] = step.deeds;
    if (performed === undefined) return;
    if (this.#asked) {
      this.#asked = false;
      this.#choices = [];
      this.#decide(answerOf(performed.result));
    } else if (performed.result.ok) this.#next();
    else this.#trouble = performed.result.text;
  }

  async complete(prompt: Prompt, signal: AbortSignal): Promise<Answer> {
    const { model, recipe, values } = this.#config;
    if (this.#handed && model !== undefined) return model.complete(prompt, signal);
    const total = recipe.deeds.length;
    if (this.#stopped)
      return answer('Stopped by you.', {
        do: 'done',
        success: false,
        text: `Stopped at action ${String(this.#at + 1)} of ${String(total)}, where the page is not as recorded.`,
      });
    const performed = recipe.deeds[this.#at];
    if (performed === undefined)
      return answer('All actions are done.', {
        do: 'done',
        success: true,
        text: `All ${String(total)} recorded actions were replayed.`,
      });
    const words = recordedInWords(performed);
    if (this.#trouble !== undefined) return this.#ask(`“${words}” did not work. ${this.#trouble}`);
    const action = await this.#aimed(filled(performed.action, values), performed, signal);
    return 'among' in action
      ? this.#ask(action.question, action.among)
      : answer(`${words} (${String(this.#at + 1)} of ${String(total)}).`, action);
  }

  /** The action with the refs of the current page, or the question to ask. */
  async #aimed(
    action: Action,
    performed: Recipe['deeds'][number],
    signal: AbortSignal,
  ): Promise<Action | Question> {
    if ('tab' in action && action.tab.startsWith('#')) {
      const tab = this.#config.tabs()[Number(action.tab.slice(1))];
      if (tab === undefined)
        return { question: 'The tab of the recording is not open.', among: [] };
      return { ...action, tab };
    }
    let aimed = action;
    for (const [key, mark] of [
      ['ref', performed.mark],
      ['to', performed.toMark],
    ] as const) {
      const aim = (action as { readonly ref?: string; readonly to?: string })[key];
      if (aim === undefined || isPoint(aim)) continue;
      if (mark === undefined)
        return {
          question: 'The recording does not say which element this action used.',
          among: [],
        };
      const found = this.#picked.get(key) ?? (await this.#find(mark, signal));
      if (typeof found !== 'string') {
        this.#end = key;
        return found;
      }
      aimed = { ...aimed, [key]: found };
    }
    return aimed;
  }

  async #find(mark: Mark, signal: AbortSignal): Promise<string | Question> {
    let now = await this.#config.observe(signal);
    if (meant(now, mark).maybe.length === 0 && !this.#waited) {
      this.#waited = true;
      await this.#config.appear(mark, signal);
      now = await this.#config.observe(signal);
    }
    const { sure, maybe } = meant(now, mark);
    if (sure !== undefined) return sure.ref;
    const what = called(mark);
    if (maybe.length === 0)
      return {
        question: `${what} is not on this page. Which element should be used instead?`,
        among: similar(now, mark),
      };
    const where = mark.place.at(-1);
    return {
      question:
        maybe.length === 1
          ? `The recorded ${what}${where === undefined ? '' : ` in “${where}”`} is gone. Is it this one?`
          : `There are ${inNumbers(maybe.length)} ${what} on this page. Which one?`,
      among: maybe,
    };
  }

  #ask(question: string, among: readonly Found[] = []): Answer {
    this.#asked = true;
    this.#refs = new Map();
    const picks = among.slice(0, offered).map((one, at) => {
      const say = `${String(at + 1)}. ${called(one)}`;
      this.#refs.set(say, one.ref);
      const where = one.place.join(', ');
      return { say, ref: one.ref, ...(where === '' ? {} : { where }) };
    });
    this.#choices = [
      ...picks,
      { say: again },
      { say: skip },
      ...(this.#config.model === undefined ? [] : [{ say: handOver }]),
      { say: stop },
    ];
    return answer('The page is not as recorded.', { do: 'ask', question });
  }

  /** Applies the user's answer: one of the choices, or its number. */
  #decide(said: string): void {
    const low = said.toLowerCase();
    this.#trouble = undefined;
    this.#waited = false;
    for (const [say, ref] of this.#refs)
      if (say.toLowerCase() === low || say.startsWith(`${said}.`)) this.#picked.set(this.#end, ref);
    if (low === skip.toLowerCase() || low === 'skip') this.#next();
    else if (low === stop.toLowerCase() || low === 'stop') this.#stopped = true;
    else if (low === handOver.toLowerCase() && this.#config.model !== undefined)
      this.#handed = true;
    // Any other answer takes a new snapshot. The question comes again if nothing has
    // changed.
  }

  #next(): void {
    this.#at += 1;
    this.#picked.clear();
    this.#trouble = undefined;
    this.#waited = false;
  }
}

/** A question that only the user can decide, and the elements it is about. */
interface Question {
  readonly question: string;
  readonly among: readonly Found[];
}

/**
 * How many actions a replay has done or skipped; undefined when the model has taken
 * over. Journals of older versions use other texts for the answers.
 */
export function doneOf(steps: readonly Step[]): number | undefined {
  let done = 0;
  for (const { deeds } of steps) {
    const [performed] = deeds;
    if (performed === undefined) continue;
    const said = answerOf(performed.result).toLowerCase();
    if (performed.action.do !== 'ask') done += performed.result.ok ? 1 : 0;
    else if ([skip.toLowerCase(), 'skip', 'skip it'].includes(said)) done += 1;
    else if ([handOver.toLowerCase(), 'hand over to the model'].includes(said)) return undefined;
  }
  return done;
}

/** Whether a target is a point of the page instead of an element. */
const isPoint = (target: string): boolean => /^-?[\d.]+\s*,\s*-?[\d.]+$/.test(target);

function answer(goal: string, action: Action): Answer {
  return { text: '', tokens: 0, input: { evaluation: '', memory: '', goal, actions: [action] } };
}

function inNumbers(n: number): string {
  return ['no', 'one', 'two', 'three', 'four', 'five', 'six'][n] ?? String(n);
}
