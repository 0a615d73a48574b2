import type { Snapshots } from './snapshots.js';
import { elementOf } from './resolve.js';
import { roleOf } from './role.js';
import { careful, chosen, editedText, isEditingHost, isListBox, isSecret } from './value.js';
import { comparable, printedName } from './normal.js';

/** The result of setting a value. With `type` the caller must insert the text by trusted input. */
export type Filled =
  /** `told`: the page received synthetic events of ours, which it can tell from a user's. */
  | { state: 'ok'; value: string; told?: boolean }
  /**
   * The caller must press this key by trusted input: it selects the option from the neighbouring
   * one.
   */
  | { state: 'press'; key: 'ArrowDown' | 'ArrowUp' }
  /**
   * Refs of options drawn in the page. A click on the first selects only that one; the others are added to
   * the selection. With `toggles`, each click takes one out of it.
   */
  | { state: 'click'; options: string[]; toggles: boolean }
  | { state: 'type'; selected: boolean }
  | { state: 'gone' }
  | Refused;

/** Why a value was not set. */
interface Refused {
  state: 'refused';
  code: Unfit;
  why: string;
  /** The labels of the options that there are. */
  options?: string[];
  /** The options that have the same label. */
  alike?: OptionData[];
  /** The field that has another form of value. */
  field?: FieldForm;
}

/** What tells which values a field takes. */
interface FieldForm {
  type: string;
  min?: string;
  max?: string;
  step?: string;
}

/** An option of a list, for one that must be distinguished from others of the same label. */
export interface OptionData {
  label: string;
  value: string;
  /** The label of the group that it is in. */
  group?: string;
}

/** Why a field did not accept a value. The caller derives its advice from it. */
export type Unfit =
  | 'read_only'
  | 'disabled'
  | 'option_disabled'
  | 'bad_value'
  | 'no_option'
  | 'one_option'
  /** Several options have the label. */
  | 'alike_options'
  /** It is a field of another kind, or not a field. */
  | 'other_kind';

/** Input types whose value the browser composes from parts. They are set as a whole, not typed. */
const composed = /^(date|time|datetime-local|month|week|color|range)$/;

/**
 * Prepares a text field for the caller's trusted input (focus it, select everything), or sets a
 * value directly that cannot be typed: dates, colours, sliders.
 */
export function fill(snapshots: Snapshots, ref: string, value: string): Filled {
  const el = elementOf(snapshots, ref);
  if (!el) return { state: 'gone' };
  if (el instanceof HTMLSelectElement) return choose(snapshots, ref, [value], true);
  if (el instanceof HTMLInputElement) {
    if (el.type === 'file') return refuse('other_kind', 'files are given by upload');
    if (el.type === 'checkbox' || el.type === 'radio')
      return refuse('other_kind', 'use check or uncheck');
    if (el.readOnly) return refuse('read_only', 'read-only');
    if (el.disabled) return refuse('disabled', 'disabled');
    if (composed.test(el.type)) return setWhole(el, value);
  }
  if (el instanceof HTMLTextAreaElement && el.readOnly) return refuse('read_only', 'read-only');
  return prepare(el);
}

function prepare(el: Element): Filled {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    el.focus({ preventScroll: true });
    el.select();
    return { state: 'type', selected: el.value !== '' };
  }
  const host = el.closest('[contenteditable]');
  if (!(host instanceof HTMLElement) || !isEditingHost(host))
    return refuse('other_kind', 'takes no text');
  host.focus({ preventScroll: true });
  const range = document.createRange();
  range.selectNodeContents(host);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  return { state: 'type', selected: host.textContent !== '' };
}

// Frameworks observe the value property of the element itself. The prototype's setter bypasses
// them, as a user's input does.
export function setWhole(el: HTMLInputElement, given: string): Filled {
  const set = (to: string): boolean => Reflect.set(HTMLInputElement.prototype, 'value', to, el);
  const before = el.value;
  const value = inForm(el.type, given.trim());
  el.focus({ preventScroll: true });
  set(value);
  if (!takes(el, value)) {
    set(before);
    const { type, min, max, step } = el;
    const why = `not a value for ${type}: ${JSON.stringify(given)}`;
    const field =
      type === 'range' ? { type, min: min || '0', max: max || '100', step: step || '1' } : { type };
    return { ...refuse('bad_value', why), field };
  }
  tell(el);
  return { state: 'ok', value: el.value, told: true };
}

/** Whether a field has taken a value; one that it cannot take makes it empty, or another one. */
function takes(el: HTMLInputElement, value: string): boolean {
  if (el.type === 'range') return Number(el.value) === Number(value);
  if (el.type === 'color') return el.value === value.toLowerCase();
  return (el.value === '') === (value === '');
}

/** A value in the form that its field takes, where what was given can mean nothing else. */
function inForm(type: string, given: string): string {
  const day = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
  const date = (text: string): string =>
    text.replace(day, (_, y: string, _sign, m: string, d: string) => `${y}-${two(m)}-${two(d)}`);
  switch (type) {
    case 'date':
      return date(given);
    case 'time':
      return clock(given);
    case 'datetime-local': {
      const parts = /^(\S+?)(?:[T,]\s*|\s+)(\d.*)$/i.exec(given);
      return parts ? `${date(parts[1] ?? '')}T${clock(parts[2] ?? '')}` : given;
    }
    case 'month':
      return given.replace(
        /^(\d{4})[-/.](\d{1,2})$/,
        (_, y: string, m: string) => `${y}-${two(m)}`,
      );
    case 'week':
      return given.replace(
        /^(\d{4})[- ]?w(\d{1,2})$/i,
        (_, y: string, w: string) => `${y}-W${two(w)}`,
      );
    case 'color':
      return given.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
    default:
      return given;
  }
}

/** A time of day on a clock of 24 hours. */
function clock(given: string): string {
  const parts = /^(\d{1,2})(:\d{2}(?::\d{2})?)(?:\s*([ap])\.?m\.?)?$/i.exec(given);
  if (!parts) return given;
  const [, hours = '', rest = '', half] = parts;
  if (half === undefined) return two(hours) + rest;
  if (Number(hours) < 1 || Number(hours) > 12) return given;
  return two(String((Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0))) + rest;
}

function two(digits: string): string {
  return digits.padStart(2, '0');
}

function tell(el: Element): void {
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
}

/**
 * Selects options of a native list by label or value; several only in a list that allows several.
 */
export function choose(snapshots: Snapshots, ref: string, wanted: string[], press = false): Filled {
  const el = elementOf(snapshots, ref);
  if (!el) return { state: 'gone' };
  if (!(el instanceof HTMLSelectElement))
    return refuse('other_kind', 'not a native list: click it and its option');
  if (el.disabled) return refuse('disabled', 'disabled');
  if (wanted.length > 1 && !el.multiple) return refuse('one_option', 'takes one option');
  const all = [...el.options];
  const picked: HTMLOptionElement[] = [];
  if (!el.multiple || wanted.join() !== '')
    for (const want of wanted) {
      const found = optionFor(all, want);
      if ('state' in found) return found;
      picked.push(found);
    }
  return select(snapshots, el, picked, press);
}

/**
 * Selects these options of a native list and no others. With `press`, where input of the caller can
 * do it, it is only prepared.
 */
export function select(
  snapshots: Snapshots,
  el: HTMLSelectElement,
  picked: readonly HTMLOptionElement[],
  press: boolean,
): Filled {
  const all = [...el.options];
  el.focus({ preventScroll: true });
  const changed = all.some((option) => option.selected !== picked.includes(option));
  const by = press && changed ? beside(el, picked[0]) : undefined;
  if (by) {
    // This step fires no event, so the page sees only the change to the wanted option.
    el.selectedIndex = by.option.index;
    return { state: 'press', key: by.key };
  }
  if (press && changed && isListBox(el)) {
    const clicked = picked.length > 0 ? picked : el.selectedOptions;
    const options = Array.from(clicked, (option) =>
      snapshots.refs.format(snapshots.refs.number(option)),
    );
    return { state: 'click', options, toggles: picked.length === 0 };
  }
  if (el.multiple) for (const option of all) option.selected = picked.includes(option);
  else if (picked[0]) el.selectedIndex = picked[0].index;
  if (changed) tell(el);
  return { state: 'ok', value: chosen(el) ?? '', told: changed };
}

/** The option that a text means by its label or value. One that can be chosen comes first. */
function optionFor(all: readonly HTMLOptionElement[], want: string): HTMLOptionElement | Refused {
  const words = comparable(want);
  const tiers: ((option: HTMLOptionElement) => boolean)[] = [
    ({ label }) => printedName(label) === printedName(want),
    ({ label }) => comparable(label) === words,
    ({ value }) => value === want,
    ({ label }) => comparable(label).toLowerCase() === words.toLowerCase(),
  ];
  for (const some of [all.filter(isFree), all])
    for (const fits of tiers) {
      const found = some.filter(fits);
      const [first] = found;
      if (!first) continue;
      if (first.matches(':disabled'))
        return refuse('option_disabled', `option ${JSON.stringify(want)} is disabled`);
      // Of options with the same label and value, each means the same.
      const same = found.every(({ value }) => value === first.value);
      const one = same ? first : found.find(({ value }) => value === want);
      if (one) return one;
      const why = `${found.length} options have the label ${JSON.stringify(printedName(first.label))}`;
      return {
        ...refuse('alike_options', why),
        alike: found.slice(0, shownOptions).map(optionData),
      };
    }
  return {
    ...refuse('no_option', `no option ${JSON.stringify(want)}`),
    options: all.slice(0, shownOptions).map(({ label }) => printedName(label)),
  };
}

/** How many options a refusal lists. */
const shownOptions = 50;

/** Whether a user could choose an option. */
export function isFree(option: HTMLOptionElement): boolean {
  return !option.matches(':disabled') && getComputedStyle(option).display !== 'none';
}

function optionData(option: HTMLOptionElement): OptionData {
  const group = option.closest('optgroup')?.label ?? '';
  return {
    label: printedName(option.label),
    value: option.value,
    ...(group === '' ? {} : { group: printedName(group) }),
  };
}

/**
 * The option from which one arrow key selects the wanted one, and that key; undefined for lists drawn in the page.
 */
function beside(
  el: HTMLSelectElement,
  wanted: HTMLOptionElement | undefined,
): { option: HTMLOptionElement; key: 'ArrowDown' | 'ArrowUp' } | undefined {
  if (!wanted || isListBox(el)) return undefined;
  if (getComputedStyle(el).appearance === 'base-select') return undefined;
  const usable = [...el.options].filter(isFree);
  const at = usable.indexOf(wanted);
  const before = usable[at - 1];
  const after = usable[at + 1];
  if (at > 0 && before) return { option: before, key: 'ArrowDown' };
  return at === 0 && after ? { option: after, key: 'ArrowUp' } : undefined;
}

/** Whether a checkbox, radio button or switch is on, so that the caller clicks only when needed. */
export function checkedState(
  snapshots: Snapshots,
  ref: string,
): 'on' | 'off' | 'mixed' | 'gone' | 'none' {
  const el = elementOf(snapshots, ref);
  if (!el) return 'gone';
  if (el instanceof HTMLInputElement && /^(checkbox|radio)$/.test(el.type)) {
    if (el.indeterminate && el.type === 'checkbox') return 'mixed';
    return el.checked ? 'on' : 'off';
  }
  const said = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed');
  if (said === null) return 'none';
  return said === 'mixed' ? 'mixed' : said === 'true' ? 'on' : 'off';
}

/** Whether an element is one of a group, in which selecting another one switches it off. */
export function isGrouped(snapshots: Snapshots, ref: string): boolean {
  const el = elementOf(snapshots, ref);
  return el !== null && /^(radio|menuitemradio)$/.test(roleOf(el));
}

/** The current value of a field, masked when secret: it proves that a fill worked. */
export function valueOf(
  snapshots: Snapshots,
  ref: string,
  expected?: string,
): { value: string; matches: boolean } | undefined {
  const el = elementOf(snapshots, ref);
  if (!el) return undefined;
  const raw =
    el instanceof HTMLSelectElement
      ? (chosen(el) ?? '')
      : el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement
        ? el.value
        : isEditingHost(el)
          ? editedText(el)
          : el instanceof HTMLElement
            ? el.innerText
            : el.textContent;
  return {
    value: careful(el, raw),
    matches: expected === undefined || took(el, raw.trimEnd(), expected.trimEnd()),
  };
}

/**
 * Whether a field has taken a text, also when the page writes it in its own format: a card number
 * in groups, a telephone number with brackets, a code in capitals. A password is taken exactly.
 */
function took(el: Element, has: string, wanted: string): boolean {
  if (has === wanted) return true;
  if (el instanceof HTMLInputElement && el.type === 'password') return false;
  const bare = (text: string): string => {
    // A space between two letters separates words; any other only groups characters.
    const close = text.replace(/\s+/g, ' ').replace(/(?<!\p{L}) | (?!\p{L})/gu, '');
    return isSecret(el) ? close : close.toLowerCase();
  };
  const rest = bare(wanted);
  let at = 0;
  // A minus sign in front or a decimal point would make another number of it.
  for (const char of bare(has))
    if (rest.startsWith(char, at)) at += char.length;
    else if (!(at === 0 ? /[(+]/ : /[()/-]/).test(char)) return false;
  return at === rest.length && rest !== '';
}

/** Focuses an element; returns false when it cannot have the focus. */
export function focus(snapshots: Snapshots, ref: string): boolean {
  const el = elementOf(snapshots, ref);
  if (!(el instanceof HTMLElement || el instanceof SVGElement)) return false;
  el.focus({ preventScroll: true });
  return snapshots.tree.focused() === el;
}

function refuse(code: Unfit, why: string): Refused {
  return { state: 'refused', code, why };
}
