import { isBlock, visit } from './drawn.js';
import { FlatTree } from './flat.js';
import { printedName } from './normal.js';
import { Lines } from './textlines.js';

/** Shown in place of a secret. */
export const mask = '•••';

const secretTokens =
  /(^|\s)(cc-(number|csc|exp|exp-month|exp-year)|one-time-code|current-password|new-password)(\s|$)/;
const secretNames =
  /(^|[^a-z])(cvv2?|cvc2?|csc|otp|one.?time.?(code|pass)|passw(or)?d|card.?(number|num|no)|cc.?(number|num|no))([^a-z]|$)/i;

/** Fields that were given a secret of the user. */
const concealed = new WeakSet<Element>();

/**
 * Keeps the value of a field secret from now on, whatever it is called, and shows dots in place of
 * its text. Returns false for what is not a field.
 */
export function conceal(el: Element): boolean {
  if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return false;
  concealed.add(el);
  el.style.setProperty('-webkit-text-security', 'disc', 'important');
  return true;
}

/** Whether the value of a field is secret: passwords, cards, one-time codes. */
export function isSecret(el: Element): boolean {
  if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) {
    return false;
  }
  if (concealed.has(el)) return true;
  if (el.type === 'password' || secretTokens.test(el.autocomplete.toLowerCase())) return true;
  if (secretTokens.test((el.getAttribute('autocomplete') ?? '').toLowerCase())) return true;
  return secretNames.test(el.name) || secretNames.test(el.id);
}

/** Whether a text is a payment card number: 13 to 19 digits with a valid check digit. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, '');
  if (!/^\d{13,19}$/.test(digits) || /^(\d)\1*$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const twice = i % 2 === 1 ? digit * 2 : digit;
    sum += twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

/** Whether what an element shows is secret: a secret field with a value, or a card number. */
export function showsSecret(el: Element): boolean {
  if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return false;
  return el.value !== '' && (isSecret(el) || isCardNumber(el.value));
}

/** A value as it may be shown: secrets are masked. */
export function careful(el: Element, value: string): string {
  if (value === '') return '';
  return isSecret(el) || isCardNumber(value) ? mask : value;
}

/** Whether a list shows its options in the page, and not in a popup. */
export function isListBox(el: HTMLSelectElement): boolean {
  return el.multiple || el.size > 1;
}

/** The text of the selected option or options of a list. */
export function chosen(el: Element, between = ', '): string | undefined {
  if (el instanceof HTMLSelectElement)
    return [...el.selectedOptions].map(({ label }) => printedName(label)).join(between);
  if (el instanceof HTMLInputElement) return careful(el, el.value);
  const picked = [el, ...ownedBy(el)].flatMap((at) => [
    ...at.querySelectorAll('[role=option][aria-selected=true]'),
  ]);
  if (picked.length > 0)
    return picked.map((option) => printedName(option.textContent)).join(between);
  const input = el.querySelector('input');
  if (input) return careful(input, input.value);
  if (el.getAttribute('role') !== 'combobox') return undefined;
  const text = printedName(el.textContent);
  return text === '' ? undefined : text;
}

/** The elements that an element owns by aria-owns. */
function ownedBy(el: Element): Element[] {
  const ids = el.getAttribute('aria-owns');
  if (ids === null) return [];
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.split(/\s+/).flatMap((id) => (id === '' ? [] : (root.getElementById(id) ?? [])));
}

/** The live value of a control, masked when secret; undefined for an element without a value. */
export function shownValue(el: Element, role: string): string | undefined {
  switch (role) {
    case 'textbox':
    case 'searchbox':
    case 'date':
    case 'color':
      if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)
        return careful(el, el.value);
      return isEditingHost(el) ? editedText(el) : own(el);
    case 'time':
      return el instanceof HTMLInputElement ? careful(el, el.value) : undefined;
    case 'combobox':
    case 'listbox':
      return chosen(el);
    case 'slider':
    case 'spinbutton':
    case 'progressbar':
    case 'meter':
    case 'scrollbar':
      return ranged(el);
    case 'file':
      return el instanceof HTMLInputElement && el.files
        ? [...el.files].map((file) => file.name).join(', ')
        : undefined;
    default:
      return undefined;
  }
}

/** The text of a control in the middle of a text that names something else; undefined for other elements. */
export function embeddedValue(el: Element, role: string): string | undefined {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return shownValue(el, role) ?? '';
    case 'combobox':
    case 'listbox':
      return chosen(el, ' ') ?? '';
    case 'slider':
    case 'spinbutton':
    case 'progressbar':
    case 'meter':
    case 'scrollbar':
      if (el instanceof HTMLProgressElement && !el.hasAttribute('aria-valuenow'))
        return el.getAttribute('aria-valuetext') ?? (el.position < 0 ? '' : String(el.value));
      return ranged(el) ?? '';
    default:
      return undefined;
  }
}

function own(el: Element): string {
  return el.textContent.trim();
}

function ranged(el: Element): string | undefined {
  const said = el.getAttribute('aria-valuetext') ?? el.getAttribute('aria-valuenow');
  if (el instanceof HTMLInputElement)
    return el.getAttribute('aria-valuetext') ?? careful(el, el.value);
  if (said !== null) return said;
  if (el instanceof HTMLProgressElement)
    return el.position < 0 ? undefined : `${el.value}/${el.max}`;
  if (el instanceof HTMLMeterElement) return String(el.value);
  return undefined;
}

/** The text of an editor, in the lines in which a user typed it: a paragraph is one line. */
export function editedText(host: Element): string {
  const lines = new Lines();
  visit(new FlatTree(), host, {
    text: (data, _, pre) => {
      lines.add(data, pre);
    },
    enter: (el, display) => {
      if (el.localName === 'br') lines.newLine();
      else if (isBlock(display)) lines.break();
      return true;
    },
    leave: (_, display) => {
      if (isBlock(display)) lines.break();
    },
  });
  return lines.toString();
}

/** Whether an element is the outermost element of an editable area. */
export function isEditingHost(el: Element): boolean {
  if (!(el instanceof HTMLElement) || !el.isContentEditable) return false;
  const given = el.getAttribute('contenteditable');
  return given !== null && given !== 'false';
}
