import type { LoopConfig, LoopEvent } from './events';
import { Executor, inWords, targetOf } from './executor';
import { Memory } from './memory';
import { Planner } from './planner';
import { Notices, stuck } from './notices';
import { systemPrompt, turnPrompt } from './prompt';
import { OutOfTime, RunControl, TabsClosed, Unanswered } from './runcontrol';
import { describeStep, readAnswer } from './step';
import {
  ModelError,
  type Choice,
  type PerformedAction,
  type Observation,
  type Outcome,
  type Status,
  type Step,
  type TabLine,
  type Thought,
} from './types';

export type { Hooks, Limits, LoopConfig, LoopEvent } from './events';
export { targetOf } from './executor';

/** After this many invalid answers in a row a task fails. */
const wrongAnswers = 3;

/**
 * One task: observe, think, act, record, until it is done, fails or is stopped. It
 * knows no user interface: it reports events through `tell`, and the user controls
 * it through its methods.
 */
export class TaskLoop {
  readonly #config: LoopConfig;
  readonly #memory: Memory;
  readonly #control: RunControl;
  readonly #planner: Planner;
  readonly #executor: Executor;
  readonly #notices: Notices;
  /**
   * The screenshot that the model asked for. It is sent until the model answers
   * with a valid step.
   */
  #picture: string | undefined;
  /** What the model receives about the tools of the user's MCP servers; empty for none. */
  #tools = '';
  /** Whether the open question is about an action that keeps failing. */
  #stuck = false;

  constructor(config: LoopConfig) {
    const { browser, clock, limits, model, now, restored: old } = config;
    const tell = (event: LoopEvent): Promise<void> => config.tell(event);
    this.#config = config;
    this.#memory = new Memory(limits.history);
    this.#control = new RunControl({ clock, now, tell, time: limits.time });
    this.#planner = new Planner(model, this.#control, tell);
    this.#notices = new Notices(tell);
    this.#executor = new Executor({
      tab: old?.steps.at(-1)?.tab ?? config.tab,
      browser,
      planner: this.#planner,
      control: this.#control,
      eval: config.eval ?? false,
      vision: config.vision ?? false,
      ...(config.tools !== undefined && { tools: config.tools }),
      written: config.written ?? (() => Promise.resolve()),
    });
    if (old !== undefined) {
      this.#memory.restore(old.steps, old.summary, old.from);
      this.#planner.count(old.tokens);
      this.#notices.add('The task was interrupted and goes on now; the page may be another one.');
    }
  }

  get status(): Status {
    return this.#control.status;
  }

  /** Tokens used so far. */
  get tokens(): number {
    return this.#planner.tokens;
  }

  /** The current tab. */
  get tab(): string {
    return this.#executor.tab;
  }

  /** The offered answers to the open question; empty when any answer is possible. */
  get choices(): readonly Choice[] {
    if (this.#stuck) return Object.values(stuckAnswers).map((say) => ({ say }));
    return this.#config.model.choices ?? [];
  }

  /** Pauses the task before its next action. */
  pause(): void {
    this.#control.pause();
  }

  /** Pauses the task at once, and interrupts its current action. */
  takeOver(): void {
    this.#control.takeOver();
  }

  /** Continues the task; `did` tells the model what the user did meanwhile. */
  resume(did = ''): void {
    if (this.#control.resume() && did !== '')
      this.#notices.add(`The person had taken over, and did: ${did}`);
  }

  /**
   * Handles a message of the user during the task. It answers the open question, if
   * there is one.
   */
  say(text: string): void {
    if (this.#control.answer(text)) return;
    this.#notices.add(`The person says: ${text}`);
    void this.#config.tell({ kind: 'person', text });
  }

  /** Tells the model about an event, and the user in their own words. */
  notice(text: string, shown: string): void {
    void this.#notices.say(text, shown);
  }

  /** Ends the task with its open question, because nobody answers it. */
  giveUp(): void {
    this.#control.giveUp();
  }

  /** Stops the task, at the latest after the current action. */
  stop(): void {
    this.#control.stop();
  }

  /** Ends the task because all its tabs were closed. */
  lose(): void {
    this.#control.lose();
  }

  /** Runs the task to its end. Errors become an outcome. */
  async run(): Promise<Outcome> {
    const { hooks, goal } = this.#config;
    let outcome: Outcome;
    try {
      await hooks?.beforeTask?.(goal);
      await this.#control.start();
      await this.#prepare();
      outcome = await this.#steps();
    } catch (error) {
      outcome = this.#why(error);
    }
    this.#control.end();
    await this.#config.tell({ kind: 'end', outcome });
    await hooks?.afterTask?.(outcome);
    return outcome;
  }

  /** The outcome of an error. */
  #why(error: unknown): Outcome {
    const { signal } = this.#control;
    const why: unknown = signal.aborted ? signal.reason : error;
    if (why instanceof OutOfTime) return outOfTime;
    if (why instanceof TabsClosed) return failed(why.message, 'Start it again in another tab.');
    if (why instanceof Unanswered)
      return failed(
        why.message,
        'Write the answer into the goal, or run it where you can answer: in a terminal, with a panel, or while a control page is open (`pilotfish control`).',
      );
    if (signal.aborted) return stopped;
    return error instanceof ModelError
      ? { state: 'failed', text: error.message, hint: error.hint }
      : { state: 'failed', text: inWords(error) };
  }

  /** Asks which tools of the user's MCP servers there are. A task goes on without them. */
  async #prepare(): Promise<void> {
    const { tools, tell } = this.#config;
    if (tools === undefined) return;
    await tell({ kind: 'preparing' });
    const { signal } = this.#control;
    try {
      const { told, notices } = await tools.offered(signal);
      this.#tools = told;
      for (const text of notices) await tell({ kind: 'notice', text });
    } catch (error) {
      signal.throwIfAborted();
      const text = `The task goes on without your MCP servers: ${inWords(error)}`;
      await tell({ kind: 'notice', text });
    }
  }

  async #steps(): Promise<Outcome> {
    let wrong = 0;
    for (;;) {
      await this.#control.hold();
      const over = this.#over();
      if (over !== undefined) return over;
      await this.#shorten();
      const turn = await this.#turn(wrong);
      if (turn.wrong !== undefined) {
        wrong += 1;
        if (wrong >= wrongAnswers)
          return failed(
            'The model’s answers cannot be used: they name no action that Task knows.',
            'Choose another model for tasks.',
          );
        await this.#notices.say(
          turn.wrong,
          'The model’s answer named no action that Task knows. It is asked again.',
        );
        continue;
      }
      wrong = 0;
      if (turn.outcome !== undefined) return turn.outcome;
    }
  }

  /** The outcome of a task that has reached one of its limits. */
  #over(): Outcome | undefined {
    const { limits } = this.#config;
    if (this.#memory.count >= limits.steps)
      return failed(
        `The task reached its limit of ${String(limits.steps)} steps before it was done.`,
        'Split the goal into smaller tasks.',
      );
    if (this.#control.took > limits.time) return outOfTime;
    if (limits.tokens > 0 && this.#planner.tokens >= limits.tokens)
      return failed('The task reached its token limit.', 'Split the goal into smaller tasks.');
    return undefined;
  }

  async #shorten(): Promise<void> {
    const { summary: model, goal, tell, written } = this.#config;
    if (!this.#memory.full) return;
    await written?.();
    const { summary, from, tokens } = await this.#memory.shorten(model, goal, this.#control.signal);
    this.#planner.count(tokens);
    await tell({ kind: 'summary', summary, from });
  }

  /** One turn: observe, think, act, record. */
  async #turn(wrong: number): Promise<{ wrong?: string; outcome?: Outcome }> {
    const { hooks, limits, tell, now } = this.#config;
    const n = this.#memory.count + 1;
    const began = this.#control.took;
    if (wrong === 0) await hooks?.beforeStep?.(n);
    const { page, tabs, lost } = await this.#executor.observe();
    if (lost !== undefined)
      this.#notices.add(`The tab ${lost} was closed; the task goes on in ${page.tab}.`);
    await tell({ kind: 'observed', page });
    const left = limits.steps - n + 1;
    await this.#notices.observe(page, left);

    await tell({ kind: 'thinking', n });
    const asked = now();
    const { thought, tokens, wrong: complaint } = await this.#think(page, tabs, left);
    const modelTook = now() - asked;
    if (thought === undefined) return { wrong: complaint };
    this.#notices.told();
    await tell({ kind: 'thought', n, thought, tab: page.tab });

    const { deeds, outcome } = await this.#act(thought, page);
    const { tab, url, title } = page;
    const took = this.#control.took - began;
    const step: Step = { n, tab, url, title, thought, deeds, tokens, took, modelTook };
    this.#memory.add(step);
    const vain = this.#notices.done(step);
    await tell({ kind: 'step', step });
    await hooks?.afterStep?.(step);
    if (outcome !== undefined) return { outcome };
    const end = vain === undefined ? undefined : await this.#help(vain);
    return end === undefined ? {} : { outcome: end };
  }

  /** Asks the user how to continue, because the same action keeps failing. */
  async #help(vain: PerformedAction): Promise<Outcome | undefined> {
    this.#stuck = true;
    const said = await this.#control.ask(stuck(vain));
    this.#stuck = false;
    if (said === stuckAnswers.stop) return stopped;
    this.#notices.add(
      `The same action failed again and again, so the person was asked. The person says: ${said}`,
    );
    return undefined;
  }

  /** Carries out the model's actions, until one fails or changes the page. */
  async #act(
    thought: Thought,
    page: Observation,
  ): Promise<{ deeds: PerformedAction[]; outcome?: Outcome }> {
    const deeds: PerformedAction[] = [];
    for (const [i, action] of thought.actions.entries()) {
      await this.#control.hold();
      const target = targetOf(page.text, action);
      await this.#config.tell({ kind: 'acting', action, tab: this.#executor.tab, target });
      const result = await this.#executor.act(action, page);
      deeds.push({ action, result, target });
      if (action.do === 'done' && result.ok)
        return { deeds, outcome: { state: action.success ? 'done' : 'failed', text: action.text } };
      const rest = thought.actions.length - i - 1;
      if (rest > 0 && (!result.ok || result.moved === true)) {
        this.#notices.left(rest, result.ok ? 'the page changed' : 'one before failed');
        break;
      }
    }
    return { deeds };
  }

  async #think(
    page: Observation,
    tabs: readonly TabLine[],
    left: number,
  ): Promise<{ thought?: Thought; wrong: string; tokens: number }> {
    const { goal, vision = false, eval: mayEval = false, before = '' } = this.#config;
    if (vision && page.picture !== undefined) this.#picture = page.picture;
    const pictures = this.#picture === undefined ? [] : [this.#picture];
    const tools = this.#tools !== '';
    const answer = await this.#planner.ask({
      system: systemPrompt({ eval: mayEval, tools }),
      text: turnPrompt({
        goal,
        before,
        tools: this.#tools,
        summary: this.#memory.summary,
        steps: this.#memory.recent,
        memory: this.#memory.said,
        notices: this.#notices.take(),
        tabs,
        page,
        stepsLeft: left,
      }),
      pictures,
      tool: describeStep({ eval: mayEval, vision, tools }),
    });
    const { thought, wrong } = readAnswer(answer);
    if (thought !== undefined) this.#picture = undefined;
    return thought === undefined
      ? { wrong, tokens: answer.tokens }
      : { thought, wrong: '', tokens: answer.tokens };
  }
}

const stopped: Outcome = { state: 'stopped', text: 'Stopped by you.' };

/** The answers that the user is offered when the same action keeps failing. */
const stuckAnswers = {
  other: 'Try another way',
  again: 'Try it again',
  stop: 'Stop the task',
} as const;

const outOfTime = failed('The task reached its time limit.', 'Split the goal into smaller tasks.');

function failed(text: string, hint: string): Outcome {
  return { state: 'failed', text, hint };
}
