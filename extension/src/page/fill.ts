import type { Snapshots } from './snapshots.js';
import { elementOf } from './resolve.js';
import { roleOf } from './role.js';
import { careful, isEditingHost, isSecret } from './value.js';

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
   * the selection.
   */
  | { state: 'click'; options: string[] }
  | { state: 'type'; selected: boolean }
  | { state: 'gone' }
  | { state: 'refused'; code: Unfit; why: string; options?: string[] };

/** Why a field did not accept a value. The caller derives its advice from it. */
export type Unfit =
  | 'read_only'
  | 'disabled'
  | 'option_disabled'
  | 'bad_value'
  | 'no_option'
  | 'one_option'
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
function setWhole(el: HTMLInputElement, value: string): Filled {
  const set = (to: string): boolean => Reflect.set(HTMLInputElement.prototype, 'value', to, el);
  const before = el.value;
  el.focus({ preventScroll: true });
  set(value);
  const took =
    el.type === 'range'
      ? Number(el.value) === Number(value)
      : el.value === value.toLowerCase() || el.value === value;
  if (!took) {
    set(before);
    return refuse('bad_value', `not a value for ${el.type}: ${JSON.stringify(value)}`);
  }
  tell(el);
  return { state: 'ok', value: el.value, told: true };
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
  const labels = all.map((option) => option.label.trim());
  const picked: HTMLOptionElement[] = [];
  for (const want of wanted) {
    const found =
      all.filter((_, at) => labels[at] === want.trim())[0] ??
      all.find((option) => option.value === want) ??
      single(all.filter((_, at) => labels[at]?.toLowerCase() === want.trim().toLowerCase()));
    if (!found)
      return {
        ...refuse('no_option', `no option ${JSON.stringify(want)}`),
        options: labels.slice(0, 50),
      };
    if (found.matches(':disabled'))
      return refuse('option_disabled', `option ${JSON.stringify(want)} is disabled`);
    picked.push(found);
  }
  el.focus({ preventScroll: true });
  const changed = all.some((option) => option.selected !== picked.includes(option));
  const by = press && changed ? beside(el, picked[0]) : undefined;
  if (by) {
    // This step fires no event, so the page sees only the change to the wanted option.
    el.selectedIndex = by.option.index;
    return { state: 'press', key: by.key };
  }
  if (press && changed && isListBox(el)) {
    const options = picked.map((option) => snapshots.refs.format(snapshots.refs.number(option)));
    return { state: 'click', options };
  }
  if (el.multiple) for (const option of all) option.selected = picked.includes(option);
  else if (picked[0]) el.selectedIndex = picked[0].index;
  if (changed) tell(el);
  const value = [...el.selectedOptions].map((option) => option.label).join(', ');
  return { state: 'ok', value, told: changed };
}

/** Whether a list shows its options in the page, and not in a popup. */
const isListBox = (el: HTMLSelectElement): boolean => el.multiple || el.size > 1;

/**
 * The option from which one arrow key selects the wanted one, and that key; undefined for lists drawn in the page.
 */
function beside(
  el: HTMLSelectElement,
  wanted: HTMLOptionElement | undefined,
): { option: HTMLOptionElement; key: 'ArrowDown' | 'ArrowUp' } | undefined {
  if (!wanted || isListBox(el)) return undefined;
  if (getComputedStyle(el).appearance === 'base-select') return undefined;
  const usable = [...el.options].filter(
    (option) => !option.matches(':disabled') && getComputedStyle(option).display !== 'none',
  );
  const at = usable.indexOf(wanted);
  const before = usable[at - 1];
  const after = usable[at + 1];
  if (at > 0 && before) return { option: before, key: 'ArrowDown' };
  return at === 0 && after ? { option: after, key: 'ArrowUp' } : undefined;
}

function single<T>(list: T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
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
      ? [...el.selectedOptions].map((option) => option.label.trim()).join(', ')
      : el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement
        ? el.value
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

function refuse(code: Unfit, why: string): { state: 'refused'; code: Unfit; why: string } {
  return { state: 'refused', code, why };
}
