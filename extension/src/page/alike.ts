import type { Names } from './name.js';
import { printedName } from './normal.js';
import type { Item } from './types.js';

/** The longest title of a card, a row or a section, in characters. */
const longTitle = 40;
/** With more items of one role and name, only their number tells them apart. */
const mostAlike = 1000;
/** How many texts of a card are read to find its title. */
const mostTexts = 40;

const headings = 'h1,h2,h3,h4,h5,h6,[role=heading],legend,caption,figcaption,summary';

/**
 * Gives each item of the same role and name what tells it apart from the others: the title of the
 * card or row that contains it, the heading before it, its cell on a board, or else its number. An
 * item with a unique role and name gets nothing.
 */
export function distinguish(items: Iterable<Item>, names: Names): void {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    if (!item.offered || item.role === 'frame') continue;
    const key = `${item.role}\n${item.name}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  let before: Element[] | undefined;
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    if (board(group)) continue;
    let titles = group.length > mostAlike ? [] : cards(group).map((at) => titleOf(at, names));
    if (titles.some((title) => title === '')) {
      before ??= [...document.querySelectorAll(headings)].filter((at) => at.checkVisibility());
      const known = before;
      titles = titles.map((title, at) => title || headingBefore(group[at], known, names));
    }
    // A title that all of them share does not tell them apart.
    if (new Set(titles).size < 2) titles = [];
    const times = new Map<string, number>();
    for (const title of titles) times.set(title, (times.get(title) ?? 0) + 1);
    const nth = new Map<string, number>();
    group.forEach((item, at) => {
      const title = titles[at] ?? '';
      const all = titles.length === 0 ? group.length : (times.get(title) ?? 1);
      const own = (nth.get(title) ?? 0) + 1;
      nth.set(title, own);
      const which = all > 1 || title === '' ? `${own} of ${all}` : '';
      if (title !== '') item.context = title;
      if (which !== '') item.which = which;
    });
  }
}

/** The outermost element around each item that contains none of the other items. */
function cards(group: readonly Item[]): { card: Element; item: Item }[] {
  const held = new Map<Element, number>();
  for (const { el } of group)
    for (let at: Element | null = el; at; at = up(at)) held.set(at, (held.get(at) ?? 0) + 1);
  return group.map((item) => {
    let card = item.el;
    for (let at = up(card); at && held.get(at) === 1 && at !== document.body; at = up(at))
      card = at;
    return { card, item };
  });
}

function up(el: Element): Element | null {
  const parent = el.parentNode;
  return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
}

/** The title of a card: its author, a heading in it, or the first words in it. */
function titleOf({ card, item }: { card: Element; item: Item }, names: Names): string {
  const { el, name } = item;
  const fits = (text: string): string => {
    const said = printedName(text);
    return said === name || said.length < 2 ? '' : short(said);
  };
  if (card === el) return '';
  if (card.hasAttribute('aria-label') || card.hasAttribute('aria-labelledby')) {
    const own = fits(names.of(card));
    if (own !== '') return own;
  }
  for (const heading of card.querySelectorAll(headings)) {
    if (el.contains(heading) || heading.contains(el) || !heading.checkVisibility()) continue;
    const own = fits(names.content(heading));
    if (own !== '') return own;
  }
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  let read = 0;
  for (let node = walker.nextNode(); node && read < mostTexts; node = walker.nextNode(), read++) {
    const text = fits((node as Text).data);
    const parent = node.parentElement;
    if (text === '' || !parent || el.contains(parent)) continue;
    if (/^(script|style|noscript|option|template)$/.test(parent.localName)) continue;
    if (parent.checkVisibility({ visibilityProperty: true })) return text;
  }
  for (const image of card.querySelectorAll('img[alt]')) {
    const text = el.contains(image) ? '' : fits(image.getAttribute('alt') ?? '');
    if (text !== '') return text;
  }
  return '';
}

/** The last heading before an item. */
function headingBefore(item: Item | undefined, known: readonly Element[], names: Names): string {
  if (!item) return '';
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = known[middle];
    const follows = at && at.compareDocumentPosition(item.el) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (follows) low = middle + 1;
    else high = middle;
  }
  const heading = known[low - 1];
  const text = heading && !heading.contains(item.el) ? names.content(heading) : '';
  return text === item.name ? '' : short(text);
}

/**
 * Tells the cells of a board apart by row and column; returns false when the items are not a board.
 */
function board(group: readonly Item[]): boolean {
  const [first] = group;
  if (group.length < 4 || !first?.rect) return false;
  const { width, height } = first.rect;
  const same = group.every(
    ({ rect, el }) =>
      rect &&
      Math.abs(rect.width - width) <= 2 &&
      Math.abs(rect.height - height) <= 2 &&
      (el.parentElement === first.el.parentElement ||
        el.parentElement?.parentElement === first.el.parentElement?.parentElement),
  );
  if (!same) return false;
  const places = (edge: 'top' | 'left'): number[] =>
    [...new Set(group.map(({ rect }) => Math.round(rect?.[edge] ?? 0)))].sort((a, b) => a - b);
  const [tops, lefts] = [places('top'), places('left')];
  if (tops.length < 2 || lefts.length < 2 || tops.length * lefts.length > group.length * 4)
    return false;
  const taken = new Set<string>();
  for (const item of group) {
    const row = tops.indexOf(Math.round(item.rect?.top ?? 0)) + 1;
    const column = lefts.indexOf(Math.round(item.rect?.left ?? 0)) + 1;
    item.which = `row ${row}, column ${column}`;
    taken.add(item.which);
  }
  return taken.size === group.length;
}

function short(text: string): string {
  return text.length <= longTitle ? text : `${text.slice(0, longTitle - 1).trimEnd()}…`;
}
