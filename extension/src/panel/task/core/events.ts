import type { Clock } from '../../core/clock';
import type {
  Action,
  Browser,
  Model,
  Observation,
  Outcome,
  ServerTools,
  Status,
  Step,
  Thought,
} from './types';

/**
 * The events of a task, in order. Each is written to the journal before the next
 * action on a page, and before waiting for the user or a model.
 */
export type LoopEvent =
  | { readonly kind: 'status'; readonly status: Status; readonly question?: string }
  | { readonly kind: 'preparing' }
  | { readonly kind: 'observed'; readonly page: Observation }
  | { readonly kind: 'thinking'; readonly n: number }
  | {
      readonly kind: 'thought';
      readonly n: number;
      readonly thought: Thought;
      readonly tab: string;
    }
  | {
      readonly kind: 'acting';
      readonly action: Action;
      readonly tab: string;
      readonly target?: string | undefined;
    }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'person'; readonly text: string }
  | { readonly kind: 'summary'; readonly summary: string; readonly from: number }
  | { readonly kind: 'end'; readonly outcome: Outcome };

/** A step of which only the thought is known so far. The complete step replaces it. */
export function begunStep(event: Extract<LoopEvent, { kind: 'thought' }>): Step {
  return {
    n: event.n,
    tab: event.tab,
    url: '',
    title: '',
    thought: event.thought,
    deeds: [],
    tokens: 0,
    took: 0,
    modelTook: 0,
  };
}

/**
 * Writes and shows an event. The loop continues when the promise resolves. A step
 * may be written together with the next request to the browser, which is carried
 * out after the write.
 */
export type Tell = (event: LoopEvent) => Promise<void>;

/**
 * Callbacks before and after a task and its steps; each is optional. If beforeTask,
 * beforeStep or afterStep throws, the task fails. If afterTask throws, `run`
 * rejects.
 */
export interface Hooks {
  beforeTask?(goal: string): Promise<void> | void;
  afterTask?(outcome: Outcome): Promise<void> | void;
  beforeStep?(n: number): Promise<void> | void;
  afterStep?(step: Step): Promise<void> | void;
}

export interface LoopConfig {
  readonly goal: string;
  /** The tab that the task starts on. */
  readonly tab: string;
  readonly browser: Browser;
  readonly model: Model;
  /** The model that summarises old steps. */
  readonly summary: Model;
  readonly clock: Clock;
  /** A clock in milliseconds; only differences are used. */
  readonly now: () => number;
  readonly tell: Tell;
  /** Resolves when all events are written, and all tabs that the task opened are known. */
  readonly written?: () => Promise<void>;
  readonly hooks?: Hooks;
  readonly limits: Limits;
  /** A summary of earlier tasks in the same tab. */
  readonly before?: string;
  readonly vision?: boolean;
  readonly eval?: boolean;
  /** The tools of the user's MCP servers; left out when there are none. */
  readonly tools?: ServerTools;
  /** What a resumed task did before. */
  readonly restored?: {
    readonly steps: readonly Step[];
    readonly summary: string;
    readonly from: number;
    readonly tokens: number;
  };
}

export interface Limits {
  readonly steps: number;
  /** The time limit in milliseconds; waiting for the user does not count. */
  readonly time: number;
  /** The token limit; 0 for none. */
  readonly tokens: number;
  /** The limit of the history in a prompt, in characters. */
  readonly history: number;
}
