import { callsOf } from './calls';
import type { Mark } from '../core/element';
import type { Recipe } from '../core/recipe';
import { verbPlaces } from '../core/verbs';

/** The arguments that need no name on a command line, in order. */
const places: Readonly<Record<string, readonly string[]>> = {
  click: ['target'],
  hover: ['target'],
  fill: ['target', 'value'],
  type: ['target', 'value'],
  select: ['target', 'value'],
  check: ['target'],
  uncheck: ['target'],
  drag: ['target', 'to'],
  press: ['key', 'target'],
  upload: ['target', 'files'],
  wait: ['for', 'value'],
  goto: ['url'],
  newtab: ['url'],
  ...verbPlaces,
};

/**
 * The recorded actions as lines for `pilotfish run`. Empty if a line cannot express
 * one of them, which is the case with other tabs.
 */
export function linesOf(recipe: Recipe): string[] {
  if (recipe.deeds.some(({ action }) => action.do === 'switch_tab')) return [];
  const lines = recipe.url === '' ? [] : [`goto ${word(recipe.url)}`];
  for (const { action, mark, toMark } of recipe.deeds) {
    for (const { command, args = {} } of callsOf(action)) {
      const said: Record<string, unknown> = { ...args };
      if ('target' in said && mark !== undefined) said.target = locator(mark);
      if ('to' in said && toMark !== undefined) said.to = locator(toMark);
      const order = places[command] ?? [];
      const named = Object.entries(said).filter(
        ([name, value]) => !order.includes(name) && value !== undefined,
      );
      const bare = order.filter((name) => said[name] !== undefined);
      lines.push(
        [
          command,
          ...bare.map((name) => word(textOf(said[name]))),
          ...named.map(([name, value]) =>
            value === true ? `--${name}` : `--${name}=${word(textOf(value))}`,
          ),
        ].join(' '),
      );
    }
  }
  return lines;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** An element as the target of a command. */
export function locator({ kind, name, nth, of }: Mark): string {
  const role = kind === 'btn' ? 'button' : kind === 'click' ? undefined : kind;
  const quoted = `"${name.replace(/[\\"]/g, '\\$&')}"`;
  const which = of > 1 ? ` nth=${String(nth)}` : '';
  if (role === undefined) return `text=${quoted}${which}`;
  return `role=${role}${name === '' ? '' : ` name=${quoted}`}${which}`;
}

/** A text as one quoted argument of a command line. */
function word(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', ' ')}"`;
}
