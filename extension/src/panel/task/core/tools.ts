// Describes the tools of the user's MCP servers for the model, in few words: a line for
// each tool, with its arguments as in a function's declaration. What the servers say is
// foreign text; the caller puts the lines into an envelope.

import { beginning } from '../../core/words';

/** A tool, as its server describes it. */
export interface DescribedTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments; unknown if the server gave none, or a too large one. */
  readonly schema?: unknown;
}

/** A server with its tools. */
export interface DescribedServer {
  readonly name: string;
  readonly tools: readonly DescribedTool[];
}

/** The most characters of all lines; the model reads them in each turn. */
export const mostLetters = 12_000;
/** The longest description of an argument, in characters. */
const argumentLetters = 80;
/** The most values of an enumeration, and of alternatives, that are listed. */
const mostValues = 8;
/** How deep the type of an argument is described. */
const deepest = 3;

/** The lines for the model; empty if no server has a tool. */
export function toolLines(servers: readonly DescribedServer[]): string {
  const lines: string[] = [];
  let letters = 0;
  let left = 0;
  for (const { name, tools } of servers) {
    for (const [i, tool] of tools.entries()) {
      const line = `${i === 0 ? `server ${name}:\n` : ''}${toolLine(tool)}`;
      if (letters + line.length > mostLetters) {
        left += 1;
        continue;
      }
      letters += line.length + 1;
      lines.push(line);
    }
  }
  if (left > 0) lines.push(`… ${String(left)} more tools are left out`);
  return lines.join('\n');
}

function toolLine({ name, description = '', schema }: DescribedTool): string {
  const says = oneLine(description);
  return `- ${name}(${schema === undefined ? '…' : argumentsOf(schema)})${says === '' ? '' : `: ${says}`}`;
}

/** The arguments of a tool: "query: string (words to find), limit?: integer". */
function argumentsOf(schema: unknown): string {
  return fieldsOf(schema)
    .map(({ name, required, type, says }) => {
      const about = says === '' ? '' : ` (${says})`;
      return `${name}${required ? '' : '?'}: ${typeOf(type, 1)}${about}`;
    })
    .join(', ');
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly type: unknown;
  readonly says: string;
}

function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = record(schema);
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(record(properties)).map(([name, type]) => {
    const { description } = record(type);
    const says = typeof description === 'string' ? oneLine(description) : '';
    return {
      name: oneLine(name),
      required: needed.includes(name),
      type,
      says: says.length > argumentLetters ? `${beginning(says, argumentLetters - 1)}…` : says,
    };
  });
}

/** The type that a schema describes, as in a declaration. */
function typeOf(schema: unknown, depth: number): string {
  const { type, enum: values, const: value, anyOf, oneOf, items } = record(schema);
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) return alternatives(values.map((one) => JSON.stringify(one)));
  const parts: unknown = anyOf ?? oneOf;
  if (Array.isArray(parts) && depth < deepest)
    return alternatives(parts.map((one) => typeOf(one, depth + 1)));
  if (Array.isArray(type)) return alternatives(type.map(String));
  if (type === 'array')
    return items === undefined || depth >= deepest ? 'array' : `(${typeOf(items, depth + 1)})[]`;
  if (type === 'object' && depth < deepest) {
    const fields = fieldsOf(schema);
    if (fields.length > 0)
      return `{${fields.map((one) => `${one.name}${one.required ? '' : '?'}: ${typeOf(one.type, depth + 1)}`).join(', ')}}`;
  }
  return typeof type === 'string' ? oneLine(type) : 'any';
}

function alternatives(all: readonly string[]): string {
  const shown = all.slice(0, mostValues).map(oneLine);
  return [...shown, ...(all.length > mostValues ? ['…'] : [])].join(' | ');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
