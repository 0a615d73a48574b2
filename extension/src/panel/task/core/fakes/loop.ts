import { FakeClock } from '../../../core/fakes/clock';
import { TaskLoop, type LoopConfig, type LoopEvent } from '../loop';
import type { Answer, Prompt } from '../types';
import { ScriptedModel, SmallBrowser, step } from './world';

/** A task with a scripted model and a small browser. */
export interface Made {
  readonly loop: TaskLoop;
  readonly events: LoopEvent[];
  readonly model: ScriptedModel;
  readonly browser: SmallBrowser;
  readonly clock: FakeClock;
  /** Resolves with the next event of this kind. */
  readonly until: (kind: LoopEvent['kind']) => Promise<LoopEvent>;
}

/** Makes a task whose model answers from a script. */
export function make(
  script: ((prompt: Prompt, signal: AbortSignal) => Answer | Promise<Answer>)[],
  more: Partial<LoopConfig> = {},
): Made {
  const events: LoopEvent[] = [];
  const waiting: { kind: LoopEvent['kind']; go: (event: LoopEvent) => void }[] = [];
  const model = new ScriptedModel(script);
  const browser = new SmallBrowser();
  const clock = new FakeClock();
  const loop = new TaskLoop({
    goal: 'save it',
    tab: 't1',
    browser,
    model,
    summary: model,
    clock,
    now: () => 0,
    limits: { steps: 40, time: 1e9, tokens: 0, history: 100_000 },
    tell: (event) => {
      events.push(event);
      const at = waiting.findIndex(({ kind }) => kind === event.kind);
      if (at >= 0) waiting.splice(at, 1)[0]?.go(event);
      return Promise.resolve();
    },
    ...more,
  });
  const until = (kind: LoopEvent['kind']): Promise<LoopEvent> =>
    new Promise((go) => {
      waiting.push({ kind, go });
    });
  return { loop, events, model, browser, clock, until };
}

/** The kinds of events. */
export const kinds = (events: readonly LoopEvent[]): string[] => events.map(({ kind }) => kind);
/** The step that ends a task with success. */
export const end = step('finish', { do: 'done', success: true, text: 'Saved.' });
