import type { ChatTool, ToolContent } from '$ui/protocol/protocol';
import { toolLine } from './words';

/** What a tool asks to do, each thing said once. */
export interface Question {
  /** The command, or the tool's title. */
  readonly what: string;
  /** The other arguments; one without a name is all that the agent gave. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly content: ToolContent[];
}

/** A text as it is compared: agents put commands into backticks and on one line. */
const even = (text: string): string => text.replace(/[`\s]+/g, ' ').trim();

/**
 * Reads what a permission is asked for. Agents say a command as the title, among the
 * arguments and as content; a person reads it once, and whole.
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

/** The arguments of a call by their names. */
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
