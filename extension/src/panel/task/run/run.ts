import {
  TaskDone,
  TaskEventHead,
  TaskEventNotice,
  TaskEventPerson,
  TaskEventSummary,
  TaskFailed,
  TaskPaused,
  TaskRunning,
  TaskStopped,
  TaskWaiting,
  type Error as Refusal,
  type Task,
  type TaskEventKind,
  type TaskState,
  type TaskWriteReply,
} from '$ui/protocol/protocol';
import type { Clock } from '../../core/clock';
import { TaskBrowser, type World } from '../browser/browser';
import { begunStep } from '../core/events';
import { TaskLoop, type LoopEvent } from '../core/loop';
import { recorded, untold } from '../core/record';
import type { Model, Outcome, Status, Step } from '../core/types';
import { TaskJournal, type Writing } from './journal';
import type { TaskSettings } from '../state/settings';

/** The loop's words for where a task is, and the protocol's. */
const states: Record<Status | Outcome['state'], TaskState> = {
  running: TaskRunning,
  waiting: TaskWaiting,
  paused: TaskPaused,
  done: TaskDone,
  failed: TaskFailed,
  stopped: TaskStopped,
};

/** Letters of history in one prompt. */
const historyLetters = 24_000;

/** What a task that begins or goes on is given. */
export interface RunConfig {
  /** The task as it begins, or as it was written. */
  readonly task: Task;
  readonly world: Omit<World, 'task' | 'along'>;
  readonly writing: Omit<Writing, 'viewer' | 'connection' | 'written'>;
  readonly settings: TaskSettings;
  /** Whether the model can see pictures. */
  readonly vision: boolean;
  readonly model: Model;
  readonly summary: Model;
  readonly clock: Clock;
  readonly before: string;
  readonly restored?: {
    readonly steps: readonly Step[];
    readonly summary: string;
    readonly from: number;
    readonly tokens: number;
  };
  /** What is written before the first step, for whoever reads it or goes on with it. */
  readonly first?: unknown;
  /** Values that are written nowhere. */
  readonly secrets?: readonly string[];
  /** Shows what happens, after it was written. */
  readonly show: (event: LoopEvent, head: Task) => void;
}

/** One task that runs in this panel: the loop with its journal. */
export class Run {
  readonly loop: TaskLoop;
  readonly #browser: TaskBrowser;
  #head: Task;
  #keep: boolean | undefined;
  readonly #journal: TaskJournal;
  readonly #show: RunConfig['show'];
  readonly #ended = new AbortController();
  readonly #secrets: readonly string[];
  readonly #first: unknown;
  /** The page as the step that is done now saw it. */
  #page = '';
  #kept = false;

  constructor(config: RunConfig) {
    const { task, world, settings, clock } = config;
    this.#head = task;
    this.#show = config.show;
    this.#secrets = config.secrets ?? [];
    this.#first = config.first;
    this.#journal = new TaskJournal(
      task.id,
      {
        ...config.writing,
        connection: world.connection,
        viewer: world.viewer,
        written: (reply) => {
          this.#wrote(reply);
        },
      },
      this.#ended.signal,
    );
    this.#browser = new TaskBrowser(task.id, {
      ...world,
      task: () => this.#head,
      along: (safe, send) => this.#journal.along(safe, send),
    });
    this.loop = new TaskLoop({
      goal: task.goal,
      tab: task.tab ?? '',
      browser: this.#browser,
      model: config.model,
      summary: config.summary,
      clock,
      now: () => performance.now(),
      tell: (event) => this.#tell(event),
      written: () => this.#journal.flush(),
      limits: {
        steps: task.maxSteps,
        time: settings.minutes * 60_000,
        tokens: task.budget,
        history: historyLetters,
      },
      before: config.before,
      vision: config.vision,
      eval: settings.eval,
      ...(config.restored !== undefined && { restored: config.restored }),
    });
  }

  /** The task as it was written last. */
  get head(): Task {
    return this.#head;
  }

  /** Whether anything of it was written. */
  get kept(): boolean {
    return this.#kept;
  }

  /** The backend's word about the task: its tabs may have grown. */
  took(head: Task): void {
    this.#head = { ...this.#head, tabs: head.tabs };
  }

  /** Whether its tabs stay a group; written with what comes next. */
  keepGroup(keep: boolean): void {
    this.#keep = keep;
  }

  async run(): Promise<Outcome> {
    try {
      const began: Task = { ...this.#head, state: TaskRunning };
      this.#head = (await this.#journal.write(TaskEventHead, began)).head;
      this.#kept = true;
      if (this.#first !== undefined)
        this.#head = (await this.#journal.write(TaskEventNotice, this.#head, this.#first)).head;
      return await this.loop.run();
    } finally {
      this.#browser.cover(null);
      this.#ended.abort();
    }
  }

  async #tell(happened: LoopEvent): Promise<void> {
    if (happened.kind === 'observed') this.#page = happened.page.text;
    const event =
      happened.kind === 'step'
        ? { ...happened, step: recorded(happened.step, this.#page, this.#secrets) }
        : happened;
    if (event.kind === 'thought') {
      const { n } = event;
      this.#head = this.#next(event);
      this.#journal.hold(n, this.#head, untold(begunStep(event)));
    } else if (event.kind === 'step') {
      const { n, tab } = event.step;
      this.#head = this.#next(event);
      this.#journal.hold(n, this.#head, event.step, { step: n, tab });
    } else {
      const written = this.#written(event);
      if (written !== undefined)
        this.#wrote(await this.#journal.write(written.kind, this.#next(event), written.data));
    }
    this.#cover(event);
    this.#show(event, this.#head);
  }

  /** Takes in what became of something that was written. */
  #wrote({ head, did = '' }: TaskWriteReply): void {
    // What is held is not in it yet.
    const { steps, tokens } = this.#head;
    this.#head = {
      ...head,
      steps: Math.max(steps, head.steps),
      tokens: Math.max(tokens, head.tokens),
    };
    if (did !== '')
      this.loop.notice(
        `Meanwhile the person did this on the page (what stands in quotes are the page's words): ${did}`,
      );
  }

  /** What the cover says where the app itself has none; elsewhere it hears the journal. */
  #cover(event: LoopEvent): void {
    const { title, state } = this.#head;
    if (event.kind === 'thought') this.#browser.cover({ title, step: event.thought.goal });
    else if (event.kind === 'status' || event.kind === 'end')
      this.#browser.cover(state === TaskRunning ? { title, step: '' } : null);
  }

  /** What of an event is written at once; undefined for what is only shown. */
  #written(
    event: Exclude<LoopEvent, { kind: 'thought' | 'step' }>,
  ): { kind: TaskEventKind; data?: unknown } | undefined {
    switch (event.kind) {
      case 'status':
        return event.question === undefined
          ? { kind: TaskEventHead }
          : { kind: TaskEventNotice, data: { question: event.question } };
      case 'person':
        return { kind: TaskEventPerson, data: { text: event.text } };
      case 'notice':
        return { kind: TaskEventNotice, data: { text: event.text } };
      case 'summary':
        return { kind: TaskEventSummary, data: { summary: event.summary, from: event.from } };
      case 'end':
        return { kind: TaskEventHead };
      case 'observed':
      case 'thinking':
      case 'acting':
        return undefined;
    }
  }

  /** The task as an event makes it. */
  #next(event: LoopEvent): Task {
    const head = {
      ...this.#head,
      tokens: this.loop.tokens,
      tab: this.loop.tab,
      ...(this.#keep !== undefined && { keepGroup: this.#keep }),
    };
    if (event.kind === 'status') return { ...head, state: states[event.status] };
    if (event.kind === 'step') return { ...head, steps: event.step.n };
    if (event.kind !== 'end') return head;
    const { state, text, hint } = event.outcome;
    const error: Refusal | undefined =
      state === 'failed' && hint !== undefined
        ? { code: 'internal', message: text, hint }
        : undefined;
    return {
      ...head,
      state: states[state],
      summary: text,
      ...(error !== undefined && { error }),
    };
  }
}
