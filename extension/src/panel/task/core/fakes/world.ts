import type {
  Action,
  Answer,
  Browser,
  Model,
  Observation,
  Prompt,
  Result,
  TabLine,
} from '../types';

/** A model that answers from a script: each prompt gets the next entry's answer. */
export class ScriptedModel implements Model {
  readonly prompts: Prompt[] = [];

  constructor(
    private readonly script: ((prompt: Prompt, signal: AbortSignal) => Answer | Promise<Answer>)[],
  ) {}

  async complete(prompt: Prompt, signal: AbortSignal): Promise<Answer> {
    this.prompts.push(prompt);
    signal.throwIfAborted();
    const next = this.script.shift();
    if (next === undefined) throw new Error('the script is at its end');
    return next(prompt, signal);
  }
}

/** A model's answer that contains a step. */
export function step(goal: string, ...actions: Action[]): () => Answer {
  return () => ({ text: '', input: { evaluation: '', memory: '', goal, actions }, tokens: 100 });
}

/** A browser with one or more tabs whose results the test sets. */
export class SmallBrowser implements Browser {
  readonly done: { tab: string; action: Action }[] = [];
  pages: Record<string, Observation> = {
    t1: {
      tab: 't1',
      url: 'https://a.test/',
      title: 'A',
      text: 'e1 button "Save"\ne2 textbox "Name"',
    },
  };
  answer: (action: Action, tab: string) => Result | Promise<Result> = () => ({
    ok: true,
    text: 'done',
  });

  observe(tab: string): Promise<Observation> {
    const page = this.pages[tab];
    return page === undefined ? Promise.reject(new Error(`no tab ${tab}`)) : Promise.resolve(page);
  }

  async act(tab: string, action: Action, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    this.done.push({ tab, action });
    return this.answer(action, tab);
  }

  tabs(): Promise<readonly TabLine[]> {
    return Promise.resolve(
      Object.values(this.pages).map(({ tab, title, url }) => ({ tab, title, url })),
    );
  }
}
