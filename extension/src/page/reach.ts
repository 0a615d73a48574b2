import { boxOf, rectOf } from './geometry.js';
import type { Looker } from './look.js';
import { afterglow, animated, frame, patience } from './motion.js';
import { elementOf, judge, type Judged } from './resolve.js';
import type { Box, Point, Resolution } from './types.js';

/** Where to act on an element, or why not. */
export type Reached =
  | { state: 'ok'; ref: string; line: string; point: Point; box: Box; scrolled: boolean }
  | Exclude<Resolution, { state: 'ok' }>
  | { state: 'moving'; ref: string; line: string };

/**
 * Brings an element into view, lets its running animations come to rest, and
 * finds a point that really hits it. It scrolls only what must be scrolled.
 */
export async function reach(look: Looker, ref: string): Promise<Reached> {
  const num = look.refs.parse(ref);
  const known = num === undefined ? undefined : look.refs.get(num);
  if (!known) return { state: 'unknown', ref };
  if (!known.node) return { state: 'gone', ref, was: known.said };
  const el = known.node;
  let at = judge(look, ref, el, known.said);
  let scrolled = false;
  if (at.now.state === 'off-screen' || at.now.state === 'covered') {
    scrolled = bringIntoView(at.item?.hit ?? el, at.now.state === 'covered');
    if (scrolled) at = judge(look, ref, el, known.said);
  }
  if (at.over !== undefined && (fades(at.over) || faded(at.over)))
    at = await uncovered(() => judge(look, ref, el, known.said), at);
  if (at.now.state !== 'ok') return at.now;
  const stand = at.item?.hit ?? el;
  if (moves(stand)) {
    if (!(await settle(stand))) return { state: 'moving', ref, line: at.now.line };
    at = judge(look, ref, el, known.said);
    if (at.now.state !== 'ok') return at.now;
  }
  const rect = at.item?.rect ?? rectOf(el);
  // A frame is hit when its own document is: its middle will do.
  const point = at.point ?? { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2 };
  return { state: 'ok', ref, line: at.now.line, point, box: boxOf(rect), scrolled };
}

/** Waits while what covers an element is on its way: lists and dialogs fade before they are gone. */
async function uncovered(again: () => Judged, first: Judged): Promise<Judged> {
  let at = first;
  let rested = 0;
  for (let i = 0; i < patience && at.over !== undefined && rested < afterglow; i++) {
    await frame();
    // What has faded and is still there stays until the slowest part of it has.
    if (fades(at.over)) rested = 0;
    else rested += faded(at.over) ? 1 / 3 : 1;
    at = again();
  }
  return at;
}

/** Whether an animation that has an end runs on what covers, around it or in it. */
function fades(over: Element): boolean {
  return animated((target) => target.contains(over) || over.contains(target), true);
}

/** Whether what covers cannot be seen: a library takes it away when all of it has faded. */
function faded(over: Element): boolean {
  return !over.checkVisibility({ opacityProperty: true });
}

/** Scrolls at once to an element; to the middle when something that stays put may cover an edge. */
export function bringIntoView(el: Element, middle: boolean): boolean {
  const target = el.localName === 'area' ? (el.parentElement ?? el) : el;
  const before = rectOf(el);
  const block = middle ? 'center' : 'nearest';
  target.scrollIntoView({ behavior: 'instant', block, inline: 'nearest' });
  const after = rectOf(el);
  return before.left !== after.left || before.top !== after.top;
}

/** Waits, frame by frame, while an animation moves the element; true once it rests. */
async function settle(el: Element): Promise<boolean> {
  let last = el.getBoundingClientRect();
  let still = 0;
  for (let i = 0; i < patience; i++) {
    await frame();
    const now = el.getBoundingClientRect();
    const same =
      now.left === last.left &&
      now.top === last.top &&
      now.width === last.width &&
      now.height === last.height;
    still = same ? still + 1 : 0;
    if (still >= 2) return true;
    last = now;
  }
  return false;
}

function moves(el: Element): boolean {
  return animated((target) => target.contains(el));
}

/** Scrolls the page or a scrolling area by pixels; says what it moved and what is left. */
export function scroll(
  look: Looker,
  ref: string | undefined,
  dx: number,
  dy: number,
): { x: number; y: number; above: number; below: number } | undefined {
  const page = document.scrollingElement ?? document.documentElement;
  const own = ref === undefined ? page : elementOf(look, ref);
  if (!own) return undefined;
  const el = look.tree.closest(own, (at) => canScroll(at, dx, dy)) ?? page;
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
