import { markup } from './kinds.js';
import { isEditingHost } from './value.js';

/** What a walk knows of an element's ancestors that its own attributes do not say. */
export interface Around {
  /** Inside something with aria-disabled. */
  disabled: boolean;
  /** The focused element. */
  focused: Element | null;
  /** Whether an ancestor may be a fieldset, which can disable it. */
  fieldsets: boolean;
}

/** Tags that can be disabled or invalid by themselves. */
const controls = /^(button|fieldset|input|optgroup|option|select|textarea)$/;
/** Roles with a "checked" state, shown in the role's own sign and as a mark. */
const checkable = new Set(
  'checkbox radio switch menuitemcheckbox menuitemradio option treeitem'.split(' '),
);
const selectable = new Set(['option', 'tab', 'treeitem', 'row', 'gridcell', 'columnheader']);

/** Roles that say that a user can type. */
const editors = /^(textbox|searchbox|combobox|spinbutton)$/;
/** What can open, and what can be current, by ARIA. */
const popups = /^(true|menu|listbox|tree|grid|dialog)$/;
const parts = /^(page|step|location|date|time)$/;

/** Whether an element is disabled, by itself, its fieldset or an ancestor. */
export function isDisabled(el: Element): boolean {
  return el.matches(':disabled') || el.closest('[aria-disabled=true]') !== null;
}

/** The marks for an element's state, in the order in which they are shown. */
export function statesOf(el: Element, role: string, around: Around): string[] {
  const out: string[] = [];
  if (around.disabled || (controls.test(el.localName) && switchedOff(el, around)))
    out.push('disabled');
  if (checkable.has(role)) {
    const checked = checkedOf(el);
    if (checked !== 'false') out.push(checked === 'mixed' ? 'mixed' : 'checked');
  }
  // A selector match costs more than all checks here, and most elements have no attributes.
  const attributes = el.hasAttributes();
  const aria = (name: string) => (attributes ? el.getAttribute(`aria-${name}`) : null);
  const pressed = aria('pressed');
  if (pressed === 'true') out.push('pressed');
  else if (pressed === 'mixed') out.push('mixed');
  else if (pressed === 'false') out.push('not pressed');
  const expanded = expandedOf(el, role);
  if (expanded !== undefined) out.push(expanded ? 'expanded' : 'collapsed');
  if (selectable.has(role) && selectedOf(el)) out.push('selected');
  if (isRequired(el)) out.push('required');
  if (isInvalid(el)) out.push('invalid');
  if (isReadonly(el)) out.push('readonly');
  if (attributes && isEditingHost(el) && !editors.test(role) && !markup.has(role))
    out.push('editable');
  const current = aria('current');
  if (current !== null && current !== 'false' && current !== '')
    out.push(parts.test(current) ? `current ${current}` : 'current');
  const sort = aria('sort');
  if (sort === 'ascending' || sort === 'descending') out.push(sort);
  const popup = aria('haspopup');
  if (popup !== null && popups.test(popup) && role !== 'combobox')
    out.push(popup === 'true' ? 'menu' : `opens ${popup}`);
  if (aria('busy') === 'true') out.push('busy');
  if (el === around.focused) out.push('focused');
  return out;
}

function switchedOff(el: Element, { fieldsets }: Around): boolean {
  if ((el as HTMLButtonElement).disabled) return true;
  return (fieldsets || el.localName === 'option') && el.matches(':disabled');
}

function checkedOf(el: Element): string {
  if (el instanceof HTMLInputElement && (el.type === 'checkbox' || el.type === 'radio')) {
    if (el.indeterminate && el.type === 'checkbox') return 'mixed';
    return String(el.checked);
  }
  const said = el.getAttribute('aria-checked');
  return said === 'true' || said === 'mixed' ? said : 'false';
}

function expandedOf(el: Element, role: string): boolean | undefined {
  if (role === 'summary') return (el.parentElement as HTMLDetailsElement).open;
  const said = el.getAttribute('aria-expanded');
  if (said === 'true' || said === 'false') return said === 'true';
  const command = /^(toggle|show|hide)-popover$/i.test(el.getAttribute('command') ?? '');
  const popover =
    el.getAttribute('popovertarget') ?? (command ? el.getAttribute('commandfor') : null);
  if (popover === null) return undefined;
  const target = (el.getRootNode() as Document | ShadowRoot).getElementById(popover);
  return target ? target.matches(':popover-open') : undefined;
}

function selectedOf(el: Element): boolean {
  if (el instanceof HTMLOptionElement) return el.selected;
  return el.getAttribute('aria-selected') === 'true';
}

function isRequired(el: Element): boolean {
  if (el.getAttribute('aria-required') === 'true') return true;
  return /^(input|select|textarea)$/.test(el.localName) && (el as HTMLInputElement).required;
}

function isInvalid(el: Element): boolean {
  const said = el.getAttribute('aria-invalid');
  if (said !== null) return said !== 'false' && said !== '';
  if (!/^(input|select|textarea)$/.test(el.localName)) return false;
  return !(el as HTMLInputElement).validity.valid && el.matches(':user-invalid');
}

function isReadonly(el: Element): boolean {
  if (el.getAttribute('aria-readonly') === 'true') return true;
  if (el instanceof HTMLTextAreaElement) return el.readOnly;
  return el instanceof HTMLInputElement && el.readOnly && lockable.test(el.type);
}

/** The types of input that can be read-only. Others ignore the attribute. */
const lockable =
  /^(date|datetime-local|email|month|number|password|search|tel|text|time|url|week)$/;

/** The level of a heading or tree item. */
export function levelOf(el: Element, role: string): number | undefined {
  const said = Number(el.getAttribute('aria-level'));
  if (role !== 'heading') return role === 'treeitem' && said > 0 ? said : undefined;
  if (Number.isInteger(said) && said > 0) return said;
  return /^h[1-6]$/.test(el.localName) ? Number(el.localName[1]) : 2;
}

/**
 * The target of a link: only the path on the same origin; undefined for scripts and empty
 * fragments.
 */
export function targetOf(el: Element): string | undefined {
  const raw = el.getAttribute('href') ?? el.getAttribute('xlink:href');
  if (raw === null || raw === '' || raw === '#' || /^\s*(javascript|data|blob):/i.test(raw))
    return undefined;
  if (raw.startsWith('#')) return raw;
  // The browser resolves the URL of HTML links. For SVG links the property is an animated value.
  const url = (el as HTMLAnchorElement).href;
  if (typeof url !== 'string') return raw;
  return url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url;
}

const handlers = [
  'onclick',
  'onmousedown',
  'onmouseup',
  'onpointerdown',
  'onpointerup',
  'ondblclick',
];

/** Whether an element without a widget role can be operated. */
export function isOperable(el: Element, listens: (el: Element) => boolean): boolean {
  if (el.hasAttributes()) {
    for (const name of handlers) if (el.hasAttribute(name)) return true;
    const tab = el.getAttribute('tabindex');
    if (tab !== null && Number(tab) >= 0) return true;
    if (el.getAttribute('draggable') === 'true') return true;
    if (el.hasAttribute('contenteditable') && isEditingHost(el)) return true;
  }
  return listens(el);
}
