import { fromFrame, rectOf, viewport } from './geometry.js';
import type { Snapshots } from './snapshots.js';
import { afterglow, animated, frame, patience } from './motion.js';
import { areasOf, around, elementOf, judge, type Judged } from './resolve.js';
import type { Box, Point, Resolution, Spot } from './types.js';

/** Where to act on an element, or why not. */
export type Reached =
  | {
      state: 'ok';
      ref: string;
      line: string;
      point: Point;
      box: Box;
      scrolled: boolean;
      /** The element moves: the point is where it will be in a moment. */
      moving?: true;
    }
  | Exclude<Resolution, { state: 'ok' }>;

/** Options of reach. */
export interface Way {
  /** The last attempt missed, so check whether the element moves. */
  again?: boolean;
  /** It did not come to rest for the last attempt, so it is not waited for once more. */
  moving?: boolean;
  /** Milliseconds from now to the press, where known. */
  lead?: number;
}

/**
 * Scrolls the target into view, waits until it stops moving, and finds a point that hits it. It
 * scrolls only as much as needed, and scrolls back when scrolling did not help.
 */
export async function reach(snapshots: Snapshots, spot: Spot, way: Way = {}): Promise<Reached> {
  let at = judge(snapshots, spot);
  let scrolled = false;
  if (at.now.state === 'off-screen' || at.now.state === 'covered') {
    const tried = scrollFree(snapshots, spot, at);
    scrolled = tried.scrolled;
    at = tried.at;
  }
  if (at.over !== undefined && (fades(at.over) || faded(at.over)))
    at = await uncovered(() => judge(snapshots, spot), at);
  else if (at.now.state !== 'ok' && scrolled) {
    // Something that reacts to scrolling, such as a header that hides, moves in the next frame.
    await frame();
    at = judge(snapshots, spot);
  }
  if (at.now.state !== 'ok') return at.now;
  const stand = at.item?.hit ?? spot.el;
  let lead: Point | undefined;
  if (way.again === true || moves(stand)) {
    lead = await settle(stand, way);
    at = judge(snapshots, spot);
    if (at.now.state !== 'ok') return at.now;
  }
  const areas = areasOf(spot, at.item);
  const { left, right, top, bottom } = around(areas);
  let point = at.point ?? { x: (left + right) / 2, y: (top + bottom) / 2 };
  if (lead) point = { x: point.x + lead.x, y: point.y + lead.y };
  const { ref, line, box } = { ...at.now };
  return { state: 'ok', ref, line, point, box, scrolled, ...(lead && { moving: true as const }) };
}

/** Where a point of a child frame is in this viewport, or what a pointer there would hit instead. */
export type ReachedFrame = (Point & { scrolled: boolean }) | { by: string };

/**
 * As reach, for a point of a frame's document. `scrolled` says that the frame has scrolled, which may
 * scroll this page, too.
 */
export async function reachFrame(
  snapshots: Snapshots,
  frame: HTMLElement,
  inner: Point,
  scrolled: boolean,
): Promise<ReachedFrame> {
  const { tree } = snapshots;
  const look = (): { point: Point; met: Element | null } => {
    const point = fromFrame(tree, frame, inner);
    return { point, met: tree.at(point.x, point.y) };
  };
  if (scrolled) await shown();
  let at = look();
  const { met: first } = at;
  const before = places(snapshots, frame);
  let moved = false;
  for (const block of blocks) {
    if (at.met === frame) break;
    const { left, top } = rectOf(frame);
    const offset = { x: at.point.x - left, y: at.point.y - top };
    const spot = { ref: '', el: frame, line: '', said: '', offset };
    moved = bringIntoView(snapshots, spot, frame, block) || moved;
    at = look();
  }
  if (moved) {
    await shown();
    at = look();
  }
  if (at.met === frame) return { ...at.point, scrolled: moved };
  if (first) for (const [el, x, y] of before) el.scrollTo({ left: x, top: y, behavior: 'instant' });
  return { by: at.met ? snapshots.words(at.met) : 'the edge of what can be seen' };
}

/**
 * Waits until a scrolled page is on the screen: the browser finds the frame of another process by
 * what was drawn last.
 */
async function shown(): Promise<void> {
  await frame();
  await frame();
}

/** How long a press usually takes to arrive, in milliseconds, for an element that moves. */
const usualLead = 25;

/**
 * Scrolls a target that is out of view or covered until a point can be hit: first no more than
 * needed, then to the middle, the start and the end.
 */
function scrollFree(
  snapshots: Snapshots,
  spot: Spot,
  first: Judged,
): { at: Judged; scrolled: boolean } {
  let at = first;
  let scrolled = false;
  const off = at.now.state === 'off-screen';
  if (!off && at.over && overAll(snapshots, at.over)) return { at, scrolled };
  const before = places(snapshots, spot.el);
  const target = at.item?.hit ?? spot.el;
  for (const block of off ? blocks : blocks.slice(1)) {
    if (!bringIntoView(snapshots, spot, target, block)) continue;
    scrolled = true;
    at = judge(snapshots, spot);
    if (at.now.state !== 'off-screen' && at.now.state !== 'covered') return { at, scrolled };
  }
  if (!scrolled || off) return { at, scrolled };
  for (const [el, x, y] of before) el.scrollTo({ left: x, top: y, behavior: 'instant' });
  return { at: judge(snapshots, spot), scrolled: false };
}

const blocks = ['nearest', 'center', 'start', 'end'] as const;
type Block = (typeof blocks)[number];

/** Whether the covering element covers the whole viewport, so that scrolling does not help. */
function overAll(snapshots: Snapshots, over: Element): boolean {
  const staying = snapshots.tree.closest(over, (at) => getComputedStyle(at).position === 'fixed');
  if (!staying) return false;
  const rect = staying.getBoundingClientRect();
  return rect.width * rect.height >= innerWidth * innerHeight * 0.9;
}

function* scrollers(snapshots: Snapshots, el: Element): Generator<Element> {
  const page = document.scrollingElement ?? document.documentElement;
  for (let at = snapshots.tree.parent(el); at; at = snapshots.tree.parent(at))
    if (at !== page && (at.scrollHeight > at.clientHeight || at.scrollWidth > at.clientWidth)) {
      const { overflowX, overflowY } = getComputedStyle(at);
      if (overflowX !== 'visible' || overflowY !== 'visible') yield at;
    }
  yield page;
}

function places(snapshots: Snapshots, el: Element): [el: Element, x: number, y: number][] {
  return [...scrollers(snapshots, el)].map((at) => [at, at.scrollLeft, at.scrollTop]);
}

/** Scrolls the target into view without animation; returns false when nothing moved. */
function bringIntoView(snapshots: Snapshots, spot: Spot, el: Element, block: Block): boolean {
  const target = el.localName === 'area' ? (el.parentElement ?? el) : el;
  const before = rectOf(el);
  target.scrollIntoView({ behavior: 'instant', block, inline: 'nearest' });
  // A part of a large element may be far from the element's start.
  if (spot.text || spot.offset) for (const at of scrollers(snapshots, el)) align(spot, at, block);
  const after = rectOf(el);
  return before.left !== after.left || before.top !== after.top;
}

function align(spot: Spot, scroller: Element, block: Block): void {
  const areas = areasOf(spot);
  if (areas.length === 0) return;
  const all = around(areas);
  const x = spot.offset ? all.left + spot.offset.x : (all.left + all.right) / 2;
  const y = spot.offset ? all.top + spot.offset.y : (all.top + all.bottom) / 2;
  const page = scroller === (document.scrollingElement ?? document.documentElement);
  const port = page ? viewport() : scroller.getBoundingClientRect();
  const inside = x >= port.left && x < port.right && y >= port.top && y < port.bottom;
  if (inside && block === 'nearest') return;
  const part = { nearest: 0.5, center: 0.5, start: 0.15, end: 0.85 }[block];
  scroller.scrollBy({
    left: x >= port.left && x < port.right ? 0 : x - (port.left + port.right) / 2,
    top: y - (port.top + (port.bottom - port.top) * part),
    behavior: 'instant',
  });
}

/** Waits while a covering element goes away: lists and dialogs fade before they are removed. */
async function uncovered(again: () => Judged, first: Judged): Promise<Judged> {
  let at = first;
  let rested = 0;
  for (let i = 0; i < patience && at.over !== undefined && rested < afterglow; i++) {
    await frame();
    // An element that has faded stays until its slowest animation has ended.
    if (fades(at.over)) rested = 0;
    else rested += faded(at.over) ? 1 / 3 : 1;
    at = again();
  }
  return at;
}

/** Whether a finite animation runs on the covering element, around it or in it. */
function fades(over: Element): boolean {
  return animated((target) => target.contains(over) || over.contains(target), true);
}

/** Whether the covering element is invisible. A library removes it when all of it has faded. */
function faded(over: Element): boolean {
  return !over.checkVisibility({ opacityProperty: true });
}

/** How long a press waits for a moving element, in milliseconds. */
const restWait = 3000;
/** Frames after which an element that will not rest is not waited for. */
const endlessFrames = 12;

/**
 * Waits, frame by frame, while an element moves. Returns undefined once it rests, else how far it
 * moves in the time that a press takes.
 */
async function settle(el: Element, way: Way): Promise<Point | undefined> {
  const lead = way.lead ?? usualLead;
  const start = performance.now();
  let last = el.getBoundingClientRect();
  let then = start;
  let still = 0;
  let pace: Point = { x: 0, y: 0 };
  for (let i = 1; performance.now() - start < restWait; i++) {
    await frame();
    const now = el.getBoundingClientRect();
    const at = performance.now();
    const same =
      now.left === last.left &&
      now.top === last.top &&
      now.width === last.width &&
      now.height === last.height;
    still = same ? still + 1 : 0;
    if (still >= 2) return undefined;
    const passed = Math.max(1, at - then);
    pace = {
      x: ((now.left + now.right - last.left - last.right) / 2 / passed) * lead,
      y: ((now.top + now.bottom - last.top - last.bottom) / 2 / passed) * lead,
    };
    last = now;
    then = at;
    if (i >= endlessFrames && (way.moving === true || endless(el))) break;
  }
  return pace;
}

/** Whether all animations that move an element are endless. */
function endless(el: Element): boolean {
  const asked = (target: Element): boolean => target.contains(el);
  return animated(asked) && !animated(asked, true);
}

function moves(el: Element): boolean {
  return animated((target) => target.contains(el));
}

/** Scrolls the page or a scrolling area by pixels. Returns how far it moved and what is left. */
export function scroll(
  snapshots: Snapshots,
  ref: string | undefined,
  dx: number,
  dy: number,
): { x: number; y: number; above: number; below: number } | undefined {
  const page = document.scrollingElement ?? document.documentElement;
  const own = ref === undefined ? page : elementOf(snapshots, ref);
  if (!own) return undefined;
  const el = snapshots.tree.closest(own, (at) => canScroll(at, dx, dy)) ?? page;
  const before = { x: el.scrollLeft, y: el.scrollTop };
  el.scrollBy({ left: dx, top: dy, behavior: 'instant' });
  const below = Math.max(0, el.scrollHeight - el.clientHeight - el.scrollTop);
  return {
    x: Math.round(el.scrollLeft - before.x),
    y: Math.round(el.scrollTop - before.y),
    above: Math.round(el.scrollTop),
    below: Math.round(below),
  };
}

function canScroll(el: Element, dx: number, dy: number): boolean {
  const { overflowX, overflowY } = getComputedStyle(el);
  if (dy !== 0 && /auto|scroll/.test(overflowY) && el.scrollHeight > el.clientHeight) return true;
  return dx !== 0 && /auto|scroll/.test(overflowX) && el.scrollWidth > el.clientWidth;
}
