import { isBlock, isCell, visit } from './drawn.js';
import type { FlatTree } from './flat.js';
import { printedName } from './normal.js';
import { Lines } from './textlines.js';
import { isCardNumber, isSecret } from './value.js';

/**
 * Returns a placeholder for a frame, on a line of its own. The caller replaces it with the frame's
 * text.
 */
export type FrameMark = (el: Element) => string;

const gaps = /^(p|h[1-6]|ul|ol|dl|table|pre|blockquote|figure|section|article)$/;
/** Elements that are drawn side by side like words, without a space between them in the markup. */
export const apart = /^(button|select|textarea|input)$/;
const fields = /^(select|textarea|input)$/;

/** How the text of a page is written. */
interface Way {
  /** Also list markers, field values and frames. */
  full?: boolean;
  frame?: FrameMark | undefined;
  faded?: boolean | undefined;
  /** A `br` only separates words. */
  soft?: boolean;
}

/** The visible text of the page or a part of it, line by line, without hidden content. */
export function plainText(
  tree: FlatTree,
  root: Element | null = document.body,
  faded?: boolean,
): string {
  return written(tree, root, { faded });
}

/**
 * The lines of the visible text, as far as blocks separate them: a text that only a `br` divides is
 * one line. With `faded`, also what has faded out but is still in the document.
 */
export function linesOf(tree: FlatTree, faded?: boolean): string[] {
  return written(tree, document.body, { faded, soft: true }).split('\n');
}

/** plainText as a user reads it: with list markers, field values and frames. */
export function readableText(
  tree: FlatTree,
  root: Element | null = document.body,
  frame?: FrameMark,
): string {
  return written(tree, root, { full: true, frame });
}

function written(
  tree: FlatTree,
  root: Element | null,
  { full = false, frame, faded = false, soft = false }: Way,
): string {
  if (!root) return '';
  const lines = new Lines();
  visit(tree, root, {
    faded,
    text: (data, _, pre) => {
      lines.add(data, pre);
    },
    enter: (el, display) => {
      if (el.localName === 'br') {
        if (soft) lines.add(' ', false);
        else lines.newLine();
      } else if (el !== root && isCell(el, display)) {
        if (el.previousElementSibling) lines.cell();
      } else if (isBlock(display)) lines.break(gaps.test(el.localName));
      else if (apart.test(el.localName)) lines.add(' ', false);
      if (full && display === 'list-item' && getComputedStyle(el).listStyleType === 'disc')
        lines.begin('- ');
      if (!fields.test(el.localName)) return true;
      if (full) lines.add(held(el), false);
      return false;
    },
    leave: (el, display) => {
      if (display === 'list-item') lines.end();
      if (isBlock(display)) lines.break(gaps.test(el.localName));
      else if (apart.test(el.localName)) lines.add(' ', false);
    },
    frame:
      frame &&
      ((el) => {
        lines.break();
        lines.raw(frame(el));
        lines.break();
      }),
  });
  return lines.toString();
}

/** The text that a field shows. */
function held(el: Element): string {
  if (getComputedStyle(el).visibility !== 'visible') return '';
  if (el instanceof HTMLSelectElement) return printedName(el.selectedOptions[0]?.text ?? '');
  const { type, value } = el as HTMLInputElement | HTMLTextAreaElement;
  if (/^(password|hidden|checkbox|radio|file|range|color|image)$/.test(type)) return '';
  return isSecret(el) || isCardNumber(value) ? '' : value;
}
