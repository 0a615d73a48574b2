import type { PickedElement } from '$ui/protocol/protocol';
import { oneLine } from '$ui/foreign';

/** The longest name of an element that is put into a message, in characters. */
const longest = 60;

/** What an element is called: `button "Save"`. */
export function elementWords({ role, name }: PickedElement): string {
  const said = oneLine(name ?? '')
    .replaceAll('"', "'")
    .trim();
  if (said === '') return role;
  const short = said.length > longest ? `${said.slice(0, longest - 1).trimEnd()}…` : said;
  return `${role} "${short}"`;
}

/** How an element stands in a message: with the ref, which the agent's commands take. */
export function elementMention(element: PickedElement): string {
  return `@${element.ref} ${elementWords(element)} `;
}

/** How a file of the working folder stands in a message; a folder is written on. */
export function pathMention(path: string): string {
  if (/\s/.test(path)) return `@"${path}" `;
  return path.endsWith('/') ? `@${path}` : `@${path} `;
}
