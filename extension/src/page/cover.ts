import type { FlatTree } from './flat.js';
import { type Area, isEmpty, meet } from './geometry.js';
import { roleOf, widgets } from './role.js';
import type { Point } from './types.js';

/** What a pointer would meet on the way to an element. */
export interface Aim {
  /** A point in the viewport that hits it; absent when no point does. */
  point?: Point;
  /** What lies over it where it was tried last. */
  by?: Element;
  /** Nothing of it is in the viewport. */
  outside: boolean;
  /** The control in it that the point meets, where all of it is covered by such. */
  control?: Element;
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

/** Whether the page listens for the pointer on an element. */
export type Listens = (el: Element) => boolean;

/** What counts as a hit: the control that was met in it, or nothing; false for another thing. */
export type Hits = (met: Element, point: Point) => { control?: Element } | false;

/**
 * Looks for a point where a click meets an element, its label or something in
 * it. Text that runs over several lines is tried line by line. `thorough` tries
 * every free part before it gives up.
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

/** As aim, for what lies in some areas and says itself what hits it. */
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
    // A row is not clicked on the button that stands in it, if it has room beside.
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

/** How many strips between the edges of what covers it an area is tried in, each way. */
const strips = 8;

/** Points of an area between the edges of what lies over it, then a grid for what is no rectangle. */
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

/** Whether a click on `met` acts on `el`: it is in it, in its stand-in, or in its label. */
export function belongs(tree: FlatTree, el: Element, target: Element, met: Element): boolean {
  if (tree.contains(target, met)) return true;
  // A control inside the label forwards nothing: only the label's own parts do.
  const label = tree.closest(met, (at) => at.localName === 'label') as HTMLLabelElement | null;
  if (label?.control === el && !controlIn(tree, label, met, el)) return true;
  // An image map's areas are met as the image where no area is.
  return el.localName === 'area' && met === el;
}

const natives = /^(a|button|input|select|textarea|label|summary)$/;

/** The control between an element and what was met in it: that one is acted on. */
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
  return el.hasAttributes() && (el.hasAttribute('onclick') || widgets.has(roleOf(el)));
}

/**
 * Whether a click at a point acts on the text that stands there: on what it stands
 * in, or on the control whose words it is.
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
  // What is slotted is met as the child of its host.
  if (met === own || met === base || met === on.startContainer.parentNode) return true;
  const control = tree.closest(own, (at) => at.localName === 'label' || widgets.has(roleOf(at)));
  // What a button or a label lays over its own words.
  if (control && tree.contains(control, met) && !controlIn(tree, control, met, own, listens))
    return true;
  if (control?.localName === 'label' && (control as HTMLLabelElement).control === met) return true;
  // A picture or a mark over the words, without words or a use of its own.
  return (
    tree.contains(base, met) &&
    met.textContent.trim() === '' &&
    !controlIn(tree, base, met, own, listens)
  );
}
