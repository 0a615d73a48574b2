import type {
  Code,
  TaskPlainChoice,
  TaskPlainReply,
  TaskPlainRequest,
  TaskPlainTried,
} from '$ui/protocol/protocol';
import { CodeDenied } from '$ui/protocol/protocol';
import { actionsOf, type Made } from './actions';
import { answerOf } from '../core/answer';
import type { Action, Answer, Choice, Model, Prompt, Step } from '../core/types';
import type { Line } from '../state/view.svelte';

/** The request to the app for one instruction. */
export type Asked = Pick<TaskPlainRequest, 'text' | 'step' | 'tried' | 'chosen'>;

export interface PlainConfig {
  /** Reads an instruction on the current page, and carries it out itself if it only reads. */
  readonly ask: (asked: Asked, signal: AbortSignal) => Promise<TaskPlainReply>;
  /** How many instructions were carried out before the task was interrupted. */
  readonly done?: number;
}

/**
 * One instruction: the text of the user that it is part of, its index in that text,
 * and what it does.
 */
interface Instruction {
  readonly text: string;
  readonly step: number;
  readonly title: string;
}

const again = 'Look again';
const skip = 'Skip this step';
const stop = 'Stop the task';

/**
 * Plain instructions in place of a model. Each turn carries out the next
 * instruction, as the app's rules read it on the current page. If several elements
 * may be meant, the user is asked. If an instruction cannot be carried out, the
 * task ends with the reason.
 */
export class Plain implements Model {
  readonly #config: PlainConfig;
  readonly #list: Instruction[] = [];
  #at: number;
  /** The actions of the turn, and those that were not done because the page changed. */
  #made: readonly Made[] = [];
  #left: readonly Made[] = [];
  #tried: TaskPlainTried[] = [];
  #chosen: string[] = [];
  #asked = false;
  #choices: readonly Choice[] = [];
  #refs = new Map<string, string>();
  #stopped = false;
  /**
   * The results of instructions that only read. `#unreported` has those that the next
   * step still has to report.
   */
  readonly #seen: string[] = [];
  #unreported: string[] = [];
  #acted = false;

  constructor(config: PlainConfig) {
    this.#config = config;
    this.#at = config.done ?? 0;
  }

  /** The offered answers to the open question. */
  get choices(): readonly Choice[] {
    return this.#choices;
  }

  /** Adds instructions that the app has read, after those already there. */
  add(text: string, steps: readonly string[]): void {
    for (const [step, title] of steps.entries()) this.#list.push({ text, step, title });
  }

  async complete(prompt: Prompt, signal: AbortSignal): Promise<Answer> {
    // A request without a tool is for a summary of old steps. Without one, the list
    // of their goals is used.
    if (prompt.tool === undefined) return { text: '', tokens: 0 };
    for (;;) {
      const next = this.#list[this.#at];
      if (next === undefined) return this.#end();
      if (this.#stopped) return this.#fail(`Stopped at “${next.title}”.`);
      if (this.#left.length > 0) return this.#act(next, this.#left);
      const { text, step } = next;
      const reply = await this.#config.ask(
        { text, step, tried: this.#tried, chosen: this.#chosen },
        signal,
      );
      const { commands = [], choices = [], error, said = '' } = reply;
      if (error !== undefined)
        return choices.length > 0
          ? this.#ask(question(error.message, error.code), choices)
          : this.#fail(
              notDone(
                next,
                error.code === CodeDenied ? ['Denied by you.'] : [error.message, error.hint ?? ''],
              ),
            );
      if (commands.length > 0) return this.#act(next, actionsOf(commands));
      this.#seen.push(said);
      this.#unreported.push(said);
      this.#next();
    }
  }

  /** Records the result of a turn. */
  told(step: Step): void {
    const [first] = step.deeds;
    if (first === undefined || first.action.do === 'done') return;
    this.#unreported = [];
    if (this.#asked) {
      this.#asked = false;
      this.#choices = [];
      this.#decide(answerOf(first.result));
      return;
    }
    this.#acted = true;
    const bad = step.deeds.findIndex(({ result }) => !result.ok);
    if (bad >= 0) {
      this.#left = [];
      for (const { of } of this.#made.slice(0, bad))
        this.#tried.push(...Array.from({ length: of }, () => ({})));
      const { text = '', shown = text, code = 'internal' } = step.deeds[bad]?.result ?? {};
      this.#tried.push({ error: { code: code as Code, message: shown } });
      return;
    }
    this.#left = this.#made.slice(step.deeds.length);
    if (this.#left.length === 0) this.#next();
  }

  #act(next: Instruction, made: readonly Made[]): Answer {
    this.#made = made;
    this.#left = [];
    return this.#answer(
      next.title,
      made.map(({ action }) => action),
    );
  }

  #next(): void {
    this.#at += 1;
    this.#tried = [];
    this.#chosen = [];
    this.#left = [];
  }

  #end(): Answer {
    const total = this.#list.length;
    const all = !this.#acted
      ? []
      : [total === 1 ? 'Done.' : `All ${String(total)} instructions are done.`];
    const text = [...all, ...this.#seen].join('\n\n');
    this.#unreported = []; // the end reports it
    return this.#answer('All instructions are done.', [
      { do: 'done', success: true, text: text === '' ? 'There was nothing left to do.' : text },
    ]);
  }

  #fail(text: string): Answer {
    const rest = this.#list.slice(this.#at + 1).map(({ title }) => title);
    const undone = rest.length === 0 ? '' : `\nNot done: ${rest.join('; ')}.`;
    return this.#answer('Stopped.', [{ do: 'done', success: false, text: text + undone }]);
  }

  #ask(what: string, among: readonly TaskPlainChoice[]): Answer {
    this.#asked = true;
    this.#refs = new Map();
    const picks = among.map(({ ref, name, kind = '', where = '', which = '' }, at) => {
      const called = name === '' ? `the ${kind}` : `“${name}”${kind === '' ? '' : ` (${kind})`}`;
      const say = `${String(at + 1)}. ${called}${which === '' ? '' : `, ${which}`}`;
      this.#refs.set(say, ref);
      return { say, ref, ...(where === '' ? {} : { where }) };
    });
    this.#choices = [...picks, { say: again }, { say: skip }, { say: stop }];
    return this.#answer('Several elements match.', [{ do: 'ask', question: what }]);
  }

  /**
   * Applies the user's answer: one of the choices, or its number. After any other
   * answer the instruction is read again.
   */
  #decide(said: string): void {
    const low = said.toLowerCase();
    for (const [say, ref] of this.#refs)
      if (say.toLowerCase() === low || say.startsWith(`${said}.`)) this.#chosen.push(ref);
    if (low === skip.toLowerCase() || low === 'skip') this.#next();
    else if (low === stop.toLowerCase() || low === 'stop') this.#stopped = true;
  }

  #answer(goal: string, actions: readonly Action[]): Answer {
    const evaluation = this.#unreported.join('\n\n');
    const memory = position(Math.min(this.#at + 1, this.#list.length), this.#list.length);
    return { text: '', tokens: 0, input: { evaluation, memory, goal, actions } };
  }
}

const position = (at: number, of: number): string => `Instruction ${String(at)} of ${String(of)}.`;

/** How many instructions a task had carried out when it was interrupted. */
export function carriedOut(steps: readonly Step[]): number {
  let done = 0;
  for (const { thought, deeds } of steps) {
    const at = /^Instruction (\d+) of /.exec(thought.memory)?.[1];
    const acted = deeds.length === thought.actions.length;
    const well = deeds.every(({ action, result }) => result.ok && !theirs.has(action.do));
    if (at !== undefined && acted && well) done = Number(at);
  }
  return done;
}

/** Actions that carry out no instruction. */
const theirs: ReadonlySet<Action['do']> = new Set(['ask', 'done']);

/**
 * The texts of the user that were instructions: the goal, and later messages that
 * did not answer a question.
 */
export function instructionsIn(goal: string, lines: readonly Line[]): string[] {
  const said = lines.flatMap((line, at) =>
    line.kind === 'person' && lines[at - 1]?.kind !== 'question' ? [line.text] : [],
  );
  return [goal, ...said];
}

function question(message: string, code: string): string {
  const which = code === 'ambiguous' ? 'Which one do you mean?' : 'Do you mean one of these?';
  return `${sentence(message)} ${which}`;
}

function notDone({ title }: Instruction, why: readonly string[]): string {
  const reasons = why.filter((part) => part !== '').map(sentence);
  return [`Stopped at “${title}”.`, ...reasons].join(' ');
}

/** Makes a message a sentence, with a capital at its start and a full stop at its end. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
