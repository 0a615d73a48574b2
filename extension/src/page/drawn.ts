import { embeddedBy, isEmbedding } from './embedded.js';
import type { FlatTree } from './flat.js';
import { printed } from './normal.js';

const skipped = new Set(
  (
    'script style template noscript head datalist canvas video audio ' +
    // Parts of a drawing that draw no text where they are.
    'clipPath defs desc marker mask metadata pattern symbol title'
  ).split(' '),
);

/** Callbacks for drawn content, in reading order, shadow roots included. */
export interface Visitor {
  text: (data: string, parent: Element, pre: boolean) => void;
  /** Returns false to skip the content. */
  enter: (el: Element, display: string) => boolean;
  leave: (el: Element, display: string) => void;
  /** Called with each drawn frame. The frame's content is not visited here. */
  frame?: ((el: Element) => void) | undefined;
  /** Also visits content that has faded out (opacity 0). */
  faded?: boolean;
}

/** What the style of an element says about the text in it. */
interface Drawn {
  display: string;
  visible: boolean;
  pre: boolean;
  /** Only its summary is drawn. */
  shut: boolean;
}

/** Walks the drawn content of a part of the page. */
export function visit(tree: FlatTree, root: Element, visitor: Visitor): void {
  const open: Drawn[] = [];
  tree.visit(root, {
    enter: (el) => {
      if (open.at(-1)?.shut === true && el.localName !== 'summary') return false;
      const drawn = drawnAs(el, visitor);
      if (!drawn || !visitor.enter(el, drawn.display)) return false;
      open.push(drawn);
      return true;
    },
    text: ({ data }, el) => {
      const at = open.at(-1);
      if (!at?.visible || at.shut) return;
      // Between the shapes of a drawing no text is drawn.
      if (el instanceof SVGElement && !el.closest('text')) return;
      visitor.text(printed(data), el, at.pre);
    },
    leave: (el) => {
      visitor.leave(el, open.pop()?.display ?? '');
    },
  });
}

/** How an element is drawn; undefined when its content is not visited. */
function drawnAs(el: Element, visitor: Visitor): Drawn | undefined {
  const style = getComputedStyle(el);
  const { display } = style;
  if (skipped.has(el.localName) || display === 'none') return undefined;
  if (style.contentVisibility === 'hidden') return undefined;
  if (style.opacity === '0' && visitor.faded !== true) return undefined;
  if (style.fontSize === '0px' && display === 'inline') return undefined;
  const visible = style.visibility === 'visible';
  const shows = isEmbedding(el) ? embeddedBy(el) : 'content';
  if (el.localName === 'iframe' || el.localName === 'frame' || shows === 'document') {
    if (visible) visitor.frame?.(el);
    return undefined;
  }
  if (shows === 'nothing') return undefined;
  const pre = /^(preserve|preserve-breaks|break-spaces)$/.test(style.whiteSpaceCollapse);
  const shut = el instanceof HTMLDetailsElement && !el.open;
  return { display, visible, pre, shut };
}

/** Whether a box starts on a new line. */
export function isBlock(display: string): boolean {
  return !/^(inline|inline-.*|contents|table-cell|ruby.*|none)$/.test(display);
}

/** Whether an element is a cell beside others in a row, and not drawn on a line of its own. */
export function isCell(el: Element, display: string): boolean {
  if (display === 'table-cell') return true;
  if (isBlock(display)) return false;
  return (
    /^t[dh]$/.test(el.localName) ||
    /^(cell|gridcell|columnheader|rowheader)$/.test(el.getAttribute('role') ?? '')
  );
}
