import { embeddedBy, isEmbedding } from './embedded.js';
import type { FlatTree } from './flat.js';
import { type Area, isEmpty, meet } from './geometry.js';
import { expressionOf } from './lines.js';
import { comparable, compared, isExpression, printed, printedName } from './normal.js';
import { clippedAway, Styles } from './styles.js';
import { isListBox } from './value.js';

/** One occurrence of a text on the page. */
export interface Standing {
  /** The innermost element that contains all of it. */
  el: Element;
  /** The text as it is written there. */
  text: string;
  /** Its characters, as a range for each node; none for the text of an input button. */
  ranges: Range[];
  /** It is the whole text of an element or a line, not a part. */
  whole: boolean;
  /** Its capitals are the requested ones. */
  same: boolean;
}

/** Text that flows together, between two breaks. */
interface Run {
  text: string;
  parts: { node: Text; from: number }[];
  /** Where each element begins and ends in the text. */
  spans: [from: number, to: number][];
}

const silent = new Set(
  'script style template noscript head title textarea select datalist iframe frame canvas video audio'.split(
    ' ',
  ),
);

/**
 * Finds a text where it is visible. It may extend over several elements of a line, but not from one
 * block to the next.
 */
export function findText(tree: FlatTree, root: Element, wanted: string): Standing[] {
  const styles = new Styles();
  const find = finder(wanted);
  if (!find) return [];
  const out: Standing[] = [];
  for (const run of runsOf(tree, root, styles)) {
    for (const [from, to] of find(run.text)) {
      const said = run.text.slice(from, to);
      const ranges = rangesOf(run, from, to);
      const [first] = ranges;
      if (!first || !ranges.some((range) => isSeen(tree, styles, range))) continue;
      out.push({
        el: common(tree, ranges),
        text: printedName(said),
        ranges,
        whole: isWhole(run, from, to),
        same: isSame(said, wanted),
      });
    }
  }
  for (const { el, text } of buttons(tree, root)) {
    const [[from, to] = [0, 0]] = find(text);
    const said = text.slice(from, to);
    if (said !== '')
      out.push({ el, text, ranges: [], whole: said === text, same: isSame(said, wanted) });
  }
  return out;
}

/** A place where a text was found, with the text around it. */
export interface Found {
  /** The ref of what can be acted on there. */
  ref?: string;
  before: string;
  text: string;
  after: string;
}

/** How much text around a match is shown, in characters, and how much of the match itself. */
const shownAround = 60;
const shownMatch = 300;

const actable =
  'a[href],button,input,select,textarea,summary,label,[role=button],[role=link],[role=tab],' +
  '[role=menuitem],[role=option],[role=checkbox],[onclick],[tabindex]';

/**
 * Finds a text or an expression in the text of the page, in view or not: how many places there are,
 * and the first of them.
 */
export function search(
  tree: FlatTree,
  root: Element,
  wanted: string,
  limit: number,
  refOf: (el: Element) => string,
): { total: number; matches: Found[] } {
  const find = finder(wanted);
  const matches: Found[] = [];
  let total = 0;
  const add = (el: Element, text: string, from: number, to: number): void => {
    total += 1;
    if (matches.length >= limit) return;
    const near = tree.closest(el, (at) => at.matches(actable));
    const said = (part: string): string => printed(part).replace(/\s+/g, ' ');
    matches.push({
      ...(near ? { ref: refOf(near) } : {}),
      before: said(text.slice(Math.max(0, from - shownAround), from)).trimStart(),
      text: printedName(text.slice(from, to)).slice(0, shownMatch),
      after: said(text.slice(to, to + shownAround)).trimEnd(),
    });
  };
  if (!find) return { total, matches };
  const styles = new Styles();
  for (const { text, parts } of runsOf(tree, root, styles, true))
    for (const [from, to] of find(text)) {
      const el = tree.parent(parts.findLast((part) => part.from <= from)?.node ?? root);
      const box = el && tree.closest(el, (at) => styles.of(at).display !== 'contents');
      if (box?.checkVisibility({ visibilityProperty: true })) add(el ?? box, text, from, to);
    }
  for (const { el, text } of buttons(tree, root))
    for (const [from, to] of find(text)) add(el, text, from, to);
  return { total, matches };
}

/** Whether a text is the requested one, capitals included. */
function isSame(said: string, wanted: string): boolean {
  return isExpression(wanted) || comparable(said) === comparable(wanted);
}

/** Finds the places of a text in another one, as texts are compared. */
type Find = (text: string) => Generator<[from: number, to: number]>;

/** Ends a line of text in a run, where the page has a `br`. */
const lineEnd = '\u2028';

/** Returns what finds a text in each line of another one, else over its lines; undefined for an empty text. */
function finder(wanted: string): Find | undefined {
  const words = comparable(wanted);
  if (words === '') return undefined;
  const { source, flags } = isExpression(wanted)
    ? expressionOf(wanted)
    : new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  const test = new RegExp(source, `${flags}g`);
  return function* (text) {
    let start = 0;
    let any = false;
    const lines = text.split(lineEnd);
    for (const line of lines) {
      for (const [from, to] of places(line, test)) {
        any = true;
        yield [start + from, start + to];
      }
      start += line.length + 1;
    }
    if (!any && lines.length > 1) yield* places(text, test);
  };
}

function* places(text: string, test: RegExp): ReturnType<Find> {
  const { text: plain, at } = compared(text);
  for (const { 0: found, index: from } of plain.matchAll(test)) {
    const to = from + found.length;
    if (found.trim() !== '') yield at ? [at[from] ?? 0, at[to] ?? text.length] : [from, to];
  }
}

/**
 * Text that flows together, in page order. Blocks and controls end it. With `lists`, the options of
 * lists that show them are part of it.
 */
function runsOf(tree: FlatTree, root: Element, styles: Styles, lists = false): Run[] {
  const out: Run[] = [];
  let run: Run = { text: '', parts: [], spans: [] };
  const flush = (): void => {
    if (run.parts.length > 0) out.push(run);
    run = { text: '', parts: [], spans: [] };
  };
  const open: { run: Run; from: number; breaks: boolean }[] = [];
  tree.visit(root, {
    enter: (el) => {
      const tag = el.localName;
      if (tag === 'br') run.text += lineEnd;
      // An element in the line that is not text separates the words on its sides.
      const skip = isSilent(el) && !(lists && el instanceof HTMLSelectElement && isListBox(el));
      if (skip || /^(input|img|svg)$/.test(tag)) flush();
      if (skip) return false;
      const { display } = styles.of(el);
      if (display === 'none') return false;
      const breaks = tag === 'button' || !/^(inline(-.*)?|contents|ruby.*)$/.test(display);
      if (breaks) flush();
      open.push({ run, from: run.text.length, breaks });
      return true;
    },
    text: (node) => {
      run.parts.push({ node, from: run.text.length });
      run.text += node.data;
    },
    leave: () => {
      const at = open.pop();
      if (at?.run === run) run.spans.push([at.from, run.text.length]);
      if (at?.breaks === true) flush();
    },
  });
  flush();
  return out;
}

function isSilent(el: Element): boolean {
  return silent.has(el.localName) || (isEmbedding(el) && embeddedBy(el) !== 'content');
}

function rangesOf(run: Run, from: number, to: number): Range[] {
  const out: Range[] = [];
  for (const { node, from: start } of run.parts) {
    const end = start + node.data.length;
    if (end <= from || start >= to) continue;
    const range = document.createRange();
    range.setStart(node, Math.max(0, from - start));
    range.setEnd(node, Math.min(node.data.length, to - start));
    out.push(range);
  }
  return out;
}

function isWhole({ text, spans }: Run, from: number, to: number): boolean {
  const same = (start: number, end: number): boolean =>
    blank(text, Math.min(start, from), Math.max(start, from)) &&
    blank(text, Math.min(end, to), Math.max(end, to));
  if (same(0, text.length) || spans.some(([start, end]) => same(start, end))) return true;
  const end = text.indexOf(lineEnd, to);
  return same(text.lastIndexOf(lineEnd, from) + 1, end < 0 ? text.length : end);
}

function blank(text: string, from: number, to: number): boolean {
  return /^[\p{White_Space}\p{DI}]*$/u.test(text.slice(from, to));
}

/** The innermost element in the flat tree that contains several ranges. */
function common(tree: FlatTree, ranges: readonly Range[]): Element {
  let at: Element | null = null;
  for (const range of ranges) {
    const own = tree.parent(range.startContainer);
    if (at === null) at = own;
    while (at !== null && own !== null && !tree.contains(at, own)) at = tree.parent(at);
  }
  // A slot has no box of its own; its parent contains the text.
  while (at?.localName === 'slot') at = tree.parent(at);
  return at ?? document.documentElement;
}

/** The boxes of a range, one for each line. */
export function rectsOf(range: Range): DOMRect[] {
  return [...range.getClientRects()].filter(({ width, height }) => width >= 1 && height >= 1);
}

/** Whether a user can see a text, or scroll to it. */
function isSeen(tree: FlatTree, styles: Styles, range: Range): boolean {
  const [rect] = rectsOf(range);
  const parent = tree.parent(range.startContainer);
  if (!rect || !parent || styles.of(parent).visibility !== 'visible') return false;
  let box: Area = rect;
  let position = 'static';
  for (let at: Element | null = parent; at; at = tree.parent(at)) {
    const style = styles.of(at);
    if (style.opacity === '0' || clippedAway(style, style.position)) return false;
    if (at === document.body || at === document.documentElement) continue;
    const holds =
      position === 'static' ||
      (position !== 'fixed' && (position !== 'absolute' || style.position !== 'static'));
    if (!holds) continue;
    if (style.display !== 'inline' && style.display !== 'contents') {
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      const cuts = style.overflowX !== 'visible' || style.overflowY !== 'visible';
      if (scrolls) box = at.getBoundingClientRect();
      else if (cuts) box = meet(box, at.getBoundingClientRect());
      if (isEmpty(box)) return false;
    }
    if (style.position !== 'static' && style.position !== 'relative' && style.position !== 'sticky')
      position = style.position;
    else if (position === 'absolute' && style.position !== 'static') position = 'static';
  }
  return box.right > -scrollX && box.bottom > -scrollY;
}

/** Input buttons show their value, which is not a text node of the page. */
function* buttons(tree: FlatTree, root: Element): Generator<{ el: Element; text: string }> {
  for (const el of tree.all(root))
    if (el instanceof HTMLInputElement && /^(submit|button|reset)$/.test(el.type))
      if (el.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        yield { el, text: printedName(el.value) };
}
