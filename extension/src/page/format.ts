/**
 * The text of a snapshot. One line is one item:
 *
 *     line   = indent [ref " "] sign [" " name] [in] [marks] [value] [target] [box]
 *     indent = one space for each level of structure
 *     ref    = "e12"; in a child frame with its prefix: "f2e12"
 *     sign   = the kind of item: "btn", "link", "edit", …: the table `signs`;
 *              "#", "##", … a heading by its level (before the sign when the
 *              heading is a link: "## link Title"); "[x]" "[ ]" "[-]" a
 *              checkbox, "(x)" "( )" a radio button; "-" an item of a list;
 *              "|" a row, with its cells between bars, after "row" and its name
 *              when it has one; "click" an element without a role that listens
 *              for clicks
 *     name   = bare when it starts with a letter or digit and has none of the
 *              characters " [ ] = @ | → \ < >, otherwise quoted as JSON, with
 *              invisible and bidirectional characters written as \uXXXX
 *     marks  = " [disabled, required, …]"; "↑120 ↓880" in it says how many
 *              pixels a scrolling area has above and below
 *     value  = " =" and the live value, quoted; "•••" replaces a secret
 *     target = " →" and the target of a link
 *     box    = " @x,y,w,h" in pixels of the frame's viewport; a canvas, a chart and
 *              their parts always have one
 *     in     = " in " and, quoted, the title of what contains it, where that tells
 *              it from others of the same sign and name; else a mark has its
 *              number among them: " [2 of 3]", " [row 2, column 3]"
 *
 * A line that is only a quoted string is text of the page. Text is always quoted, so that no page
 * can write a line that looks like an item. "… 312 more h3" replaces lines that were left out:
 * `more("h3")` returns them.
 */
import { quote, shownName } from './quote.js';
import type { Box, Item } from './types.js';

/** Short signs for roles. A role that is not listed is written out. */
export const signs: Readonly<Record<string, string>> = {
  banner: 'header',
  button: 'btn',
  cell: '-',
  combobox: 'select',
  complementary: 'aside',
  contentinfo: 'footer',
  listitem: '-',
  menuitem: 'item',
  menuitemcheckbox: 'item',
  menuitemradio: 'item',
  navigation: 'nav',
  progressbar: 'progress',
  row: '|',
  spinbutton: 'number',
  textbox: 'edit',
};

/** Options for writing a line. */
export interface LineStyle {
  compact: boolean;
  boxes: boolean;
  /** Whether to tell apart items of the same role and name. */
  contexts?: boolean;
  ref: (num: number) => string;
  /** The name of an item, possibly cut. */
  name: (item: Item) => string;
}

/** Writes one item as a line, without indentation. */
export function lineOf(item: Item, style: LineStyle): string {
  if (item.role === 'text') return quote(item.name);
  const ref = item.num > 0 ? `${style.ref(item.num)} ` : '';
  return ref + says(item, style.name(item)) + tail(item, style);
}

/** Role and name alone. Refs are compared by it, and refusals quote it. */
export function identity(item: Item): string {
  const word = Object.hasOwn(signs, item.role) ? (signs[item.role] ?? item.role) : item.role;
  return item.name === '' ? word : `${word} ${shownName(item.name)}`;
}

function says(item: Item, name: string): string {
  const sign = signOf(item);
  if (item.cells) {
    const all = `${sign} ${item.cells.map(cell).join(' | ')}`.trimEnd();
    return name === '' ? all : `row ${shownName(name)} ${all}`;
  }
  return name === '' ? sign : `${sign} ${shownName(name)}`;
}

function cell(text: string): string {
  return text === '' ? '' : shownName(text);
}

function signOf(item: Item): string {
  const { role, states } = item;
  if (role === 'heading') return '#'.repeat(Math.min(item.level ?? 2, 6));
  const over = item.level !== undefined && role !== 'treeitem' ? `${'#'.repeat(item.level)} ` : '';
  const on = states.includes('checked') ? 'x' : states.includes('mixed') ? '-' : ' ';
  if (role === 'checkbox') return `${over}[${on}]`;
  if (role === 'radio') return `${over}(${on})`;
  return over + (Object.hasOwn(signs, role) ? (signs[role] ?? role) : role);
}

function tail(item: Item, style: LineStyle): string {
  let out = '';
  const apart = style.contexts === true;
  if (apart && item.context !== undefined) out += ` in ${quote(item.context)}`;
  const hidden = item.role === 'checkbox' || item.role === 'radio';
  const marks = item.states.filter((mark) => !hidden || (mark !== 'checked' && mark !== 'mixed'));
  if (apart && item.which !== undefined) marks.unshift(item.which);
  if (item.role === 'treeitem' && item.level !== undefined) marks.unshift(`level ${item.level}`);
  if (marks.length > 0) out += ` [${marks.join(', ')}]`;
  if (item.value !== undefined && item.value !== '') out += ` =${quote(shortValue(item.value))}`;
  if (item.href !== undefined && !style.compact) out += ` →${shortTarget(item.href)}`;
  if (item.rect && (item.drawn === true || (style.boxes && item.num > 0))) {
    const { x, y, width, height } = item.rect;
    out += ` @${[x, y, width, height].map(Math.round).join(',')}`;
  }
  return out;
}

/** How many characters of a value a line shows. */
const longValue = 1000;

function shortValue(value: string): string {
  if (value.length <= longValue) return value;
  const cut = value.slice(0, longValue).replace(/[\ud800-\udbff]$/, '');
  return `${cut}… (+${value.length - cut.length})`;
}

/**
 * A link's target for a line: without characters that would break the line, and cut when it is
 * long.
 */
function shortTarget(href: string): string {
  const safe = href.replace(/\p{Cs}/gu, '').replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return safe.length <= 120 ? safe : `${safe.slice(0, 117)}…`;
}

/** Cuts long names where they stay distinct. A cut says how many characters are missing. */
export function namer(items: Iterable<Item>, limit: number): (item: Item) => string {
  const heads = new Map<string, number>();
  for (const { name } of items)
    if (name.length > limit)
      heads.set(name.slice(0, limit), (heads.get(name.slice(0, limit)) ?? 0) + 1);
  return ({ name }) => {
    if (name.length <= limit || (heads.get(name.slice(0, limit)) ?? 0) > 1) return name;
    const cut = name.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
    return `${cut}… (+${name.length - cut.length})`;
  };
}

/** The first line, about the page itself. */
export function header(view: Box): string {
  const above = Math.round(scrollY);
  const below = Math.max(
    0,
    Math.round((document.querySelector(':root')?.scrollHeight ?? 0) - innerHeight - scrollY),
  );
  const size = `${view[2]}x${view[3]}`;
  return `page ${quote(document.title)} ${location.href} ${size} [↑${above} ↓${below}]`;
}
