import type { Looker } from './look.js';
import { elementOf } from './resolve.js';
import { roleOf } from './role.js';
import { isEditingHost, isSecret, mask } from './value.js';

/** What setting a value led to. `type` asks the caller to insert the text by trusted input. */
export type Filled =
  /** `told`: the page was told by events of ours, which it can tell from a person's. */
  | { state: 'ok'; value: string; told?: boolean }
  /** The key that chooses the option from the one beside it, by trusted input. */
  | { state: 'press'; key: 'ArrowDown' | 'ArrowUp' }
  /** The refs of options in the page: a click on the first chooses only that, the others are added to it. */
  | { state: 'click'; options: string[] }
  | { state: 'type'; selected: boolean }
  | { state: 'gone' }
  | { state: 'refused'; code: Unfit; why: string; options?: string[] };

/** Why a field did not take something: what the caller's advice goes by. */
export type Unfit =
  | 'read_only'
  | 'disabled'
  | 'option_disabled'
  | 'bad_value'
  | 'no_option'
  | 'one_option'
  /** It is a field of another kind, or none. */
  | 'other_kind';

/** Input types of which the browser builds the value from parts: set whole, not typed. */
const composed = /^(date|time|datetime-local|month|week|color|range)$/;

/**
 * Prepares a text field (focus, everything selected) for the caller's trusted
 * input, or sets at once what cannot be typed: dates, colours, sliders.
 */
export function fill(look: Looker, ref: string, value: string): Filled {
  const el = elementOf(look, ref);
  if (!el) return { state: 'gone' };
  if (el instanceof HTMLSelectElement) return choose(look, ref, [value], true);
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

// Frameworks watch the property of the element itself; the prototype's setter
// goes past their watch, as a person's input does.
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

/** Chooses options of a native list by label or value; several only where it takes several. */
export function choose(look: Looker, ref: string, wanted: string[], press = false): Filled {
  const el = elementOf(look, ref);
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
    // No event tells of this step, so the page hears of the option that is wanted only.
    el.selectedIndex = by.option.index;
    return { state: 'press', key: by.key };
  }
  if (press && changed && isListBox(el)) {
    const options = picked.map((option) => look.refs.format(look.refs.number(option)));
    return { state: 'click', options };
  }
  if (el.multiple) for (const option of all) option.selected = picked.includes(option);
  else if (picked[0]) el.selectedIndex = picked[0].index;
  if (changed) tell(el);
  const value = [...el.selectedOptions].map((option) => option.label).join(', ');
  return { state: 'ok', value, told: changed };
}

/** Whether a list shows its options in the page, and not in a window of its own. */
const isListBox = (el: HTMLSelectElement): boolean => el.multiple || el.size > 1;

/** The option from which one arrow key chooses another, and that key; none for lists that open or take several. */
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

/** Whether a checkable thing is on, so that the caller clicks only when it must. */
export function checkedState(look: Looker, ref: string): 'on' | 'off' | 'mixed' | 'gone' | 'none' {
  const el = elementOf(look, ref);
  if (!el) return 'gone';
  if (el instanceof HTMLInputElement && /^(checkbox|radio)$/.test(el.type)) {
    if (el.indeterminate && el.type === 'checkbox') return 'mixed';
    return el.checked ? 'on' : 'off';
  }
  const said = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed');
  if (said === null) return 'none';
  return said === 'mixed' ? 'mixed' : said === 'true' ? 'on' : 'off';
}

/** Whether a thing is one of a group and is switched off by choosing another. */
export function isGrouped(look: Looker, ref: string): boolean {
  const el = elementOf(look, ref);
  return el !== null && /^(radio|menuitemradio)$/.test(roleOf(el));
}

/** What a field holds now, masked when secret: the proof of a fill. */
export function valueOf(
  look: Looker,
  ref: string,
  expected?: string,
): { value: string; matches: boolean } | undefined {
  const el = elementOf(look, ref);
  if (!el) return undefined;
  const raw =
    el instanceof HTMLSelectElement
      ? [...el.selectedOptions].map((option) => option.label.trim()).join(', ')
      : el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement
        ? el.value
        : el instanceof HTMLElement
          ? el.innerText
          : el.textContent;
  const value = isSecret(el) && raw !== '' ? mask : raw;
  return { value, matches: expected === undefined || raw.trimEnd() === expected.trimEnd() };
}

/** Puts the focus on an element; false when it takes none. */
export function focus(look: Looker, ref: string): boolean {
  const el = elementOf(look, ref);
  if (!(el instanceof HTMLElement || el instanceof SVGElement)) return false;
  el.focus({ preventScroll: true });
  return look.tree.focused() === el;
}

function refuse(code: Unfit, why: string): { state: 'refused'; code: Unfit; why: string } {
  return { state: 'refused', code, why };
}
