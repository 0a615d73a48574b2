import { inContext, needsContext, ownerOf, parentOf } from './context.js';

/** The roles of ARIA, DPUB-ARIA and Graphics-ARIA that an author may use, without abstract ones. */
const known = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox code ' +
    'columnheader combobox comment complementary contentinfo definition deletion dialog directory document ' +
    'emphasis feed figure form generic graphics-document graphics-object graphics-symbol grid ' +
    'gridcell group heading img image insertion link list listbox listitem log main mark marquee ' +
    'math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option ' +
    'paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar ' +
    'search searchbox sectionfooter sectionheader separator slider spinbutton status strong ' +
    'subscript suggestion superscript ' +
    'switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem ' +
    'doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry ' +
    'doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit ' +
    'doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata ' +
    'doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index doc-introduction ' +
    'doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part ' +
    'doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc'
  ).split(' '),
);

/** Roles that a user can operate. */
export const widgets: ReadonlySet<string> = new Set(
  (
    'button link textbox searchbox checkbox radio switch combobox listbox option menuitem ' +
    'menuitemcheckbox menuitemradio tab treeitem slider spinbutton date time color file summary ' +
    'doc-backlink doc-biblioref doc-glossref doc-noteref'
  ).split(' '),
);

/** Whether an element is a control. A time that is only written has the role of a field for it. */
export function isWidget(el: Element, role = roleOf(el)): boolean {
  return widgets.has(role) && (role !== 'time' || el.localName === 'input');
}

/** Roles that take their name from their content. */
export const namedByContent: ReadonlySet<string> = new Set(
  (
    'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox ' +
    'menuitemradio option radio rowheader switch tab tooltip treeitem summary ' +
    'doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle'
  ).split(' '),
);

const globalAria =
  /^aria-(label|labelledby|describedby|description|live|atomic|busy|controls|current|details|flowto|keyshortcuts|owns|relevant|roledescription|braillelabel|brailleroledescription)$/;

/** The role of an element: the author's where it is valid, else that of its tag. */
export function roleOf(el: Element): string {
  const given = el.getAttribute('role');
  if (given === null) return implicitRole(el);
  for (const token of tokensOf(given)) {
    if (!known.has(token)) continue;
    if (token === 'presentation' || token === 'none') {
      // A role that hides does not apply to an element that can be focused or has ARIA attributes.
      if (mayFocus(el) || speaksOf(el)) break;
      return least(el, 'none');
    }
    if ((token === 'region' || token === 'form') && !hasLabel(el)) continue;
    if (needsContext(token) && !inContext(el, token)) continue;
    if (token === 'generic') return least(el, 'generic');
    return token === 'image' ? 'img' : token === 'directory' ? 'list' : token;
  }
  return implicitRole(el);
}

/**
 * The widget role that an author gave an element outside of its required context: an option without
 * a list. ARIA ignores the role, but it still says what the element does.
 */
export function orphanOf(el: Element): string | undefined {
  const given = el.getAttribute('role');
  if (given === null) return undefined;
  return tokensOf(given).find((token) => needsContext(token) && widgets.has(token));
}

/** The tokens of a role attribute. Only ASCII white space and ASCII letters are normalized. */
function tokensOf(given: string): string[] {
  const low = given.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return low.split(/[\t\n\f\r ]+/);
}

/** Whether an element is focusable, by itself or by tabindex. */
export function mayFocus(el: Element): boolean {
  if (!(el instanceof HTMLElement || el instanceof SVGElement)) return false;
  if (!el.hasAttribute('tabindex') && el.tabIndex < 0) return false;
  return !(switchable.has(el.localName) && el.matches(':disabled'));
}

const switchable = new Set(['button', 'fieldset', 'input', 'select', 'textarea']);

function speaksOf(el: Element): boolean {
  for (const { name, value } of el.attributes)
    if (globalAria.test(name) && value !== '') return true;
  return false;
}

/** Whether an author named an element, in any way. */
function hasLabel(el: Element): boolean {
  if (!el.hasAttributes()) return false;
  if (says(el.getAttribute('aria-label')) || says(el.getAttribute('title'))) return true;
  const ids = el.getAttribute('aria-labelledby') ?? el.getAttribute('aria-labeledby');
  if (ids === null) return false;
  const root = el.getRootNode() as Document | ShadowRoot;
  return ids.split(/[\t\n\f\r ]+/).some((id) => {
    const target = id === '' ? null : root.getElementById(id);
    if (!target) return false;
    if (says(target.textContent)) return true;
    return ['aria-label', 'alt', 'title', 'value'].some((name) => says(target.getAttribute(name)));
  });
}

function says(text: string | null): boolean {
  return text !== null && text.trim() !== '';
}

// An element that is draggable or a popover has at least the role group (html-aam, minimum role).
function least(el: Element, role: string): string {
  if (!el.hasAttributes()) return role;
  const draggable = el.getAttribute('draggable');
  if (draggable === 'true' || draggable === '') return 'group';
  return el.hasAttribute('popover') || el.hasAttribute('autofocus') ? 'group' : role;
}

const plain: Readonly<Record<string, string>> = {
  address: 'group',
  article: 'article',
  blockquote: 'blockquote',
  button: 'button',
  caption: 'caption',
  code: 'code',
  datalist: 'listbox',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dfn: 'term',
  dialog: 'dialog',
  dir: 'list',
  dt: 'term',
  em: 'emphasis',
  fieldset: 'group',
  figure: 'figure',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hgroup: 'group',
  hr: 'separator',
  iframe: 'frame',
  frame: 'frame',
  ins: 'insertion',
  main: 'main',
  mark: 'mark',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  strong: 'strong',
  sub: 'subscript',
  sup: 'superscript',
  table: 'table',
  textarea: 'textbox',
  time: 'time',
  ul: 'list',
  video: 'video',
  audio: 'audio',
};

const inputs: Readonly<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  color: 'color',
  date: 'date',
  'datetime-local': 'date',
  file: 'file',
  image: 'button',
  month: 'date',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  time: 'time',
  week: 'date',
};

/** The implicit role of a tag in HTML and SVG (html-aam, svg-aam). */
function implicitRole(el: Element): string {
  const tag = el.localName;
  const fixed = plain[tag];
  if (fixed !== undefined && Object.hasOwn(plain, tag)) return fixed;
  switch (tag) {
    case 'a':
      return el.hasAttribute('href') || el.hasAttribute('xlink:href') ? 'link' : 'generic';
    case 'area':
      return el.hasAttribute('href') ? 'link' : 'generic';
    case 'input':
      return inputRole(el as HTMLInputElement);
    case 'select': {
      const select = el as HTMLSelectElement;
      return select.multiple || select.size > 1 ? 'listbox' : 'combobox';
    }
    case 'img':
      return imageRole(el);
    case 'li':
      return inList(el) ? 'listitem' : 'generic';
    case 'image':
      return el instanceof SVGElement ? imageRole(el) : least(el, 'generic');
    case 'g':
      return named(el) ? 'group' : 'generic';
    case 'summary':
      return el.parentElement?.localName === 'details' &&
        el.parentElement.querySelector(':scope > summary') === el
        ? 'summary'
        : 'generic';
    case 'tbody':
    case 'tfoot':
    case 'thead':
      return inLayout(el) ? 'generic' : 'rowgroup';
    case 'tr':
      return inLayout(el) ? 'generic' : 'row';
    case 'td':
      return inLayout(el) ? 'generic' : inGrid(el) ? 'gridcell' : 'cell';
    case 'th':
      return inLayout(el) ? 'generic' : headerRole(el);
    case 'section':
      return hasLabel(el) ? 'region' : least(el, 'generic');
    case 'form':
      return 'form';
    case 'aside':
      return el.parentElement?.closest(sections) && !hasLabel(el) ? 'generic' : 'complementary';
    case 'header':
      return inSection(el) ? 'generic' : 'banner';
    case 'footer':
      return inSection(el) ? 'generic' : 'contentinfo';
    case 'svg':
      return named(el) ? 'img' : 'generic';
    default:
      // svg-aam: a shape with a title or a label.
      if (shapes.has(tag) && named(el)) return 'graphics-symbol';
      return least(el, 'generic');
  }
}

function named(el: Element): boolean {
  return el.querySelector(':scope > title') !== null || hasLabel(el);
}

const shapes = new Set(['circle', 'ellipse', 'line', 'path', 'polygon', 'polyline', 'rect', 'use']);

// In a layout table, rows and cells have no roles either.
function inLayout(el: Element): boolean {
  const role = el.closest('table')?.getAttribute('role');
  return role === 'none' || role === 'presentation';
}

function inputRole(el: HTMLInputElement): string {
  const role = inputs[el.type] ?? 'textbox';
  return el.list && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
}

// An image with an empty alt is decoration, unless it is named in another way.
function imageRole(el: Element): string {
  if (el.getAttribute('alt') !== '' || hasLabel(el) || mayFocus(el)) return 'img';
  return 'none';
}

// Whether the nearest meaningful ancestor of an item is a list.
function inList(el: Element): boolean {
  const near = el.parentElement;
  if (near && lists.has(near.localName) && !near.hasAttribute('role')) return true;
  for (let at = parentOf(el); at; at = parentOf(at)) {
    const role = at.getAttribute('role');
    if (role !== null && roleOf(at) !== 'generic') return roleOf(at) === 'list';
    if (lists.has(at.localName)) return true;
    if (!through.has(at.localName) && !at.localName.includes('-')) break;
  }
  const owner = ownerOf(el);
  return owner !== null && roleOf(owner) === 'list';
}

const lists = new Set(['ul', 'ol', 'menu', 'dir']);
/** Tags without meaning that may be between a list and its items. */
const through = new Set(['div', 'span', 'slot']);

/** What makes a header, a footer or an aside a part of a section. */
const sections =
  'article,aside,nav,section,[role=article],[role=complementary],[role=navigation],[role=region]';

// An aside belongs to the page also inside its main part; a header does not.
function inSection(el: Element): boolean {
  return el.parentElement?.closest(`${sections},main,[role=main]`) != null;
}

function inGrid(el: Element): boolean {
  return /^(grid|treegrid)$/.test(el.closest('table')?.getAttribute('role') ?? '');
}

function headerRole(el: Element): string {
  const scope = el.getAttribute('scope');
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = el.parentElement;
  const rest = row ? [...row.children] : [];
  return rest.some((cell) => cell.localName === 'td') ? 'rowheader' : 'columnheader';
}
