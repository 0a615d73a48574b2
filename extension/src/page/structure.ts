import type { Item } from './types.js';

/** Roles that get a line of their own, or that structure the lines inside them. */
const shapes = new Set(
  (
    'heading banner complementary contentinfo form main navigation region search dialog ' +
    'alertdialog alert status log timer group list listitem table grid treegrid row cell gridcell ' +
    'columnheader rowheader tabpanel toolbar menu menubar tablist tree radiogroup listbox img ' +
    'figure article feed progressbar meter video audio option'
  ).split(' '),
);

/** Roles whose line shows their content. Their name is computed only when the author set one. */
export const unnamed: ReadonlySet<string> = new Set(
  'row cell gridcell columnheader rowheader listitem list article blockquote'.split(' '),
);

/** Roles that get a line only for the label of an author. */
const labelled = new Set(
  'application blockquote comment definition document marquee math note rowgroup separator term'.split(
    ' ',
  ),
);

const cells = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
/** Roles kept only with a name. Without one they add no information. */
const needName = new Set([
  'form',
  'group',
  'list',
  'figure',
  'radiogroup',
  'article',
  'feed',
  'tabpanel',
]);
const leaves = new Set(['progressbar', 'meter', 'video', 'audio', 'alert', 'status', 'option']);

/** Whether an element with this role gets a line of its own. */
export function structural(el: Element, role: string): boolean {
  if (shapes.has(role)) return el.localName !== 'datalist';
  if (role === 'generic') return el.hasAttribute('aria-label') && isWordless(el);
  return (labelled.has(role) || role.startsWith('doc-')) && isLabelled(el);
}

/** Whether an element draws something without a word: stars, a flag, an icon. */
function isWordless(el: Element): boolean {
  return el.textContent.trim() === '' && !el.shadowRoot && isDrawn(el);
}

/** Whether an author gave an element a label. */
export function isLabelled(el: Element): boolean {
  if (!el.hasAttributes()) return false;
  return (
    el.hasAttribute('aria-label') || el.hasAttribute('aria-labelledby') || el.hasAttribute('title')
  );
}

/** Turns a container and its content into the lines that it needs. */
export function shape(item: Item): Item[] {
  if (item.offered) return [item];
  const { role, children } = item;
  switch (role) {
    case 'img':
      return item.name === '' ? children : [item];
    case 'heading':
      return heading(item);
    case 'row':
      return row(item);
    case 'cell':
    case 'gridcell':
    case 'columnheader':
    case 'rowheader':
      return [item];
    case 'listitem': {
      const [only] = children;
      const named = item.name !== '' && item.name !== only?.name;
      return children.length <= 1 && !named ? children : [item];
    }
    default:
      if (leaves.has(role)) {
        // When the only content is text, write one line, not two.
        const [only] = children;
        if (children.length === 1 && only?.role === 'text' && item.name === '') {
          item.name = only.name;
          item.children = [];
        }
        return item.name === '' && item.value === undefined && item.children.length === 0
          ? []
          : [item];
      }
      if (item.name === '')
        return children.length === 0 || needName.has(role) || !shapes.has(role) ? children : [item];
      // A name without content is that of a drawing, such as stars, when there is anything to see.
      return children.length > 0 || !needName.has(role) || isDrawn(item.el) ? [item] : [];
  }
}

// A heading that contains only one link is one line: the link, at the heading's level.
function heading(item: Item): Item[] {
  const [only] = item.children;
  if (item.children.length === 1 && only?.name === item.name && only.level === undefined) {
    only.level = item.level ?? 2;
    return [only];
  }
  return item.name === '' ? item.children : [item];
}

/** States that a cell has and its row has not. */
const ownStates = /^(ascending|descending|selected|current)/;

/** Whether a cell gets a line of its own: it has such a state, or a name that is not its text. */
function isApart({ el, name, children, states }: Item): boolean {
  if (states.some((mark) => ownStates.test(mark))) return true;
  if (!el.hasAttribute('aria-label') && !el.hasAttribute('aria-labelledby')) return false;
  const text = children.map((child) => child.name).join(' ');
  return name !== '' && name !== text;
}

// A row shows the text of its cells in one line, followed by the items that can be acted on.
function row(item: Item): Item[] {
  const parts: string[] = [];
  const rest: Item[] = [];
  for (const child of item.children) {
    if (!cells.has(child.role) || child.offered || isApart(child)) {
      parts.push('');
      const [only] = child.children;
      if (!child.offered && child.children.length === 1 && only?.role === 'text') {
        if (child.name === '') child.name = only.name;
        if (child.name === only.name) child.children = [];
      }
      rest.push(child);
      continue;
    }
    const texts = child.children.filter((inner) => inner.role === 'text');
    parts.push(cellText(texts.map((text) => text.name).join(' '), child.name));
    rest.push(...child.children.filter((inner) => inner.role !== 'text'));
  }
  item.children = rest;
  item.cells = parts;
  if (!saysMore(item.name, parts)) item.name = '';
  if (item.name === '' && parts.every((part) => part === '')) return rest;
  return [item];
}

/** Whether a label has words that are not in some texts. */
function saysMore(label: string, texts: readonly string[]): boolean {
  const words = new Set(texts.join(' ').split(' '));
  return label.split(' ').some((word) => !words.has(word));
}

/** The text of a cell, with the label of its author where that says something else. */
function cellText(text: string, label: string): string {
  const has = (all: string, part: string): boolean => ` ${all} `.includes(` ${part} `);
  if (text === '' || has(label, text)) return label || text;
  return label === '' || has(text, label) ? text : `${text} (${label})`;
}

function isDrawn(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  return width >= 1 && height >= 1;
}

/** How many levels the lines of a snapshot may have. What is deeper follows as if it were beside. */
const deepest = 100;

/** Makes items no deeper than the lines of a snapshot may be. It recurses no deeper either. */
export function limitDepth(items: Item[], levels = deepest): void {
  if (levels > 1) {
    for (const { children } of items) limitDepth(children, levels - 1);
    return;
  }
  const rest = items.splice(0).reverse();
  for (let item = rest.pop(); item; item = rest.pop()) {
    items.push(item);
    for (const child of item.children.splice(0).reverse()) rest.push(child);
  }
}

/** How far a scrolling area extends beyond its box; undefined when it does not scroll. */
export function scrollState(el: Element, style: CSSStyleDeclaration): string | undefined {
  const y = style.overflowY === 'auto' || style.overflowY === 'scroll';
  const x = style.overflowX === 'auto' || style.overflowX === 'scroll';
  if (!x && !y) return undefined;
  if (el === document.body || el === document.documentElement) return undefined;
  const said: string[] = [];
  if (y && el.scrollHeight > el.clientHeight + 1 && el.clientHeight > 0) {
    said.push(`↑${Math.round(el.scrollTop)}`);
    said.push(`↓${Math.max(0, Math.round(el.scrollHeight - el.clientHeight - el.scrollTop))}`);
  }
  if (x && el.scrollWidth > el.clientWidth + 1 && el.clientWidth > 0) {
    const left = Math.abs(Math.round(el.scrollLeft));
    said.push(`←${left}`);
    said.push(`→${Math.max(0, Math.round(el.scrollWidth - el.clientWidth - left))}`);
  }
  return said.length === 0 ? undefined : said.join(' ');
}
