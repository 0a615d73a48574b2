// What the loop of a task speaks of. Nothing here knows the panel, the browser or
// a model's wire format: the loop is given them as ports.

import type { Mark } from './element';
import type { VerbAction } from './verbs';

/** One thing that the model wants done. The names are those of the tool that it is given. */
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
      /** The loop's own: the field takes a value as a whole, not letter by letter. */
      whole?: boolean;
    }
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
  | { do: 'ask'; question: string }
  | { do: 'done'; success: boolean; text: string };

/** The name of an action. */
export type ActionName = Action['do'];

/** What the model answers in one step. */
export interface Thought {
  /** How the last step went, in its own words; empty in the first. */
  readonly evaluation: string;
  /** What it wants to remember. */
  readonly memory: string;
  /** What it does next, and why. */
  readonly goal: string;
  readonly actions: readonly Action[];
}

/** What came of an action, as the model and the person are told. */
export interface Result {
  readonly ok: boolean;
  readonly text: string;
  /** What the person answered to a question. */
  readonly answer?: string | undefined;
  /** The error's stable code, when it failed. */
  readonly code?: string | undefined;
  /** The page is another one now, or has changed so much that refs may be old. */
  readonly moved?: boolean;
  /** What was typed is nobody's business: the field shows it as dots. */
  readonly secret?: boolean;
  /** A picture of the page, for GET /file. */
  readonly picture?: string | undefined;
  /** It was done by the page's own events: the page can tell. */
  readonly byPage?: boolean;
}

/** One action with what came of it. */
export interface Deed {
  readonly action: Action;
  readonly result: Result;
  /** The line of the element that it was about, for the person. */
  readonly target?: string | undefined;
  /** The same as it can be found again, and what something was dragged to; written, not in the loop. */
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
  readonly deeds: readonly Deed[];
  readonly tokens: number;
  /** Milliseconds in all, and of them those that the model took. */
  readonly took: number;
  readonly modelTook: number;
}

/** What a page looks like to the model. */
export interface Observation {
  readonly tab: string;
  readonly url: string;
  readonly title: string;
  /** The page in the backend's envelope; its refs are what actions name. */
  readonly text: string;
  /** Why the page cannot be seen: a browser page, a crash, a site that is refused. */
  readonly refused?: { readonly code: string; readonly message: string; readonly hint: string };
  /** The picture, for models that see: base64 of a JPEG. */
  readonly picture?: string | undefined;
  /** What happened by itself since the last look: for the person, and in an envelope for the model. */
  readonly news?: { readonly lines: readonly string[]; readonly told: string };
  /** It was looked at by a script in the page, for the app has no way in. */
  readonly byPage?: boolean;
}

/** One open tab of the task. */
export interface TabLine {
  readonly tab: string;
  readonly title: string;
  readonly url: string;
}

/** The browser as the loop drives it. */
export interface Browser {
  look(tab: string, signal: AbortSignal): Promise<Observation>;
  act(tab: string, action: Action, signal: AbortSignal): Promise<Result>;
  tabs(signal: AbortSignal): Promise<readonly TabLine[]>;
}

/** One prompt. */
export interface Prompt {
  readonly system: string;
  readonly text: string;
  /** Pictures of the page: base64 of JPEGs. */
  readonly pictures: readonly string[];
  /** The tool that must be called; none for a plain text. */
  readonly tool?: Tool;
}

/** A tool as both wire formats take it. */
export interface Tool {
  readonly name: string;
  readonly about: string;
  /** JSON Schema. */
  readonly schema: Record<string, unknown>;
}

/** What a model answered. */
export interface Answer {
  /** The tool's input, when it called it. */
  readonly input?: unknown;
  /** Its words beside that. */
  readonly text: string;
  readonly tokens: number;
}

/** A model. It throws ModelError when there is no answer. */
export interface Model {
  complete(prompt: Prompt, signal: AbortSignal): Promise<Answer>;
}

/** Why a model gave no answer. */
export class ModelError extends Error {
  /** Whether trying again may help; the wait that the provider asks for, in ms. */
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

/** What the person may do to a task that runs. */
export type Status = 'running' | 'waiting' | 'paused';
