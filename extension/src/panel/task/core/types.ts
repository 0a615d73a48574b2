// The types of the task loop. Nothing here knows the panel, the browser or a model's
// wire format: the loop receives them as interfaces.

import type { Mark } from './element';
import type { VerbAction } from './verbs';

/** One action that the model wants. The names are those of the tool that the model is given. */
export type Action =
  | {
      do: 'click';
      ref: string;
      button?: 'left' | 'right' | 'middle';
      count?: number;
      keys?: string;
      hold?: number;
    }
  | { do: 'hover'; ref: string }
  | {
      do: 'type';
      ref: string;
      text: string;
      append?: boolean;
      enter?: boolean;
      /** Set by the loop only: the field takes its value as a whole, not character by character. */
      whole?: boolean;
    }
  /** Enters a secret of the user by its name: the task never has the value. */
  | { do: 'secret'; ref: string; secret: string; enter?: boolean }
  | { do: 'select'; ref: string; option: string }
  | { do: 'check'; ref: string; on?: boolean }
  | { do: 'drag'; ref: string; to: string; via?: string; speed?: number }
  | VerbAction
  | { do: 'scroll'; ref?: string; down?: number; right?: number }
  | { do: 'press'; keys: string; ref?: string }
  | { do: 'upload'; ref: string; file: string }
  | { do: 'dialog'; answer: 'accept' | 'dismiss'; text?: string }
  | { do: 'wait'; for: 'text' | 'gone' | 'element' | 'quiet' | 'load' | 'time'; value?: string }
  | { do: 'goto'; url: string }
  | { do: 'back' }
  | { do: 'forward' }
  | { do: 'reload' }
  | { do: 'screenshot' }
  | { do: 'read'; ref?: string }
  | { do: 'table' }
  | { do: 'find'; text: string }
  | { do: 'more'; handle: string }
  | { do: 'extract'; fields?: string[]; schema?: Record<string, unknown> }
  | { do: 'eval'; code: string }
  | { do: 'open_tab'; url?: string }
  | { do: 'switch_tab'; tab: string }
  | { do: 'close_tab'; tab?: string }
  | { do: 'tabs' }
  /** Uses a tool of one of the user's MCP servers. */
  | { do: 'tool'; server: string; tool: string; arguments?: Record<string, unknown> }
  | { do: 'ask'; question: string }
  | { do: 'done'; success: boolean; text: string };

/** The name of an action. */
export type ActionName = Action['do'];

/** A model's answer in one step. */
export interface Thought {
  /** How the last step went, in the model's words; empty in the first step. */
  readonly evaluation: string;
  /** What the model wants to remember. */
  readonly memory: string;
  /** What the model does next, and why. */
  readonly goal: string;
  readonly actions: readonly Action[];
}

/** The result of an action. */
export interface Result {
  readonly ok: boolean;
  /** What the model reads. */
  readonly text: string;
  /** What the user reads instead, where the text has advice for the model. */
  readonly shown?: string | undefined;
  /** The user's answer to a question. */
  readonly answer?: string | undefined;
  /** The error's stable code if the action failed. */
  readonly code?: string | undefined;
  /** Whether the page is another one now, or changed so much that refs may be invalid. */
  readonly moved?: boolean;
  /** Whether the typed text is secret, because the field hides it. */
  readonly secret?: boolean;
  /** The path of a screenshot, for GET /file. */
  readonly picture?: string | undefined;
  /** Whether it was done by the page's own events, which the page can detect. */
  readonly byPage?: boolean;
  /** What may be written of the use of a tool: with credentials masked. */
  readonly kept?: {
    readonly arguments?: Record<string, unknown> | undefined;
    readonly text: string;
  };
}

/** One action with its result. */
export interface PerformedAction {
  readonly action: Action;
  readonly result: Result;
  /** The snapshot's line of the action's element, for the user. */
  readonly target?: string | undefined;
  /**
   * The identification of the element, and of a drag's target. Added for the
   * journal; the loop does not use them.
   */
  readonly mark?: Mark | undefined;
  readonly toMark?: Mark | undefined;
}

/** One turn of the loop. */
export interface Step {
  readonly n: number;
  readonly tab: string;
  readonly url: string;
  readonly title: string;
  readonly thought: Thought;
  readonly deeds: readonly PerformedAction[];
  readonly tokens: number;
  /** The time of the whole step and of the model's answer in it, in milliseconds. */
  readonly took: number;
  readonly modelTook: number;
}

/** A snapshot of a page, as the model reads it. */
export interface Observation {
  readonly tab: string;
  readonly url: string;
  readonly title: string;
  /** The page in the backend's envelope. Actions use its refs. */
  readonly text: string;
  /** Why there is no snapshot: a page of the browser, a crash, a site that is not allowed. */
  readonly refused?: { readonly code: string; readonly message: string; readonly hint: string };
  /** The screenshot, for models that accept images: a JPEG in base64. */
  readonly picture?: string | undefined;
  /**
   * The background events since the last snapshot: as lines for the user, and in an
   * envelope for the model.
   */
  readonly backgroundEvents?: { readonly lines: readonly string[]; readonly told: string };
  /** The names of the secrets that can be entered on this page. */
  readonly secrets?: readonly string[];
  /** Whether the content script took the snapshot, because the browser refuses the app this tab. */
  readonly byPage?: boolean;
}

/** One open tab of the task. */
export interface TabLine {
  readonly tab: string;
  readonly title: string;
  readonly url: string;
}

/** The browser, as the loop uses it. */
export interface Browser {
  observe(tab: string, signal: AbortSignal): Promise<Observation>;
  act(tab: string, action: Action, signal: AbortSignal): Promise<Result>;
  tabs(signal: AbortSignal): Promise<readonly TabLine[]>;
}

/** The tools of the user's MCP servers, as the loop uses them. */
export interface ServerTools {
  /**
   * What the model reads of the tools, as data in an envelope; empty for none. Servers
   * may start for it, and the user may be asked. `notices` say to the user what is left out.
   */
  offered(signal: AbortSignal): Promise<{ told: string; notices: readonly string[] }>;
  /** Uses a tool. A refusal, and an error of the tool, are results. */
  call(action: Action & { do: 'tool' }, signal: AbortSignal): Promise<Result>;
}

/** One prompt. */
export interface Prompt {
  readonly system: string;
  readonly text: string;
  /** Screenshots: JPEGs in base64. */
  readonly pictures: readonly string[];
  /** The tool that the model must call; left out for a plain text answer. */
  readonly tool?: Tool;
}

/** A tool, in the form that both wire formats use. */
export interface Tool {
  readonly name: string;
  readonly about: string;
  /** JSON Schema. */
  readonly schema: Record<string, unknown>;
}

/** A model's answer. */
export interface Answer {
  /** The tool's input, if the model called it. */
  readonly input?: unknown;
  /** The model's text besides the tool call. */
  readonly text: string;
  readonly tokens: number;
}

/** A model. `complete` throws ModelError when there is no answer. */
export interface Model {
  complete(prompt: Prompt, signal: AbortSignal): Promise<Answer>;
  /** The offered answers to its open question; a language model offers none. */
  readonly choices?: readonly Choice[];
}

/** One offered answer to a question. */
export interface Choice {
  /** The answer's text; also the label of its button. */
  readonly say: string;
  /** The place of the element, if there are several. */
  readonly where?: string;
  /** The element that the answer means, to be highlighted on the page. */
  readonly ref?: string;
}

/** Why a model gave no answer. */
export class ModelError extends Error {
  /**
   * `again` tells whether a retry may help. `wait` is the delay that the provider
   * asks for, in milliseconds.
   */
  constructor(
    message: string,
    readonly hint: string,
    readonly again: boolean,
    readonly wait = 0,
  ) {
    super(message);
    this.name = 'ModelError';
  }
}

/** How a task ended. */
export interface Outcome {
  readonly state: 'done' | 'failed' | 'stopped';
  readonly text: string;
  readonly hint?: string | undefined;
}

/** The state of a task that runs; it decides what the user can do. */
export type Status = 'running' | 'waiting' | 'paused';
