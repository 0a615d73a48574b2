import type { Action, PerformedAction, Result, Step } from '../types';

/** An action with its result. */
export function performed(action: Action, result: Partial<Result> = {}): PerformedAction {
  return { action, result: { ok: true, text: 'done', ...result } };
}

/** A step on t1 at https://a.test/ with the goal `goal`. */
export function stepOf(n: number, goal: string, ...deeds: PerformedAction[]): Step {
  return {
    n,
    tab: 't1',
    url: 'https://a.test/',
    title: 'A',
    thought: { evaluation: '', memory: '', goal, actions: deeds.map(({ action }) => action) },
    deeds,
    tokens: 10,
    took: 5,
    modelTook: 3,
  };
}
