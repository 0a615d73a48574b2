import type { CommandRequest } from '$ui/protocol/protocol';
import type { Call } from '../browser/calls';
import type { Action } from '../core/types';
import { verbOf, verbs } from '../core/verbs';

/** An action of the loop, and how many commands it stands for. */
export interface Made {
  readonly action: Action;
  readonly of: number;
}

/** The longest wait of one action, in milliseconds. */
const longestWait = 10_000;

/**
 * The actions for a list of commands; the reverse of `callsOf`. The app reads plain
 * instructions and returns them as commands.
 */
export function actionsOf(commands: readonly CommandRequest[]): Made[] {
  const out: Made[] = [];
  for (const command of commands) {
    const before = out.at(-1);
    // Enter after a text becomes part of the typing action.
    if (before !== undefined && isEnterIn(command, before.action)) {
      const { action, of } = before;
      if (action.do === 'type')
        out[out.length - 1] = { action: { ...action, enter: true }, of: of + 1 };
    } else out.push(...madeOf(command));
  }
  return out;
}

function isEnterIn({ command, args = {} }: Call, before: Action): boolean {
  return (
    command === 'press' &&
    args.key === 'Enter' &&
    before.do === 'type' &&
    before.enter !== true &&
    args.target === before.ref
  );
}

function madeOf(call: Call): Made[] {
  const { args = {} } = call;
  if (call.command !== 'wait' || args.for !== 'time') return [{ action: actionOf(call), of: 1 }];
  // A long wait becomes several actions, because Stop takes effect after the current
  // action.
  const waits: Made[] = [];
  for (let left = Number(args.value); left > 0; left -= longestWait) {
    const value = String(Math.min(left, longestWait));
    waits.push({ action: { do: 'wait', for: 'time', value }, of: waits.length === 0 ? 1 : 0 });
  }
  return waits;
}

function actionOf({ command, args = {} }: Call): Action {
  const ref = textOf(args.target);
  const value = textOf(args.value);
  const verb = verbs.find(({ name }) => name === command);
  if (verb !== undefined) return verbOf(verb.name, args);
  switch (command) {
    case 'goto':
      return { do: 'goto', url: textOf(args.url) };
    case 'back':
    case 'forward':
    case 'reload':
      return { do: command };
    case 'newtab':
      return args.url === undefined
        ? { do: 'open_tab' }
        : { do: 'open_tab', url: textOf(args.url) };
    case 'tab':
      return { do: 'switch_tab', tab: textOf(args.tab) };
    case 'closetab':
      return args.tab === undefined
        ? { do: 'close_tab' }
        : { do: 'close_tab', tab: textOf(args.tab) };
    case 'click':
      return args.button === 'right' ? { do: 'click', ref, button: 'right' } : { do: 'click', ref };
    case 'dblclick':
      return { do: 'click', ref, count: 2 };
    case 'hover':
      return { do: 'hover', ref };
    case 'type':
      return { do: 'type', ref, text: value, append: true };
    case 'fill':
      return args.secret === undefined
        ? { do: 'type', ref, text: value }
        : { do: 'secret', ref, secret: textOf(args.secret) };
    case 'select':
      return { do: 'select', ref, option: value };
    case 'check':
      return { do: 'check', ref };
    case 'uncheck':
      return { do: 'check', ref, on: false };
    case 'drag':
      return { do: 'drag', ref, to: textOf(args.to) };
    case 'press':
      return args.target === undefined
        ? { do: 'press', keys: textOf(args.key) }
        : { do: 'press', keys: textOf(args.key), ref };
    case 'scroll':
      if (args.target !== undefined) return { do: 'scroll', ref };
      return args.x === undefined
        ? { do: 'scroll', down: Number(args.y) }
        : { do: 'scroll', right: Number(args.x) };
    case 'dialog': {
      const answer = args.answer === 'accept' ? 'accept' : 'dismiss';
      return args.text === undefined
        ? { do: 'dialog', answer }
        : { do: 'dialog', answer, text: textOf(args.text) };
    }
    case 'wait':
      return waitOf(args);
    default:
      throw new Error(`Task has no action for the command ${command}.`);
  }
}

function waitOf(args: Record<string, unknown>): Action {
  const kinds = ['text', 'gone', 'element', 'quiet', 'load', 'time'] as const;
  const kind = kinds.find((one) => one === args.for);
  if (kind === undefined) throw new Error(`Task cannot wait for ${textOf(args.for)}.`);
  return args.value === undefined
    ? { do: 'wait', for: kind }
    : { do: 'wait', for: kind, value: textOf(args.value) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
