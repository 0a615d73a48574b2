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
  'row cell gridcell columnheader rowheader listitem list article'.split(' '),
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
  if (!shapes.has(role)) return false;
  return el.localName !== 'datalist';
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
    case 'listitem':
      return children.length <= 1 ? children : [item];
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
      if (needName.has(role) && item.name === '') return children;
      return children.length === 0 && (item.name === '' || needName.has(role)) ? [] : [item];
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

/** States that a cell has and its row has not: then the cell gets a line of its own. */
const told = /^(ascending|descending|selected|current)/;

// A row shows the text of its cells in one line, followed by the items that can be acted on.
function row(item: Item): Item[] {
  const parts: string[] = [];
  const rest: Item[] = [];
  for (const child of item.children) {
    if (!cells.has(child.role) || child.offered || child.states.some((mark) => told.test(mark))) {
      parts.push('');
      const [only] = child.children;
      if (!child.offered && child.children.length === 1 && only?.role === 'text') {
        child.name ||= only.name;
        child.children = [];
      }
      rest.push(child);
      continue;
    }
    const texts = child.children.filter((inner) => inner.role === 'text');
    parts.push(texts.map((text) => text.name).join(' '));
    rest.push(...child.children.filter((inner) => inner.role !== 'text'));
  }
  item.children = rest;
  item.cells = parts;
  if (parts.every((part) => part === '')) return rest;
  return [item];
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
