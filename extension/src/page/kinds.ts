import { embeddedBy, isEmbedding } from './embedded.js';
import type { Area, Rects } from './geometry.js';
import type { Names } from './name.js';
import { comparable } from './normal.js';
import { orphanOf } from './role.js';
import type { Item } from './types.js';
import { isEditingHost } from './value.js';

export const skipped = new Set(
  (
    'script style template noscript head meta link title base datalist source track param defs ' +
    'symbol clipPath mask metadata desc'
  ).split(' '),
);
/** Elements whose children are not visited: they draw their own content. */
const closed = new Set(['canvas', 'video', 'audio', 'object', 'embed', 'iframe', 'frame', 'img']);
/** Whether an element draws something else than its children. */
export function isClosed(el: Element): boolean {
  return closed.has(el.localName) && !(isEmbedding(el) && embeddedBy(el) === 'content');
}

/** Whether the name of an image stands for all in it. A document that is a drawing also has text. */
export function saysAll(el: Element, role: string): boolean {
  return role === 'img' && el !== document.documentElement;
}

/** Roles that do not say what a click does. */
export const markup = new Set(['generic', 'graphics-symbol', 'group', 'none', 'paragraph']);
/** The roles of content that is nothing but text. */
export const plain: ReadonlySet<string> = new Set(['text', 'img', 'row']);
export const editable = /^(input|select|textarea)$/;
/** Marks an item that is not in the accessibility tree but is visible. */
export const hushedMark = 'aria-hidden';
/** Common elements that cannot have a shadow root of the page. */
export const hostless =
  /^(a|b|button|em|i|img|input|label|li|option|path|select|strong|svg|t[dhr]|textarea|u)$/;
/** How far below the body an element may be on which a framework puts its listeners. */
const rootDepth = 3;
/** Content that makes an editor more than lines of text. */
export const structured =
  'a[href],button,input,select,textarea,table,ul,ol,h1,h2,h3,h4,h5,h6,img,[role],[onclick]';

/** The least width and height of a canvas, chart or image that is more than an icon. */
export function leastDrawn(localName: string): number {
  return localName === 'svg' ? 80 : 16;
}

/** Whether an element draws something in which a place is needed to point at a part of it. */
export function isDrawing(el: Element, rect: DOMRect | undefined): boolean {
  const { localName } = el;
  if (!rect || (localName !== 'canvas' && localName !== 'svg')) return false;
  const least = leastDrawn(localName);
  return rect.width >= least && rect.height >= least;
}

/** The role to show for an element whose own role says nothing: an editor, or an option without a list. */
export function ownWord(el: Element, role: string): string | undefined {
  if (!markup.has(role) || !el.hasAttributes()) return undefined;
  if (isEditingHost(el)) return 'textbox';
  return orphanOf(el);
}

/** The text of an element without the text of another one inside it. */
function textBeside(el: Element, other: Element): string {
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  let text = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!other.contains(node)) text += (node as Text).data;
  return text;
}

/** Whether the text of a label is repeated as the name of its control. */
export function isSaidByControl(el: Element, names: Names): boolean {
  if (el.localName !== 'label') return false;
  const control = (el as HTMLLabelElement).control;
  if (!control) return false;
  // The content of a control inside the label is not part of the label's text.
  const own = comparable(el.contains(control) ? textBeside(el, control) : names.content(el));
  // A style sheet may have changed the case of its letters.
  return own !== '' && comparable(names.of(control)).toLowerCase().includes(own.toLowerCase());
}

/** How many items that can be acted on there are among some items and in them. */
export function count(items: readonly Item[]): number {
  let n = 0;
  const lists = [items];
  for (const list of lists)
    for (const { offered, children } of list) {
      if (offered) n += 1;
      if (children.length > 0) lists.push(children);
    }
  return n;
}

/**
 * Whether an element can be operated without a widget role: a media player, a splitter, a scroll
 * bar.
 */
export function plays(el: Element, role: string, style: CSSStyleDeclaration): boolean {
  if (role === 'video' || role === 'audio') return el.hasAttribute('controls');
  if (role === 'separator' || role === 'scrollbar')
    return el.hasAttribute('tabindex') && style.display !== 'none';
  return false;
}

/**
 * Whether listeners on an element make it operable. Many frameworks put listeners on the whole page,
 * and a label stands for its control.
 */
export function mayOperate(el: Element): boolean {
  switch (el.localName) {
    case 'label':
      return (el as HTMLLabelElement).control === null;
    case 'option':
    case 'slot':
    case 'body':
    case 'html':
      return false;
    default:
      return true;
  }
}

/**
 * Whether an element only carries a framework's listeners for the whole page. Such an element is
 * not clickable.
 */
export function isPageRoot(el: Element, rects: Rects, view: Area): boolean {
  let at: Element | null = el;
  for (let up = 0; up < rootDepth && at !== document.body; up++) at = at?.parentElement ?? null;
  if (at !== document.body || isClosed(el)) return false;
  const rect = rects.own(el);
  const page = rects.own(document.body);
  const whole = (size: number, of: number, shown: number): boolean =>
    size >= Math.min(of, shown) * 0.9;
  return (
    whole(rect.width, page.width, view.right - view.left) &&
    whole(rect.height, Math.max(page.height, innerHeight), view.bottom - view.top)
  );
}

/** Whether the open picker of a select consists of elements of the page. */
export function showsPicker(el: HTMLSelectElement, style: CSSStyleDeclaration): boolean {
  return style.appearance === 'base-select' && el.matches(':open');
}
