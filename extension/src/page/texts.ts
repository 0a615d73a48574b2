import type { FlatTree } from './flat.js';
import { type Area, isEmpty, meet } from './geometry.js';
import { matcher } from './lines.js';
import { collapse } from './name.js';
import { clippedAway, Styles } from './styles.js';

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
  'script style template noscript head title textarea select datalist iframe frame object embed canvas video audio'.split(
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
        text: collapse(said),
        ranges,
        whole: isWhole(run, from, to),
        same: collapse(said) === collapse(wanted) || isExpression(wanted),
      });
    }
  }
  return [...out, ...buttons(tree, root, wanted)];
}

function isExpression(wanted: string): boolean {
  return /^\/.+\/[a-z]*$/s.test(wanted);
}

/**
 * Returns a function that finds all places of a text in another one; undefined for an empty text.
 */
function finder(wanted: string): ((text: string) => Generator<[number, number]>) | undefined {
  if (isExpression(wanted)) {
    matcher(wanted); // throws for an invalid expression
    const end = wanted.lastIndexOf('/');
    const flags = wanted.slice(end + 1).replace('g', '');
    return all(new RegExp(wanted.slice(1, end), `${flags}g`));
  }
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return undefined;
  const plain = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return all(new RegExp(plain.join('\\s+'), 'gi'));
}

function all(test: RegExp): (text: string) => Generator<[number, number]> {
  return function* (text) {
    for (const found of text.matchAll(test))
      if (found[0].trim() !== '') yield [found.index, found.index + found[0].length];
  };
}

/** Every line of text in page order. Blocks and controls end a line. */
function runsOf(tree: FlatTree, root: Element, styles: Styles): Run[] {
  const out: Run[] = [];
  let run: Run = { text: '', parts: [], spans: [] };
  const flush = (): void => {
    if (run.parts.length > 0) out.push(run);
    run = { text: '', parts: [], spans: [] };
  };
  const visit = (el: Element): void => {
    const tag = el.localName;
    if (tag === 'br') flush();
    // An element in the line that is not text separates the words on its sides.
    if (silent.has(tag) || /^(input|img|svg)$/.test(tag)) flush();
    if (silent.has(tag)) return;
    const { display } = styles.of(el);
    if (display === 'none') return;
    const breaks = tag === 'button' || !/^(inline(-.*)?|contents|ruby.*)$/.test(display);
    if (breaks) flush();
    const own = run;
    const from = run.text.length;
    for (const child of tree.children(el)) {
      if (child.nodeType === 1) visit(child as Element);
      else if (child.nodeType === 3) {
        run.parts.push({ node: child as Text, from: run.text.length });
        run.text += (child as Text).data;
      }
    }
    if (own === run) run.spans.push([from, run.text.length]);
    if (breaks) flush();
  };
  visit(root);
  flush();
  return out;
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
  return same(0, text.length) || spans.some(([start, end]) => same(start, end));
}

function blank(text: string, from: number, to: number): boolean {
  return text.slice(from, to).trim() === '';
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
function buttons(tree: FlatTree, root: Element, wanted: string): Standing[] {
  const find = finder(wanted);
  const out: Standing[] = [];
  for (const el of tree.all(root)) {
    if (!(el instanceof HTMLInputElement) || !/^(submit|button|reset)$/.test(el.type)) continue;
    const text = collapse(el.value);
    for (const [from, to] of find?.(text) ?? []) {
      if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) break;
      const said = text.slice(from, to);
      const same = said === collapse(wanted) || isExpression(wanted);
      out.push({ el, text, ranges: [], whole: said === text, same });
      break;
    }
  }
  return out;
}
