import type { FlatTree } from './flat.js';
import { type Area, meet } from './geometry.js';
import type { Point } from './types.js';

/** What a pointer would meet on the way to an element. */
export interface Aim {
  /** A point in the viewport that hits it; absent when no point does. */
  point?: Point;
  /** What lies over it where it was tried last. */
  by?: Element;
  /** Nothing of it is in the viewport. */
  outside: boolean;
}

/** Where in a rectangle to try, as parts of its width and height: the middle, then around it. */
const spots: readonly [number, number][] = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
  [0.1, 0.1],
  [0.9, 0.1],
  [0.1, 0.9],
  [0.9, 0.9],
];

/**
 * Looks for a point where a click meets an element, its label or something in
 * it. Text that runs over several lines is tried line by line.
 */
export function aim(
  tree: FlatTree,
  el: Element,
  hit: Element | undefined,
  rect: Area,
  view: Area,
): Aim {
  const target = hit ?? el;
  let by: Element | undefined;
  let inside = false;
  let second: Point | undefined;
  for (const part of parts(target, rect)) {
    const seen = meet(part, view);
    const width = seen.right - seen.left;
    const height = seen.bottom - seen.top;
    if (width < 1 || height < 1) continue;
    inside = true;
    for (const [x, y] of spots) {
      const point = { x: seen.left + width * x, y: seen.top + height * y };
      const met = tree.at(point.x, point.y);
      if (met && belongs(tree, el, target, met)) {
        // A row is not clicked on the button that stands in it, if it has room beside.
        if (!inOtherControl(tree, target, met, el)) return { point, outside: false };
        second ??= point;
      } else if (met) by ??= met;
    }
  }
  if (second) return { point: second, outside: false };
  return by ? { by, outside: false } : { outside: !inside };
}

function* parts(el: Element, rect: Area): Generator<Area> {
  if (el.localName === 'area' || getComputedStyle(el).display !== 'inline') {
    yield rect;
    return;
  }
  let any = false;
  for (const part of el.getClientRects()) {
    if (part.width < 1 || part.height < 1) continue;
    any = true;
    yield part;
  }
  if (!any) yield rect;
}

/** Whether a click on `met` acts on `el`: it is in it, in its stand-in, or in its label. */
export function belongs(tree: FlatTree, el: Element, target: Element, met: Element): boolean {
  if (tree.contains(target, met)) return true;
  // A control inside the label forwards nothing: only the label's own parts do.
  const label = tree.closest(met, (at) => at.localName === 'label') as HTMLLabelElement | null;
  if (label?.control === el && !inOtherControl(tree, label, met, el)) return true;
  // An image map's areas are met as the image where no area is.
  return el.localName === 'area' && met === el;
}

function inOtherControl(tree: FlatTree, label: Element, met: Element, own: Element): boolean {
  for (let at: Element | null = met; at && at !== label; at = tree.parent(at))
    if (at !== own && /^(a|button|input|select|textarea|label)$/.test(at.localName)) return true;
  return false;
}
