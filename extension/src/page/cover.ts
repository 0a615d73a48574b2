import type { FlatTree } from './flat.js';
import { type Area, isEmpty, meet } from './geometry.js';
import { isWidget, namedByContent, roleOf } from './role.js';
import type { Point } from './types.js';

/** The result of a hit test for an element. */
export interface Aim {
  /** A point in the viewport that hits the element; absent when no point does. */
  point?: Point;
  /** What covers the element at the last point that was tried. */
  by?: Element;
  /** No part of the element is in the viewport. */
  outside: boolean;
  /**
   * The control inside the element that the point hits, when such controls cover all of the
   * element.
   */
  control?: Element;
}

/**
 * Points to try in a rectangle, as fractions of its width and height: the middle first, then around
 * it.
 */
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

/** Whether the page has a pointer listener on an element. */
export type Listens = (el: Element) => boolean;

/**
 * What counts as a hit. The result names the control inside the target that was hit, if any; false
 * means that something else was hit.
 */
export type Hits = (met: Element, point: Point) => { control?: Element } | false;

/**
 * Finds a point where a click hits an element, its label or something inside it. Text of several
 * lines is tried line by line. `thorough` tries every uncovered part before it gives up.
 */
export function aim(
  tree: FlatTree,
  el: Element,
  hit: Element | undefined,
  rect: Area,
  view: Area,
  { thorough = false, listens }: { thorough?: boolean; listens?: Listens } = {},
): Aim {
  const target = hit ?? el;
  const hits: Hits = (met) => {
    if (!belongs(tree, el, target, met)) return false;
    const control = controlIn(tree, target, met, el, listens);
    return control ? { control } : {};
  };
  return aimAt(tree, [...parts(target, rect)], view, hits, thorough);
}

/** As aim, for given areas; `hits` decides what counts as a hit. */
export function aimAt(
  tree: FlatTree,
  areas: readonly Area[],
  view: Area,
  hits: Hits,
  thorough: boolean,
): Aim {
  const over = new Set<Element>();
  let inside = false;
  let second: { point: Point; control: Element } | undefined;
  const attempt = (point: Point): Aim | undefined => {
    const met = tree.at(point.x, point.y);
    if (!met) return undefined;
    const found = hits(met, point);
    if (found === false) {
      over.add(met);
      return undefined;
    }
    // A row with free space beside its button is not clicked on that button.
    if (!found.control) return { point, outside: false };
    over.add(found.control);
    second ??= { point, control: found.control };
    return undefined;
  };
  const seen = areas.map((part) => meet(part, view)).filter((part) => !isEmpty(part));
  for (const part of seen) {
    inside = true;
    for (const [x, y] of spots) {
      const found = attempt({
        x: part.left + (part.right - part.left) * x,
        y: part.top + (part.bottom - part.top) * y,
      });
      if (found) return found;
    }
  }
  if (thorough)
    for (const part of seen)
      for (const point of freeOf(part, over)) {
        const found = attempt(point);
        if (found) return found;
      }
  if (second) return { ...second, outside: false };
  const [by] = over;
  return by ? { by, outside: false } : { outside: !inside };
}

/** How many strips between the edges of the covering elements are tried, in each direction. */
const strips = 8;

/**
 * Points of an area between the edges of the elements over it, then a grid, for shapes that are not
 * rectangles.
 */
function* freeOf(part: Area, over: ReadonlySet<Element>): Generator<Point> {
  const rects = [...over].map((el) => el.getBoundingClientRect());
  const middles = (low: number, high: number, edges: number[]): number[] => {
    const all = [low, ...edges.filter((edge) => edge > low && edge < high), high];
    const sorted = [...new Set(all)].sort((a, b) => a - b);
    return sorted
      .slice(1)
      .flatMap((edge, at) =>
        edge - (sorted[at] ?? edge) >= 1 ? [(edge + (sorted[at] ?? edge)) / 2] : [],
      )
      .slice(0, strips);
  };
  const xs = middles(
    part.left,
    part.right,
    rects.flatMap(({ left, right }) => [left, right]),
  );
  const ys = middles(
    part.top,
    part.bottom,
    rects.flatMap(({ top, bottom }) => [top, bottom]),
  );
  for (const y of ys) for (const x of xs) yield { x, y };
  const steps = 6;
  for (let i = 0; i < steps; i++)
    for (let j = 0; j < steps; j++)
      yield {
        x: part.left + ((part.right - part.left) * (i + 0.5)) / steps,
        y: part.top + ((part.bottom - part.top) * (j + 0.5)) / steps,
      };
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

/**
 * Whether a click on `met` acts on `el`: `met` is inside it, inside its stand-in, or inside its
 * label.
 */
export function belongs(tree: FlatTree, el: Element, target: Element, met: Element): boolean {
  if (tree.contains(target, met)) return true;
  // A click on a control inside the label does not activate the label's control. A click on other
  // parts of the label does.
  const label = tree.closest(met, (at) => at.localName === 'label') as HTMLLabelElement | null;
  if (label?.control === el && !controlIn(tree, label, met, el)) return true;
  // Where an image map has no area, a hit test returns the image.
  return el.localName === 'area' && met === el;
}

const natives = /^(a|button|input|select|textarea|label|summary)$/;

/**
 * The control between an element and the element that was hit inside it. A click acts on that
 * control.
 */
export function controlIn(
  tree: FlatTree,
  outer: Element,
  met: Element,
  own: Element,
  listens?: Listens,
): Element | undefined {
  for (let at: Element | null = met; at && at !== outer; at = tree.parent(at))
    if (at !== own && (isControl(at) || listens?.(at) === true)) return at;
  return undefined;
}

function isControl(el: Element): boolean {
  if (natives.test(el.localName)) return true;
  return el.hasAttributes() && (el.hasAttribute('onclick') || isWidget(el));
}

/**
 * Whether a click at a point acts on the text there: on the element that contains it, or on the
 * control whose label it is.
 */
export function hitsText(
  tree: FlatTree,
  ranges: readonly Range[],
  met: Element,
  { x, y }: Point,
  listens?: Listens,
): boolean {
  const on = ranges.find((range) =>
    [...range.getClientRects()].some(
      (rect) =>
        x >= rect.left - 1 && x <= rect.right + 1 && y >= rect.top - 1 && y <= rect.bottom + 1,
    ),
  );
  const own = on && tree.parent(on.startContainer);
  if (!own) return false;
  let base: Element = own;
  for (let up = tree.parent(base); up; up = tree.parent(base)) {
    const style = getComputedStyle(base);
    if (style.pointerEvents !== 'none' && style.display !== 'contents') break;
    base = up;
  }
  // A hit test returns slotted content as a child of its host.
  if (met === own || met === base || met === on.startContainer.parentNode) return true;
  const control = tree.closest(own, (at) => at.localName === 'label' || isWidget(at));
  // Something that a button or a label draws over its own text.
  if (control && tree.contains(control, met) && !controlIn(tree, control, met, own, listens))
    return true;
  if (control?.localName === 'label' && (control as HTMLLabelElement).control === met) return true;
  // An image or icon over the text, with no text and no function of its own.
  return (
    tree.contains(base, met) &&
    met.textContent.trim() === '' &&
    !controlIn(tree, base, met, own, listens)
  );
}

/**
 * Whether `met` is a control that has its name from a text, or a part of it around the text: a click
 * there does what a click on the text does.
 */
export function hitsAround(
  tree: FlatTree,
  ranges: readonly Range[],
  met: Element,
  listens?: Listens,
): boolean {
  const named = tree.closest(met, (at) => isWidget(at) && namedByContent.has(roleOf(at)));
  return (
    named !== null &&
    ranges.every(({ startContainer }) => {
      const own = tree.parent(startContainer);
      return own && tree.contains(met, own) && !controlIn(tree, met, own, met, listens);
    })
  );
}
