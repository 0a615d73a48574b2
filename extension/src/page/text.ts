import type { FlatTree } from './flat.js';
import { isCardNumber, isSecret } from './value.js';

const skipped = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'head',
  'datalist',
  'svg',
  'canvas',
  'video',
  'audio',
  'object',
]);

/**
 * Returns a placeholder for a frame, on a line of its own. The caller replaces it with the frame's
 * text.
 */
export type FrameMark = (el: Element) => string;

/** Callbacks for drawn content, in reading order, shadow roots included. */
export interface Visitor {
  text: (data: string, parent: Element, pre: boolean) => void;
  /** Returns false to skip the content. */
  enter: (el: Element, display: string) => boolean;
  leave: (el: Element, display: string) => void;
  /** Called with each drawn frame. The frame's content is not visited here. */
  frame?: (el: Element) => void;
  /** Also visits content that has faded out (opacity 0). */
  faded?: boolean;
}

/** Walks the drawn content of a part of the page. */
export function visit(tree: FlatTree, root: Element, visitor: Visitor): void {
  const style = getComputedStyle(root);
  if (skipped.has(root.localName) || style.display === 'none') return;
  if (style.contentVisibility === 'hidden') return;
  if (style.opacity === '0' && visitor.faded !== true) return;
  const { display } = style;
  if (style.fontSize === '0px' && display === 'inline') return;
  const visible = style.visibility === 'visible';
  if (root.localName === 'iframe' || root.localName === 'frame') {
    if (visible) visitor.frame?.(root);
    return;
  }
  const pre = /^(preserve|preserve-breaks|break-spaces)$/.test(style.whiteSpaceCollapse);
  if (!visitor.enter(root, display)) return;
  const shut = root instanceof HTMLDetailsElement && !root.open;
  for (const child of tree.children(root)) {
    if (child instanceof Element) {
      if (!shut || child.localName === 'summary') visit(tree, child, visitor);
    } else if (child instanceof Text && visible && !shut) visitor.text(child.data, root, pre);
  }
  visitor.leave(root, display);
}

/** Collects text line by line, as a reader sees it. */
export class Lines {
  #out = '';
  #space = false;

  /** Adds text. White space collapses unless the page preserves it. */
  add(data: string, pre: boolean): void {
    if (pre) {
      this.#glue();
      this.#out += data.replace(/\r\n?/g, '\n');
      return;
    }
    const lead = /^[\t\n\f\r ]/.test(data);
    const words = data.split(/[\t\n\f\r ]+/).filter((word) => word !== '');
    if (lead) this.#space = true;
    if (words.length === 0) return;
    this.#glue();
    this.#out += words.join(' ');
    this.#space = /[\t\n\f\r ]$/.test(data);
  }

  /** Ends the line; with `gap`, also adds an empty line. */
  break(gap = false): void {
    this.#space = false;
    if (this.#out === '') return;
    const want = gap ? '\n\n' : '\n';
    const have = /\n*$/.exec(this.#out)?.[0].length ?? 0;
    this.#out += want.slice(Math.min(have, want.length));
  }

  /** Adds text unchanged. */
  raw(data: string): void {
    this.#glue();
    this.#out += data;
  }

  /** All of it, trimmed. */
  toString(): string {
    return this.#out.replace(/[ \t]+$/gm, '').trim();
  }

  #glue(): void {
    if (this.#space && this.#out !== '' && !/\s$/.test(this.#out)) this.#out += ' ';
    this.#space = false;
  }
}

const gaps = /^(p|h[1-6]|ul|ol|dl|table|pre|blockquote|figure|section|article)$/;
/** Elements that are drawn side by side like words, without a space between them in the markup. */
export const apart = /^(button|select|textarea|input)$/;
const fields = /^(select|textarea|input)$/;

/** The visible text of the page or a part of it, line by line, without hidden content. */
export function plainText(tree: FlatTree, root: Element | null = document.body): string {
  return written(tree, root, {});
}

/** plainText, with content that has faded out but is still in the document. */
export function fadedText(tree: FlatTree, root: Element | null = document.body): string {
  return written(tree, root, { faded: true });
}

/** plainText as a user reads it: with list markers, field values and frames. */
export function readableText(
  tree: FlatTree,
  root: Element | null = document.body,
  frame?: FrameMark,
): string {
  return written(tree, root, { full: true, ...(frame && { frame }) });
}

function written(
  tree: FlatTree,
  root: Element | null,
  { full = false, frame, faded = false }: { full?: boolean; frame?: FrameMark; faded?: boolean },
): string {
  if (!root) return '';
  const lines = new Lines();
  visit(tree, root, {
    faded,
    text: (data, _, pre) => {
      lines.add(data, pre);
    },
    enter: (el, display) => {
      if (el.localName === 'br') lines.raw('\n');
      else if (display === 'table-cell') lines.raw(el.previousElementSibling ? '\t' : '');
      else if (isBlock(display)) lines.break(gaps.test(el.localName) && display !== 'inline');
      else if (apart.test(el.localName)) lines.add(' ', false);
      if (full && display === 'list-item' && getComputedStyle(el).listStyleType === 'disc')
        lines.raw('- ');
      if (!fields.test(el.localName)) return true;
      if (full) lines.add(held(el), false);
      return false;
    },
    leave: (el, display) => {
      if (isBlock(display)) lines.break(gaps.test(el.localName));
      else if (apart.test(el.localName)) lines.add(' ', false);
    },
    ...(frame && {
      frame: (el) => {
        lines.break();
        lines.raw(frame(el));
        lines.break();
      },
    }),
  });
  return lines.toString();
}

/** The text that a field shows. */
function held(el: Element): string {
  if (getComputedStyle(el).visibility !== 'visible') return '';
  if (el instanceof HTMLSelectElement) return el.selectedOptions[0]?.text ?? '';
  const { type, value } = el as HTMLInputElement | HTMLTextAreaElement;
  if (/^(password|hidden|checkbox|radio|file|range|color|image)$/.test(type)) return '';
  return isSecret(el) || isCardNumber(value) ? '' : value;
}

/** Whether a box starts on a new line. */
export function isBlock(display: string): boolean {
  return !/^(inline|inline-.*|contents|table-cell|ruby.*|none)$/.test(display);
}
