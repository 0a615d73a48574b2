import * as v from 'valibot';
import type { Action, ActionName, Answer, Thought, Tool } from './types';
import { verbFields, verbProperties, verbs, type VerbName } from './verbs';

const text = v.pipe(v.string(), v.trim());
const ref = v.pipe(
  v.union([v.string(), v.number()]),
  // Models write @e3, [e3] and e3.
  v.transform((value) => String(value).replace(/^[@[\s]+|[\]\s]+$/g, '')),
  v.minLength(1, 'the ref is empty'),
);

const pixelsPerSecond = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000));

/** How an action is described to the model, and how its fields are checked. */
interface Described {
  readonly about: string;
  readonly fields: v.ObjectEntries;
}

/** Every action once. The checks and the description for the model are made from it. */
const own = {
  click: {
    about: 'click an element',
    fields: {
      ref,
      button: v.exactOptional(v.picklist(['left', 'right', 'middle'])),
      count: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3))),
      keys: v.exactOptional(text),
      hold: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(60_000))),
    },
  },
  hover: { about: 'move the mouse over an element', fields: { ref } },
  type: {
    about:
      'put text into a field in place of what it holds (append: behind it); enter: press Enter then',
    fields: {
      ref,
      text: v.string(),
      append: v.exactOptional(v.boolean()),
      enter: v.exactOptional(v.boolean()),
    },
  },
  secret: {
    about:
      'have a secret of the person entered into a field, by its name (listed under Secrets); you never see it',
    fields: {
      ref,
      secret: v.pipe(text, v.regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, 'it is no name of a secret')),
      enter: v.exactOptional(v.boolean()),
    },
  },
  select: {
    about: 'choose an option of a list by what it says; for a list that is no native one, too',
    fields: { ref, option: text },
  },
  check: {
    about: 'switch a checkbox, radio button or switch on, or off',
    fields: { ref, on: v.exactOptional(v.boolean()) },
  },
  drag: {
    about: 'drag one element to another',
    fields: { ref, to: ref, via: v.exactOptional(text), speed: v.exactOptional(pixelsPerSecond) },
  },
  scroll: {
    about: 'scroll the page, or the area of ref, by pixels; with ref alone: bring it into view',
    fields: {
      ref: v.exactOptional(ref),
      down: v.exactOptional(v.number()),
      right: v.exactOptional(v.number()),
    },
  },
  press: {
    about: 'press keys, such as Enter, Escape or Control+A',
    fields: { keys: v.pipe(text, v.minLength(1)), ref: v.exactOptional(ref) },
  },
  upload: { about: 'give a file of the person to a file field', fields: { ref, file: text } },
  dialog: {
    about: 'answer the dialog that the page shows',
    fields: { answer: v.picklist(['accept', 'dismiss']), text: v.exactOptional(v.string()) },
  },
  wait: {
    about:
      'wait for a text, an element, something to go, a quiet network, a load, or milliseconds (at most 10000)',
    fields: {
      for: v.picklist(['text', 'gone', 'element', 'quiet', 'load', 'time']),
      value: v.exactOptional(
        v.pipe(
          v.union([v.string(), v.number()]),
          v.transform((value) => String(value)),
        ),
      ),
    },
  },
  goto: { about: 'open an address in the tab', fields: { url: v.pipe(text, v.minLength(1)) } },
  back: { about: 'go one page back', fields: {} },
  forward: { about: 'go one page forward', fields: {} },
  reload: { about: 'load the page again', fields: {} },
  screenshot: { about: 'see a picture of the page in the next step', fields: {} },
  read: {
    about: 'read the whole page, or an element, as Markdown, also what is out of view',
    fields: { ref: v.exactOptional(ref) },
  },
  table: { about: 'read the tables of the page as rows', fields: {} },
  find: { about: 'find a text on the page', fields: { text: v.pipe(text, v.minLength(1)) } },
  more: {
    about:
      'see what stands behind a handle (h3) that the page has in place of lines that were left out',
    fields: { handle: v.pipe(text, v.minLength(1)) },
  },
  extract: {
    about:
      'collect data from the whole page as JSON: rows with these fields, or what a JSON Schema describes',
    fields: {
      fields: v.exactOptional(v.pipe(v.array(text), v.minLength(1), v.maxLength(20))),
      schema: v.exactOptional(v.record(v.string(), v.unknown())),
    },
  },
  eval: {
    about: 'run JavaScript in the page; only where the person allows it',
    fields: { code: text },
  },
  open_tab: { about: 'open a tab of the task', fields: { url: v.exactOptional(text) } },
  switch_tab: { about: 'go on in another tab of the task', fields: { tab: text } },
  close_tab: { about: 'close a tab of the task', fields: { tab: v.exactOptional(text) } },
  tabs: { about: 'list the tabs of the task', fields: {} },
  tool: {
    about: 'use a tool of an MCP server, with its arguments as an object',
    fields: {
      server: v.pipe(text, v.minLength(1)),
      tool: v.pipe(text, v.minLength(1)),
      // Some models write the object as text.
      arguments: v.exactOptional(
        v.pipe(
          v.unknown(),
          v.transform((value) => (typeof value === 'string' ? parsed(value) : value)),
          v.check((value) => !Array.isArray(value), 'it is no object'),
          v.record(v.string(), v.unknown(), 'it is no object'),
        ),
      ),
    },
  },
  ask: {
    about: 'ask the person something that only they know or may decide',
    fields: { question: v.pipe(text, v.minLength(1)) },
  },
  done: {
    about: 'end the task; success is false when the goal was not reached',
    fields: { success: v.boolean(), text: v.pipe(text, v.minLength(1)) },
  },
} as const;

/** These actions and the input verbs of the registry. */
const actions: Readonly<Record<ActionName, Described>> = {
  ...own,
  ...verbActions(),
};

function verbActions(): Record<VerbName, Described> {
  const described = verbs.map(({ name, summary }) => [
    name,
    { about: summary, fields: verbFields(name, ref) },
  ]);
  return Object.fromEntries(described) as Record<VerbName, Described>;
}

/** The most actions of one step. */
const maxActions = 10;

/** The name of the only tool that the model is given. */
export const stepTool = 'step';

/** The tool for the model, with its JSON Schema. */
export function describeStep(allowed: {
  readonly eval: boolean;
  readonly vision: boolean;
  /** Whether there are tools of the user's MCP servers. */
  readonly tools?: boolean;
}): Tool {
  const { tools = false } = allowed;
  const names = (Object.keys(actions) as ActionName[]).filter(
    (name) =>
      (name !== 'eval' || allowed.eval) &&
      (name !== 'screenshot' || allowed.vision) &&
      (name !== 'tool' || tools),
  );
  return {
    name: stepTool,
    about: 'Say what you see and what you do next, and do it.',
    schema: {
      type: 'object',
      properties: {
        evaluation: { type: 'string', description: 'how the last step went, in one sentence' },
        memory: {
          type: 'string',
          description: 'what to remember of what was seen and done so far',
        },
        goal: { type: 'string', description: 'what you do next and why, in one sentence' },
        actions: {
          type: 'array',
          minItems: 1,
          maxItems: maxActions,
          description:
            'done in this order; several only if none depends on how the page looks after another. ' +
            names.map((name) => `${name}: ${actions[name].about}`).join('; '),
          items: {
            type: 'object',
            properties: {
              ...verbProperties(),
              do: { type: 'string', enum: names },
              ref: {
                type: 'string',
                description: 'an element of the page, such as e12; for mouse also a point x,y',
              },
              to: { type: 'string' },
              via: { type: 'string', description: 'drag: points x,y or refs on the way' },
              text: { type: 'string' },
              secret: { type: 'string', description: 'secret: the name of it' },
              append: { type: 'boolean' },
              enter: { type: 'boolean' },
              button: { type: 'string', enum: ['left', 'right', 'middle'] },
              count: { type: 'integer' },
              keys: { type: 'string', description: 'the keys; click: keys that are held' },
              option: { type: 'string' },
              on: { type: 'boolean' },
              down: { type: 'number' },
              right: { type: 'number' },
              file: { type: 'string' },
              answer: { type: 'string', enum: ['accept', 'dismiss'] },
              for: { type: 'string', enum: ['text', 'gone', 'element', 'quiet', 'load', 'time'] },
              value: { type: 'string' },
              url: { type: 'string' },
              handle: { type: 'string' },
              fields: { type: 'array', items: { type: 'string' } },
              schema: { type: 'object', description: 'extract: a JSON Schema' },
              ...(allowed.eval && { code: { type: 'string' } }),
              ...(tools && {
                server: { type: 'string', description: 'tool: the MCP server' },
                tool: { type: 'string' },
                arguments: { type: 'object' },
              }),
              tab: { type: 'string' },
              question: { type: 'string' },
              success: { type: 'boolean' },
            },
            required: ['do'],
          },
        },
      },
      required: ['evaluation', 'memory', 'goal', 'actions'],
    },
  };
}

/** A model's answer: a step, or what was wrong with it, in words for the model. */
export type Reading =
  | { readonly thought: Thought; readonly wrong?: undefined }
  | { readonly wrong: string; readonly thought?: undefined };

const outer = v.object({
  evaluation: v.fallback(text, ''),
  memory: v.fallback(text, ''),
  goal: v.fallback(text, ''),
  actions: v.pipe(
    v.union([
      v.array(v.unknown()),
      v.pipe(
        v.record(v.string(), v.unknown()),
        v.transform((one) => [one]),
      ),
    ]),
    v.minLength(1, 'it has no action'),
    v.maxLength(maxActions, `it has more than ${String(maxActions)} actions`),
  ),
});

/** Reads a model's answer. Some models write the tool's input into their text. */
export function readAnswer(answer: Answer): Reading {
  const input = answer.input ?? jsonIn(answer.text);
  if (input === undefined) {
    const said = answer.text.trim();
    return {
      wrong:
        said === ''
          ? `Your answer was empty. Call the tool "${stepTool}".`
          : `You answered with words instead of the tool "${stepTool}". Call it; to end the task use the action done.`,
    };
  }
  const whole = v.safeParse(outer, unwrapped(input));
  if (!whole.success)
    return { wrong: `The input of "${stepTool}" is wrong: ${problem(whole.issues)}.` };
  const list: Action[] = [];
  for (const [i, raw] of whole.output.actions.entries()) {
    const one = readAction(raw);
    if (typeof one === 'string') return { wrong: `Action ${String(i + 1)} is wrong: ${one}.` };
    list.push(one);
  }
  const { evaluation, memory, goal } = whole.output;
  return { thought: { evaluation, memory, goal, actions: list } };
}

/** Reads one action; returns a string if it is invalid, with the reason. */
export function readAction(raw: unknown): Action | string {
  const flat = v.safeParse(v.record(v.string(), v.unknown()), raw);
  if (!flat.success) return 'it is no object';
  // Some models write {"click": {"ref": "e1"}}.
  let input = flat.output;
  const keys = Object.keys(input);
  const only = keys[0];
  if (input.do === undefined && keys.length === 1 && only !== undefined && only in actions) {
    const inner = input[only];
    input = { ...(typeof inner === 'object' && inner !== null ? inner : {}), do: only };
  }
  const name = input.do;
  if (typeof name !== 'string' || !(name in actions)) {
    return `there is no action ${JSON.stringify(name ?? '')}; there are ${Object.keys(actions).join(', ')}`;
  }
  const { fields } = actions[name as ActionName];
  // Some models write null for a field that they leave out.
  const given = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => key in fields && value !== null),
  );
  const parsed = v.safeParse(v.object(fields), given);
  if (!parsed.success) return `${name}: ${problem(parsed.issues)}`;
  if (name === 'extract' && given.fields === undefined && given.schema === undefined)
    return 'extract: it needs fields or a schema';
  return { do: name, ...parsed.output } as Action;
}

/** A text as JSON; the text itself if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function problem(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const [first] = issues;
  const at = v.getDotPath(first);
  if (first.received === 'undefined') return `${at ?? 'something'}: it is missing`;
  return at === null ? first.message : `${at}: ${first.message}`;
}

/** Some servers send the input as text, or inside "arguments". */
function unwrapped(input: unknown): unknown {
  if (typeof input === 'string') return jsonIn(input) ?? input;
  if (typeof input !== 'object' || input === null || 'actions' in input) return input;
  for (const name of ['arguments', 'parameters', 'input']) {
    if (name in input) return unwrapped((input as Record<string, unknown>)[name]);
  }
  return input;
}

/** The last complete JSON object with actions in a text. */
function jsonIn(text: string): unknown {
  let found: unknown;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    const end = closing(text, at);
    if (end < 0) continue;
    try {
      const value: unknown = JSON.parse(text.slice(at, end + 1));
      const inner = unwrapped(value);
      if (typeof inner === 'object' && inner !== null && 'actions' in inner) {
        found = inner;
        at = end;
      }
    } catch {
      // A brace in the prose, not JSON.
    }
  }
  return found;
}

/** The index of the brace that closes the one at `from`; -1 if there is none. */
function closing(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i += 1;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{') depth += 1;
    else if (c === '}') {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return -1;
}
