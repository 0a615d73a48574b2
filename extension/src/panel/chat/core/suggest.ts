import type { ChatCommand, Tab } from '$ui/protocol/protocol';
import { oneLine } from '$ui/foreign';
import { matching, type Suggestion, type Wanted } from './complete';

/** What is inserted when the user takes a suggestion. */
export type Taken =
  | { readonly kind: 'command'; readonly name: string }
  | { readonly kind: 'tab'; readonly tab: Tab }
  | { readonly kind: 'pick' }
  | { readonly kind: 'path'; readonly path: string };

/** A suggestion, and what it inserts. */
export interface Offer {
  readonly suggestion: Suggestion;
  readonly taken: Taken;
}

/** What can be suggested. */
export interface Offers {
  readonly commands: readonly ChatCommand[];
  /** The conversation's tab, and all tabs. */
  readonly tab: Tab;
  readonly tabs: readonly Tab[];
  /** Files of the working folder, already filtered by the query. */
  readonly paths: readonly string[];
}

/** The title of a tab, or its URL if it has none. */
export function tabName(one: Tab): string {
  return oneLine(one.title === '' ? one.url : one.title);
}

/** The suggestions for the word being typed, best first. */
export function suggest(asked: Wanted | undefined, has: Offers): Offer[] {
  if (asked === undefined) return [];
  if (asked.kind === 'command')
    return matching(has.commands, asked.query, ({ name }) => name).map(({ name, about }) => ({
      suggestion: { id: name, text: `/${name}`, about },
      taken: { kind: 'command', name },
    }));
  const pick: Offer = {
    suggestion: { id: 'pick', text: 'Pick an element…', about: 'on this page' },
    taken: { kind: 'pick' },
  };
  const ofTab = (one: Tab): Offer => ({
    suggestion: {
      id: one.id,
      text: tabName(one),
      about: one.id === has.tab.id ? 'this tab' : one.url,
    },
    taken: { kind: 'tab', tab: one },
  });
  const others = has.tabs.filter(({ id }) => id !== has.tab.id).map(ofTab);
  const words = ({ suggestion, taken }: Offer): string =>
    taken.kind === 'tab' ? `${taken.tab.title} ${taken.tab.url}` : suggestion.text;
  const paths = has.paths.map((path): Offer => ({
    suggestion: { id: `/${path}`, text: path, about: path.endsWith('/') ? 'folder' : 'file' },
    taken: { kind: 'path', path },
  }));
  return [...matching([ofTab(has.tab), pick, ...others], asked.query, words), ...paths];
}
