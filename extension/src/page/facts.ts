import type { FlatTree } from './flat.js';
import { Names } from './name.js';
import { Styles } from './styles.js';
import { isSecret, shownValue } from './value.js';

/** Facts about an element, for the code that judges what an action on it would set off. */
export interface Facts {
  role: string;
  name: string;
  /** The type of a button or field; empty for other elements. */
  type: string;
  /** The target of a link. */
  href?: string;
  /** A link that downloads its target. */
  download?: boolean;
  /** A click, or Enter in a field, submits the form. */
  submits?: boolean;
  /** A text field. */
  field?: boolean;
  /** A search field, or a form that only searches. */
  search?: boolean;
  /** A field for writing a message. */
  message?: boolean;
  /** The page has a visible password field. */
  password?: boolean;
  form?: {
    action: string;
    method: string;
    /** The text of its submit button. */
    button: string;
    password?: boolean;
    card?: boolean;
    fields: { name: string; value: string }[];
  };
}

/** How many fields of a form the user is shown, at most. */
const mostFields = 20;

const messages =
  /\b(message|comment|reply|chat|nachricht|kommentar|antwort|commentaire|mensaje|comentario|messaggio|mensagem|bericht|wiadomość)\b/i;
const searches =
  /(^|[^a-z])(search|query|q|suche|recherche|buscar|cerca|zoek|szukaj)([^a-z]|$)|搜索|検索/i;

/** Collects the facts about an element. It changes nothing. */
export function factsOf(tree: FlatTree, el: Element): Facts {
  const names = new Names(tree, new Styles());
  // A click on something inside a button is a click on the button.
  const at =
    tree.closest(el, (one) =>
      one.matches(
        'a[href],area[href],button,input,select,textarea,summary,[role=button],[role=link],[role=menuitem],[contenteditable=""],[contenteditable=true]',
      ),
    ) ?? el;
  const role = names.role(at);
  const name = names.printed(at);
  const facts: Facts = { role, name, type: typeOf(at) };
  if (at instanceof HTMLAnchorElement || at instanceof HTMLAreaElement) {
    facts.href = at.href;
    if (at.hasAttribute('download')) facts.download = true;
  }
  const form = formOf(tree, at);
  const field = isField(at);
  if (field) facts.field = true;
  if (field && messages.test(`${name} ${at.getAttribute('placeholder') ?? ''}`))
    facts.message = true;
  if (
    /search/.test(role) ||
    facts.type === 'search' ||
    tree.closest(at, (one) => one.getAttribute('role') === 'search' || one.localName === 'search')
  )
    facts.search = true;
  else if (field && form === null && searches.test(`${name} ${nameOf(at)}`)) facts.search = true;
  if (seen(tree, document, 'input[type=password]')) facts.password = true;
  if (form !== null) {
    const described = tell(tree, names, form);
    facts.form = described;
    const own = form instanceof HTMLFormElement && sends(at);
    if (own || (field && at instanceof HTMLInputElement)) facts.submits = true;
    if (
      described.method === 'get' &&
      !(described.password ?? false) &&
      described.fields.length <= 2 &&
      described.fields.some((one) => searches.test(one.name))
    )
      facts.search = true;
  }
  return facts;
}

function typeOf(el: Element): string {
  if (el instanceof HTMLButtonElement || el instanceof HTMLInputElement) return el.type;
  return '';
}

function nameOf(el: Element): string {
  return `${el.getAttribute('name') ?? ''} ${el.getAttribute('placeholder') ?? ''}`;
}

function isField(el: Element): boolean {
  if (el instanceof HTMLTextAreaElement) return true;
  if (el instanceof HTMLElement && el.isContentEditable) return true;
  return (
    el instanceof HTMLInputElement &&
    !/^(button|submit|image|reset|checkbox|radio|file|range|color|hidden)$/.test(el.type)
  );
}

/** Whether an element is a button that submits its form. */
function sends(el: Element): boolean {
  return (
    (el instanceof HTMLButtonElement && el.type === 'submit') ||
    (el instanceof HTMLInputElement && /^(submit|image)$/.test(el.type))
  );
}

/** The form that an element belongs to, or the element that serves as one. */
function formOf(tree: FlatTree, el: Element): Element | null {
  if (
    el instanceof HTMLButtonElement ||
    el instanceof HTMLInputElement ||
    el instanceof HTMLSelectElement ||
    el instanceof HTMLTextAreaElement
  ) {
    if (el.form !== null) return el.form;
  }
  return tree.closest(el, (one) =>
    one.matches('form,[role=form],[role=dialog],[role=alertdialog],dialog'),
  );
}

function tell(tree: FlatTree, names: Names, form: Element): NonNullable<Facts['form']> {
  const fields: { name: string; value: string }[] = [];
  let password = false;
  let card = false;
  let button = '';
  const parts =
    form instanceof HTMLFormElement ? [...form.elements] : [...tree.all(form)].filter(isControl);
  for (const el of parts) {
    if (sends(el) && button === '') button = names.printed(el);
    if (!(el instanceof HTMLElement) || !drawn(el)) continue;
    if (el instanceof HTMLInputElement && el.type === 'password') password = true;
    if (
      /(^|\s)cc-/.test(el.getAttribute('autocomplete') ?? '') ||
      /card.?num|cc.?num/i.test(nameOf(el))
    )
      card = true;
    const ticked =
      el instanceof HTMLInputElement && /^(checkbox|radio)$/.test(el.type)
        ? el.checked
          ? 'on'
          : ''
        : undefined;
    const value = ticked ?? (isSecret(el) && hasValue(el) ? '•••' : shownValue(el, names.role(el)));
    if (value !== undefined && value !== '' && fields.length < mostFields)
      fields.push({ name: names.printed(el), value });
  }
  return {
    // `form.action` may be a field named "action", so read the attribute.
    action:
      form instanceof HTMLFormElement
        ? new URL(form.getAttribute('action') ?? '', document.baseURI).href
        : '',
    method: form.getAttribute('method')?.toLowerCase() ?? 'get',
    button,
    ...(password && { password }),
    ...(card && { card }),
    fields,
  };
}

function isControl(el: Element): boolean {
  return /^(input|select|textarea|button)$/.test(el.localName);
}

function hasValue(el: Element): boolean {
  return 'value' in el && el.value !== '';
}

function drawn(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true });
}

function seen(tree: FlatTree, root: Document, selector: string): boolean {
  const all = [...root.querySelectorAll(selector)];
  for (const inner of tree.roots()) all.push(...inner.querySelectorAll(selector));
  return all.some(drawn);
}
