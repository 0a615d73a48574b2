// Second step of generating protocol.ts (see build/tygo.yaml). tygo writes a Go type with constants
// as `type T = string` and each constant as a `T`. With that, TypeScript can neither narrow a
// message by its type nor detect a missing case. This script makes T the union of its constants,
// and collects the panel's events.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('protocol.ts', import.meta.url);

/** Types that have values unknown to the code: they stay strings. */
const open = new Set(['AgentKind', 'SessionName', 'TabID', 'TerminalID']);

let text = readFileSync(file, 'utf8');
if (text.includes('export type PanelEvent =')) {
  throw new Error('protocol.ts is refined already; run tygo first');
}

/** @type {Map<string, string[]>} */
const members = new Map();
text = text.replace(/^export const (\w+): (\w+) = (".*?");/gm, (line, name, type, value) => {
  if (open.has(type)) return line;
  members.set(type, [...(members.get(type) ?? []), name]);
  return `export const ${name} = ${value};`;
});
for (const [type, names] of members) {
  const union = names.map((name) => `\n  | typeof ${name}`).join('');
  const before = text;
  text = text.replace(`export type ${type} = string;`, `export type ${type} =${union};`);
  if (text === before) throw new Error(`${type} has constants and no declaration`);
}

// tygo repeats a group's comment above each constant of the group.
text = text.replace(
  /(\/\*\*\n(?: \*.*\n)*? \*\/\n)(export const .*\n)((?:\1export const .*\n)+)/g,
  (_, comment, first, rest) => comment + first + rest.replaceAll(comment, ''),
);

const events = [...text.matchAll(/^export interface (\w+Event) {\n {2}type: '/gm)].map((m) => m[1]);
if (events.length === 0) throw new Error('no event of the panel found');
// All of them are named there, though panel.go does not declare the union.
text += `
//////////
// source: panel.go

/**
 * PanelEvent is any message of the panel's socket, backend to panel.
 */
export type PanelEvent =${events.map((name) => `\n  | ${name}`).join('')};
`;

writeFileSync(file, text);
