import type { FlatTree } from './flat.js';
import { imageOf } from './imagemaps.js';
import type { Box, Point } from './types.js';

/** Edges of an area in viewport coordinates. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The intersection of two areas; it may be empty. */
export function meet(a: Area, b: Area | null): Area {
  if (!b) return a;
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

/** Whether an area is less than one pixel wide or high. */
export function isEmpty(a: Area): boolean {
  return a.right - a.left < 1 || a.bottom - a.top < 1;
}

/** Whether two areas overlap. */
export function touches(a: Area, b: Area): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

/** An area with a margin around it. */
export function grow(a: Area, x: number, y: number): Area {
  return { left: a.left - x, top: a.top - y, right: a.right + x, bottom: a.bottom + y };
}

/** The area that this frame shows: its viewport, or the part of it that its parent shows. */
export function viewport(view?: Box): Area {
  const all = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  if (!view) return all;
  return meet(all, {
    left: view[0],
    top: view[1],
    right: view[0] + view[2],
    bottom: view[1] + view[3],
  });
}

/** A rectangle as data, in whole pixels. */
export function boxOf(rect: Area): Box {
  return [
    Math.round(rect.left),
    Math.round(rect.top),
    Math.round(rect.right - rect.left),
    Math.round(rect.bottom - rect.top),
  ];
}

/**
 * The box of an element. When it has none or a collapsed one: the union of the boxes in it.
 */
export function rectOf(el: Element, boxOfChild = ownBox): DOMRect {
  if (el.localName === 'area') return areaRect(el as HTMLAreaElement);
  const rect = el.getBoundingClientRect();
  if (rect.width >= 1 && rect.height >= 1) return rect;
  let box: Area | undefined;
  const boxless = [el];
  for (const at of boxless)
    for (const child of (at.shadowRoot ?? at).children) {
      const part = boxOfChild(child);
      if (part.width < 1 || part.height < 1) {
        boxless.push(child);
        continue;
      }
      box = box
        ? {
            left: Math.min(box.left, part.left),
            top: Math.min(box.top, part.top),
            right: Math.max(box.right, part.right),
            bottom: Math.max(box.bottom, part.bottom),
          }
        : part;
    }
  if (!box) return ownBox(el);
  return new DOMRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
}

/** The box of an element itself; of one that has none by its style and no elements in it, its text. */
function ownBox(el: Element): DOMRect {
  if (el.localName === 'area') return areaRect(el as HTMLAreaElement);
  const rect = el.getBoundingClientRect();
  if (rect.width >= 1 || el.firstElementChild || getComputedStyle(el).display !== 'contents')
    return rect;
  const range = document.createRange();
  range.selectNodeContents(el);
  return range.getBoundingClientRect();
}

/** The area of an element with everything that overflows it to the right and at the bottom. */
export function overflowing(rect: Area, scrollWidth: number, scrollHeight: number): Area {
  return {
    left: rect.left,
    top: rect.top,
    right: Math.max(rect.right, rect.left + scrollWidth),
    bottom: Math.max(rect.bottom, rect.top + scrollHeight),
  };
}

/**
 * The boxes of elements during one snapshot, each read once: the page does not change meanwhile.
 */
export class Rects {
  readonly #own = new Map<Element, DOMRect>();

  /** Stores a box that was read already. */
  know(el: Element, rect: DOMRect): void {
    this.#own.set(el, rect);
  }

  /** The element's own box. */
  own(el: Element): DOMRect {
    let rect = this.#own.get(el);
    if (!rect) {
      rect = ownBox(el);
      this.#own.set(el, rect);
    }
    return rect;
  }

  /**
   * Whether an element is in an area. Inline content may be higher than its line: a link is also where its image is.
   */
  lies(el: Element, rect: DOMRect, area: Area): boolean {
    if (touches(rect, area)) return true;
    for (let child = el.firstElementChild; child; child = child.nextElementSibling)
      if (touches(this.own(child), area)) return true;
    return false;
  }

  /** As rectOf. */
  of(el: Element): DOMRect {
    if (el.localName === 'area') return rectOf(el);
    const rect = this.own(el);
    return rect.width >= 1 && rect.height >= 1 ? rect : rectOf(el, (at) => this.own(at));
  }
}

function areaRect(area: HTMLAreaElement): DOMRect {
  const image = imageOf(area);
  if (!image) return new DOMRect();
  const at = image.getBoundingClientRect();
  // The coordinates are those of the image before it is scaled.
  const sx = image.offsetWidth > 0 ? at.width / image.offsetWidth : 1;
  const sy = image.offsetHeight > 0 ? at.height / image.offsetHeight : 1;
  const placed = (left: number, top: number, width: number, height: number): DOMRect =>
    new DOMRect(at.left + left * sx, at.top + top * sy, width * sx, height * sy);
  const c = area.coords.split(/[,\s]+/).map(Number);
  const [a = 0, b = 0, r = 0] = c;
  switch (area.shape) {
    case 'default':
      return at;
    case 'circle':
    case 'circ':
      return placed(a - r, b - r, 2 * r, 2 * r);
    default: {
      const xs = c.filter((_, i) => i % 2 === 0);
      const ys = c.filter((_, i) => i % 2 === 1);
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      return placed(left, top, Math.max(...xs) - left, Math.max(...ys) - top);
    }
  }
}

/**
 * Where a point of a frame's document is in this viewport. The middle of a frame is the middle of its bounding box,
 * also when it is scaled or turned.
 */
export function fromFrame(tree: FlatTree, frame: HTMLElement, inner: Point): Point {
  const rect = frame.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  const x = frame.clientLeft + parseFloat(paddingLeft) + inner.x;
  const y = frame.clientTop + parseFloat(paddingTop) + inner.y;
  const { offsetWidth, offsetHeight } = frame;
  const turn = transformOf(tree, frame);
  if (!turn) {
    const sx = offsetWidth > 0 ? rect.width / offsetWidth : 1;
    const sy = offsetHeight > 0 ? rect.height / offsetHeight : 1;
    return { x: rect.left + x * sx, y: rect.top + y * sy };
  }
  const dx = (x - offsetWidth / 2) * frame.currentCSSZoom;
  const dy = (y - offsetHeight / 2) * frame.currentCSSZoom;
  return {
    x: (rect.left + rect.right) / 2 + turn.a * dx + turn.c * dy,
    y: (rect.top + rect.bottom) / 2 + turn.b * dx + turn.d * dy,
  };
}

/** All transforms of an element and what is around it, without their origins; undefined without any. */
function transformOf(tree: FlatTree, el: Element): DOMMatrix | undefined {
  let all: DOMMatrix | undefined;
  for (let at: Element | null = el; at; at = tree.parent(at)) {
    const { rotate, scale, transform } = getComputedStyle(at);
    const own = [
      ...(/^-?[\d.]+deg$/.test(rotate) ? [`rotate(${rotate})`] : []),
      ...(scale === 'none' ? [] : [`scale(${scale.split(' ').slice(0, 2).join()})`]),
      ...(transform === 'none' ? [] : [transform]),
    ];
    if (own.length > 0) all = new DOMMatrix(own.join(' ')).multiply(all);
  }
  return all;
}

/** The part of the viewport in which an element can be seen, after clipping by its ancestors. */
export function visibleArea(tree: FlatTree, el: Element): Area {
  let view = viewport();
  let position = getComputedStyle(el).position;
  for (let at = tree.parent(el); at && position !== 'fixed'; at = tree.parent(at)) {
    if (at === document.body || at === document.documentElement) break;
    const style = getComputedStyle(at);
    const holds = position !== 'absolute' || style.position !== 'static';
    if (!holds) continue;
    position = style.position;
    if (style.overflowX !== 'visible' || style.overflowY !== 'visible')
      view = meet(at.getBoundingClientRect(), view);
  }
  return view;
}
