import { answered } from './answer';
import { extract, type Wanted } from './extract';
import type { Planner } from './planner';
import { TabsClosed, type RunControl } from './runcontrol';
import type { Action, Browser, Observation, Result, ServerTools, TabLine } from './types';

/** What the executor needs. */
export interface ExecutorConfig {
  /** The tab that the task starts on. */
  readonly tab: string;
  readonly browser: Browser;
  readonly planner: Planner;
  readonly control: RunControl;
  /** Whether the model may run JavaScript. */
  readonly eval: boolean;
  /** Whether the model accepts images. */
  readonly vision: boolean;
  /** The tools of the user's MCP servers; left out when there are none. */
  readonly tools?: ServerTools;
  /** Resolves when all that was done is written, and the tabs that it opened are known. */
  readonly written: () => Promise<void>;
}

/** The refusals are necessary: a page can make a model use actions that it was not offered. */
const noScripts: Result = {
  ok: false,
  code: 'refused',
  shown: 'JavaScript is off for tasks. You can allow it in the settings of Task.',
  text: 'JavaScript is off for tasks; only the person can allow it, in the settings of Task. Do it with the other actions.',
};
const noPictures: Result = {
  ok: false,
  code: 'not_actable',
  shown: 'This model does not accept images.',
  text: 'You cannot see images. The page is told to you as text in each turn.',
};
const noTools: Result = {
  ok: false,
  code: 'refused',
  shown: 'You have no MCP servers.',
  text: 'The person has no MCP servers. Do it with the other actions.',
};

const takenOver: Result = {
  ok: false,
  code: 'interrupted',
  text: 'The person took over during this action. It may have been done or not.',
  shown: 'Interrupted, because you took over.',
};

/**
 * The executor: takes snapshots of a task's tabs and acts on them. It knows which
 * tab is the current one.
 */
export class Executor {
  readonly #config: ExecutorConfig;
  #tab: string;

  constructor(config: ExecutorConfig) {
    this.#config = config;
    this.#tab = config.tab;
  }

  /** The current tab. */
  get tab(): string {
    return this.#tab;
  }

  /**
   * A snapshot of the current tab, and the task's tabs. `lost` is the previous
   * current tab if it was closed.
   */
  async observe(): Promise<{ page: Observation; tabs: readonly TabLine[]; lost?: string }> {
    const { browser, control, written } = this.#config;
    const lost = this.#tab;
    const closed = new Set<string>();
    const open = async (): Promise<readonly TabLine[]> =>
      (await browser.tabs(control.signal)).filter(({ tab }) => !closed.has(tab));
    for (;;) {
      if (!(await open()).some(({ tab }) => tab === this.#tab)) {
        await written(); // the last step may have opened one
        const tabs = await open();
        const next = tabs.find(({ tab }) => tab === this.#tab) ?? tabs[0];
        if (next === undefined) throw new TabsClosed();
        this.#tab = next.tab;
      }
      const page = await browser.observe(this.#tab, control.signal);
      // The backend knows earlier than the panel that a tab is closed.
      if (page.refused?.code !== 'unknown_tab')
        return { page, tabs: await open(), ...(lost !== this.#tab && { lost }) };
      closed.add(this.#tab);
    }
  }

  /** Carries out one action. An error becomes a result for the model. */
  async act(action: Action, page: Observation): Promise<Result> {
    const { signal } = this.#config.control;
    const acting = this.#config.control.action();
    try {
      switch (action.do) {
        case 'ask':
          return answered(await this.#config.control.ask(action.question));
        case 'done':
          return { ok: true, text: action.text };
        case 'switch_tab':
          return await this.#switch(action.tab);
        case 'extract':
          return await this.#extract(action, page.tab);
        case 'eval':
          return this.#config.eval ? await this.#do(action, acting) : noScripts;
        case 'screenshot':
          return this.#config.vision ? await this.#do(action, acting) : noPictures;
        case 'tool':
          return (await this.#config.tools?.call(action, acting)) ?? noTools;
        case 'open_tab':
          return await this.#open(absolute(action, page), acting);
        case 'goto':
          return await this.#do(absolute(action, page), acting);
        default:
          return await this.#do(whole(action, page), acting);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (acting.aborted) return takenOver;
      return { ok: false, code: 'internal', text: inWords(error) };
    }
  }

  #do(action: Action, signal: AbortSignal): Promise<Result> {
    return this.#config.browser.act(this.#tab, action, signal);
  }

  async #switch(wanted: string): Promise<Result> {
    const { browser, control } = this.#config;
    const tabs = await browser.tabs(control.signal);
    const id = /^t?\d+$/.test(wanted) ? `t${wanted.replace(/^t/, '')}` : wanted;
    if (!tabs.some(({ tab }) => tab === id))
      return {
        ok: false,
        code: 'unknown_tab',
        text: `${id} does not belong to the task; it has ${tabs.map(({ tab }) => tab).join(', ')}.`,
      };
    this.#tab = id;
    return { ok: true, moved: true, text: `Now in ${id}.` };
  }

  async #open(action: Action & { do: 'open_tab' }, signal: AbortSignal): Promise<Result> {
    const { browser, control } = this.#config;
    const before = new Set((await browser.tabs(control.signal)).map(({ tab }) => tab));
    const result = await browser.act(this.#tab, action, signal);
    if (!result.ok) return result;
    const opened = (await browser.tabs(control.signal)).find(({ tab }) => !before.has(tab));
    if (opened !== undefined) this.#tab = opened.tab;
    return result;
  }

  /** Reads the whole page and lets the model collect data from it. */
  async #extract(wanted: Wanted, tab: string): Promise<Result> {
    const { browser, planner, control } = this.#config;
    const read = await browser.act(tab, { do: 'read' }, control.signal);
    return read.ok ? extract(wanted, read.text, planner) : read;
  }
}

/** Makes a relative URL absolute, with the page as its base. */
function absolute<A extends Action & { url?: string }>(action: A, page: Observation): A {
  const { url } = action;
  if (url === undefined || !/^[/.?#]/.test(url) || !URL.canParse(url, page.url)) return action;
  return { ...action, url: new URL(url, page.url).href };
}

/** Fields whose value the browser builds from parts: dates, times, colours, sliders. */
const composed = /^(date|time|color|slider)\b/;

/**
 * Makes typing into such a field set its value at once, because it accepts no
 * single characters.
 */
function whole(action: Action, page: Observation): Action {
  if (action.do !== 'type' || !composed.test(targetOf(page.text, action) ?? '')) return action;
  return { ...action, whole: true };
}

/** The message of an error; never "undefined", never empty. */
export function inWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === '' || text === 'undefined' ? 'Something went wrong that gave no reason.' : text;
}

/** The line of the action's element in the snapshot, without the ref: role and name. */
export function targetOf(page: string, action: Action): string | undefined {
  const ref = 'ref' in action ? action.ref : undefined;
  if (ref === undefined || ref === '') return undefined;
  for (const line of page.split('\n')) {
    const trimmed = line.trimStart();
    if (trimmed.startsWith(`${ref} `)) return trimmed.slice(ref.length + 1);
  }
  return undefined;
}
