import type { Clock } from '../../core/clock';
import type { Action, Browser, Model, Observation, Outcome, Status, Step, Thought } from './types';

/**
 * What happens in a task, in its order. Each is written before the next thing is
 * done to a page, or the person or a model is waited for.
 */
export type LoopEvent =
  | { readonly kind: 'status'; readonly status: Status; readonly question?: string }
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

/** A step of which only the thought is known yet; the whole one replaces it. */
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
 * Writes and shows an event; the loop goes on when it has. A step may be written
 * with what is asked of the browser next, which is done after it.
 */
export type Tell = (event: LoopEvent) => Promise<void>;

/**
 * What is done around a task and its steps; each may be left out. One that throws
 * before the task or a step ends the task as failed; after them it changes nothing.
 */
export interface Hooks {
  beforeTask?(goal: string): Promise<void> | void;
  afterTask?(outcome: Outcome): Promise<void> | void;
  beforeStep?(n: number): Promise<void> | void;
  afterStep?(step: Step): Promise<void> | void;
}

export interface LoopConfig {
  readonly goal: string;
  /** The tab that the task begins on. */
  readonly tab: string;
  readonly browser: Browser;
  readonly model: Model;
  /** The model that tells old steps in short. */
  readonly summary: Model;
  readonly clock: Clock;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  readonly tell: Tell;
  /** Resolves when all that was told is written, and all that the browser knows of it is known. */
  readonly written?: () => Promise<void>;
  readonly hooks?: Hooks;
  readonly limits: Limits;
  /** Earlier tasks of the same conversation, in short. */
  readonly before?: string;
  readonly vision?: boolean;
  readonly eval?: boolean;
  /** A task that is resumed: what it did so far. */
  readonly restored?: {
    readonly steps: readonly Step[];
    readonly summary: string;
    readonly from: number;
    readonly tokens: number;
  };
}

export interface Limits {
  readonly steps: number;
  /** Milliseconds; time in which the person is waited for does not count. */
  readonly time: number;
  /** Tokens; 0 for none. */
  readonly tokens: number;
  /** Letters of history in one prompt. */
  readonly history: number;
}
