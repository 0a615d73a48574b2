import type { ChatTool, ToolContent } from '$ui/protocol/protocol';
import { toolLine } from './words';

/** What a tool asks permission for, without repetitions. */
export interface Question {
  /** The command, or the tool's title. */
  readonly what: string;
  /** The other arguments. A field without a name contains the whole input of the agent. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly content: ToolContent[];
}

/** Normalizes a text for comparison: agents put commands into backticks and on one line. */
const even = (text: string): string => text.replace(/[`\s]+/g, ' ').trim();

/**
 * Extracts what permission is asked for. Agents repeat a command as the title, in the arguments and
 * in the content. The user should read it once, and completely.
 */
export function question(tool: ChatTool): Question {
  const title = toolLine(tool);
  const { input = '' } = tool;
  const diffs = tool.content.some(({ kind }) => kind === 'diff');
  let fields = diffs ? [] : named(input);
  const command = fields.find(({ name }) => name === 'command' || name === 'cmd')?.value;
  const what = command ?? title.replace(/^`([^`]*)`$/, '$1');
  const said = new Set([even(what), ...(command === undefined ? [] : [even(title)])]);
  const fresh = (text: string): boolean => {
    const known = said.has(even(text));
    said.add(even(text));
    return !known;
  };
  fields = fields.filter(({ value }) => value !== '' && fresh(value));
  const content = tool.content.filter(({ kind, text }) => kind !== 'text' || fresh(text ?? ''));
  return { what, fields, content };
}

/** The arguments of a call by name. */
function named(input: string): { name: string; value: string }[] {
  if (input === '') return [];
  let read: unknown;
  try {
    read = JSON.parse(input);
  } catch {
    return [{ name: '', value: input }];
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    return [{ name: '', value: typeof read === 'string' ? read : input }];
  return Object.entries(read).map(([name, value]: [string, unknown]) => ({
    name,
    value:
      Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? value.join(' ')
        : typeof value === 'string'
          ? value
          : JSON.stringify(value, undefined, 2),
  }));
}
