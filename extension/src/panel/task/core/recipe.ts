import { called, type Mark } from './element';
import type { Action, Step } from './types';
import { inWords } from './words';

/**
 * One recorded action, with the identification of its elements. The refs in the
 * action are not used.
 */
export interface RecordedAction {
  readonly action: Action;
  readonly mark?: Mark | undefined;
  /** The element that was the target of a drag. */
  readonly toMark?: Mark | undefined;
}

/** A value that the user enters before a replay. */
export interface Param {
  readonly name: string;
  readonly value: string;
  /** Whether it was typed into a password field. Such a value is stored nowhere. */
  readonly secret: boolean;
}

/** The recorded actions of a task, which can be replayed without a model. */
export interface Recipe {
  /** The URL on which the task started; empty if it is not a web page. */
  readonly url: string;
  readonly deeds: readonly RecordedAction[];
  readonly params: readonly Param[];
}

/** Stands for a secret in a journal. */
export const secretText = '•••';

/**
 * Actions that change nothing, or that need a model or the user's answers at that time.
 * The arguments of a tool are stored with credentials masked, so it is not used again.
 */
const leftOut: ReadonlySet<Action['do']> = new Set([
  'screenshot',
  'read',
  'table',
  'find',
  'more',
  'extract',
  'tabs',
  'tool',
  'ask',
  'done',
]);

/** Records the successful actions of a task, without those that only read. */
export function recipeOf(steps: readonly Step[]): Recipe {
  const tabs: string[] = [];
  const place = (tab: string): string => {
    if (!tabs.includes(tab)) tabs.push(tab);
    return `#${String(tabs.indexOf(tab))}`;
  };
  const params: Param[] = [];
  const deeds: RecordedAction[] = [];
  for (const step of steps) {
    place(step.tab);
    for (const { action, result, mark, toMark } of step.deeds) {
      if (!result.ok || leftOut.has(action.do)) continue;
      let done: Action = plain(action);
      if (done.do === 'switch_tab') done = { ...done, tab: place(done.tab) };
      else if (done.do === 'close_tab' && done.tab !== undefined)
        done = { ...done, tab: place(done.tab) };
      else if (done.do === 'type' && done.text === secretText) {
        const name = free(slug(mark?.name ?? '') || 'secret', params);
        params.push({ name, value: '', secret: true });
        done = { ...done, text: `\${${name}}` };
      }
      deeds.push({
        action: done,
        ...(mark !== undefined && { mark }),
        ...(toMark !== undefined && { toMark }),
      });
    }
  }
  const url = steps[0]?.url ?? '';
  return { url: /^https?:/.test(url) ? url : '', deeds, params };
}

/** Escapes `${` in a recorded text, so that it is not taken for a parameter. */
function plain(action: Action): Action {
  return mapTexts(action, (text) => text.replaceAll('${', '$ {'));
}

function mapTexts(action: Action, change: (text: string) => string): Action {
  const texts = new Set(['text', 'option', 'value', 'url', 'file']);
  return Object.fromEntries(
    Object.entries(action).map(([key, value]: [string, unknown]) => [
      key,
      texts.has(key) && typeof value === 'string' ? change(value) : value,
    ]),
  ) as Action;
}

/** A name for a parameter, with letters, digits and _ only. */
export function slug(text: string): string {
  return plainName(text, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 30)
    .replace(/_+$/, '');
}

/**
 * A text in plain lower-case letters and digits, with `gap` for everything else,
 * accents included.
 */
export function plainName(text: string, gap: '_' | '-'): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, gap);
}

function free(name: string, params: readonly Param[]): string {
  for (let n = 1; ; n += 1) {
    const tried = n === 1 ? name : `${name}${String(n)}`;
    if (!params.some((one) => one.name === tried)) return tried;
  }
}

/** The typed and selected values, which can become parameters. */
export function typedIn(recipe: Recipe): (Param & { readonly at: number })[] {
  const out: (Param & { at: number })[] = [];
  for (const [at, { action, mark }] of recipe.deeds.entries()) {
    const value =
      action.do === 'type' ? action.text : action.do === 'select' ? action.option : undefined;
    if (value === undefined || value === '' || value.includes('${')) continue;
    const name = free(slug(mark?.name ?? '') || 'value', [...recipe.params, ...out]);
    out.push({ at, name, value, secret: false });
  }
  return out;
}

/** Makes parameters of the values at these places. */
export function withParams(recipe: Recipe, chosen: readonly (Param & { at: number })[]): Recipe {
  const deeds = recipe.deeds.map((performed, at) => {
    const one = chosen.find((param) => param.at === at);
    return one === undefined
      ? performed
      : {
          ...performed,
          action: mapTexts(performed.action, (text) =>
            text === one.value ? `\${${one.name}}` : text,
          ),
        };
  });
  const added = chosen.map(({ name, value, secret }) => ({ name, value, secret }));
  return { ...recipe, deeds, params: [...recipe.params, ...added] };
}

/** Replaces the parameters of an action with their values. */
export function filled(action: Action, values: Readonly<Record<string, string>>): Action {
  return mapTexts(action, (text) =>
    text.replace(/\$\{([a-zA-Z]\w*)\}/g, (all, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? all) : all,
    ),
  );
}

/** Describes a recorded action for the user. */
export function recordedInWords({ action, mark }: RecordedAction): string {
  return inWords(action, mark === undefined ? undefined : called(mark));
}
