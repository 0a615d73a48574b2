import type { PickedElement } from '$ui/protocol/protocol';
import { oneLine } from '$ui/foreign';

/** The longest element name that is inserted into a message, in characters. */
const longest = 60;

/** Describes an element: `button "Save"`. */
export function elementWords({ role, name }: PickedElement): string {
  const said = oneLine(name ?? '')
    .replaceAll('"', "'")
    .trim();
  if (said === '') return role;
  const short = said.length > longest ? `${said.slice(0, longest - 1).trimEnd()}…` : said;
  return `${role} "${short}"`;
}

/** The text of a mentioned element, with the ref that the agent's commands take. */
export function elementMention(element: PickedElement): string {
  return `@${element.ref} ${elementWords(element)} `;
}

/**
 * The text of a mentioned file of the working folder. After a folder no space
 * follows, so that the user can continue the path.
 */
export function pathMention(path: string): string {
  if (/\s/.test(path)) return `@"${path}" `;
  return path.endsWith('/') ? `@${path}` : `@${path} `;
}
