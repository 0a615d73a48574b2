import {
  TaskDone,
  TaskEventHead,
  TaskEventNotice,
  TaskEventUser,
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
import { UserServers } from './servers';
import type { TaskSettings } from '../state/settings';

/** The protocol's state for each state of the loop. */
const states: Record<Status | Outcome['state'], TaskState> = {
  running: TaskRunning,
  waiting: TaskWaiting,
  paused: TaskPaused,
  done: TaskDone,
  failed: TaskFailed,
  stopped: TaskStopped,
};

/** The limit of the history in a prompt, in characters. */
const historyLetters = 24_000;

/** What a new or resumed task needs. */
export interface RunConfig {
  /** The task as it starts, or as it was last written. */
  readonly task: Task;
  readonly world: Omit<World, 'task' | 'along'>;
  readonly writing: Omit<Writing, 'viewer' | 'connection' | 'written'>;
  readonly settings: TaskSettings;
  /** Whether the model accepts images. */
  readonly vision: boolean;
  /** Whether the user has MCP servers that the task may use. */
  readonly servers?: boolean;
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
  /** Written before the first step, for a later resume or for readers of the journal. */
  readonly first?: unknown;
  /** Values that must not be written anywhere. */
  readonly secrets?: readonly string[];
  /** Shows an event, after it was written or held to be written. */
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
  /** The text of the snapshot that the current step is based on. */
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
      ...(config.servers === true && {
        tools: new UserServers({
          task: task.id,
          connection: world.connection,
          viewer: world.viewer,
          written: () => this.#journal.flush(),
        }),
      }),
      ...(config.restored !== undefined && { restored: config.restored }),
    });
  }

  /** The task as it was last written or held. */
  get head(): Task {
    return this.#head;
  }

  /** Whether anything of the task was written. */
  get kept(): boolean {
    return this.#kept;
  }

  /** Takes the task's tabs from the backend; there may be new ones. */
  took(head: Task): void {
    this.#head = { ...this.#head, tabs: head.tabs };
  }

  /** Sets whether the task's tabs stay a group; stored with the next event. */
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

  /** Applies the reply to a write. */
  #wrote({ head, did = '' }: TaskWriteReply): void {
    // The reply does not include events that are still held.
    const { steps, tokens } = this.#head;
    this.#head = {
      ...head,
      steps: Math.max(steps, head.steps),
      tokens: Math.max(tokens, head.tokens),
    };
    if (did !== '')
      this.loop.notice(
        `Meanwhile the person did this on the page (text in quotes comes from the page): ${did}`,
        `Meanwhile you did this on the page: ${did}`,
      );
  }

  /**
   * Sets what the overlay says in tabs that the browser refuses the app. In other
   * tabs the app makes the overlay from the journal.
   */
  #cover(event: LoopEvent): void {
    const { title, state } = this.#head;
    if (event.kind === 'thought') this.#browser.cover({ title, step: event.thought.goal });
    else if (event.kind === 'status' || event.kind === 'end')
      this.#browser.cover(state === TaskRunning ? { title, step: '' } : null);
  }

  /** What to write at once for an event; undefined if it is only shown. */
  #written(
    event: Exclude<LoopEvent, { kind: 'thought' | 'step' }>,
  ): { kind: TaskEventKind; data?: unknown } | undefined {
    switch (event.kind) {
      case 'status':
        return event.question === undefined
          ? { kind: TaskEventHead }
          : { kind: TaskEventNotice, data: { question: event.question } };
      case 'person':
        return { kind: TaskEventUser, data: { text: event.text } };
      case 'notice':
        return { kind: TaskEventNotice, data: { text: event.text } };
      case 'summary':
        return { kind: TaskEventSummary, data: { summary: event.summary, from: event.from } };
      case 'end':
        return { kind: TaskEventHead };
      case 'preparing':
      case 'observed':
      case 'thinking':
      case 'acting':
        return undefined;
    }
  }

  /** The state of the task after an event. */
  #next(event: LoopEvent): Task {
    const head = {
      ...this.#head,
      tokens: this.loop.tokens,
      tab: this.loop.tab,
      ...(this.#keep !== undefined && { keepGroup: this.#keep }),
    };
    if (event.kind === 'status') {
      const rest: Task = { ...head };
      delete rest.question;
      const { status, question: text } = event;
      if (text === undefined) return { ...rest, state: states[status] };
      // The backend numbers the question.
      const question = { index: 0, text, choices: [...this.loop.choices] };
      return { ...rest, state: states[status], question };
    }
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
