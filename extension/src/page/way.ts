import type { FlatTree } from './flat.js';
import { type Area, grow, meet, overflowing, type Rects, touches } from './geometry.js';
import type { Names } from './name.js';
import { scrollState } from './structure.js';
import { clippedAway, type Styles } from './styles.js';

/** What a walk needs of the page and its caller. */
export interface WalkConfig {
  tree: FlatTree;
  styles: Styles;
  names: Names;
  rects: Rects;
  /** Whether the page listens for the pointer on this very element. */
  listens: (el: Element) => boolean;
  /** What the frame shows. */
  view: Area;
  /** Only this area (near mode), and the ancestors of what is drawn in it from elsewhere. */
  region: Area | null;
  escaped: ReadonlySet<Element>;
  /** Of the elements that are a key here only these children are visited. */
  only?: ReadonlyMap<Element, readonly Element[]>;
  /** Hears of each element that was met and not shown. */
  turned?: (el: Element) => void;
  /** Hears of each element that cuts off what overflows it, or scrolls. */
  cuts?: (el: Element) => void;
  /** What is only passed on the way to what is asked for: its name is not. */
  passed?: ReadonlySet<Element>;
}

/** What surrounds an element on the way down. */
export interface Way {
  /** Text is said already by the name of something around it. */
  mute: boolean;
  /** Inside a chart or another picture made of parts. */
  drawn: boolean;
  /** Inside something with aria-hidden: only what is a control is shown. */
  hushed: boolean;
  /** Inside something offered, or under its pointer. */
  pointer: boolean;
  /** Inside something that is not seen although it is there (opacity 0, clipped to nothing). */
  faint: boolean;
  disabled: boolean;
  /** What ancestors cut off, for what flows in them and for what is positioned. */
  clip: Area | null;
  abs: Area | null;
  region: Area | null;
  /** What of the viewport the scrolling areas around leave to be seen. */
  view: Area;
  /** What the element itself says of its scrolling. */
  scroll: string | undefined;
}

/** Nothing around. */
export const nowhere = {
  mute: false,
  drawn: false,
  hushed: false,
  pointer: false,
  faint: false,
  disabled: false,
};

/** What surrounds the children of an element; null when it is out of the picture altogether. */
export function around(
  at: WalkConfig,
  el: Element,
  style: CSSStyleDeclaration,
  way: Way,
): Way | null {
  const position = style.position;
  const overflow = style.overflowX;
  const rooted = el === document.body || el === document.documentElement;
  const cuts = overflow !== 'visible' && !rooted;
  const faint = way.faint || style.opacity === '0' || clippedAway(style, position);
  const disabled = way.disabled || el.getAttribute('aria-disabled') === 'true';
  const placed = position !== 'static' && position !== 'relative';
  const narrowed = way.region !== at.region;
  if (
    !cuts &&
    !way.clip &&
    !narrowed &&
    (position !== 'fixed' || way.view === at.view) &&
    way.scroll === undefined &&
    faint === way.faint &&
    disabled === way.disabled
  )
    return way;
  const next: Way = { ...way, faint, disabled, scroll: undefined };
  if (placed && position !== 'sticky') {
    next.clip = position === 'fixed' ? null : next.abs;
    if (position === 'fixed') {
      next.abs = null;
      next.view = at.view;
    }
    next.region = at.region;
  }
  // The walk itself has asked whether it is in the whole area.
  const near =
    next.region !== null && next.region !== at.region && !rooted && style.display !== 'inline';
  if ((cuts || next.clip || near) && style.display !== 'contents') {
    const rect = at.rects.own(el);
    const sized = rect.width >= 1 && rect.height >= 1;
    if (next.region && near && sized && away(at, el, rect, next.region)) return null;
    if (next.clip && sized && !touches(rect, next.clip)) return null;
    if (cuts) {
      at.cuts?.(el);
      cut(el, style, rect, next);
    }
  }
  if (position !== 'static' || (next.clip && style.transform !== 'none')) next.abs = next.clip;
  return next;
}

/** Takes in what an element cuts off, or how far it scrolls. */
function cut(el: Element, style: CSSStyleDeclaration, rect: DOMRect, next: Way): void {
  next.scroll = scrollState(el, style);
  if (next.scroll === undefined) {
    next.clip = meet(rect, next.clip);
    return;
  }
  next.clip = null;
  next.view = meet(rect, next.view);
  if (next.region) next.region = meet(next.region, grow(rect, rect.width / 2, rect.height / 2));
}

/** Whether an element and all that overflows it lie outside the area that is wanted. */
function away(at: WalkConfig, el: Element, rect: DOMRect, region: Area): boolean {
  if (touches(rect, region) || at.escaped.has(el)) return false;
  if (el.childElementCount === 0) return true;
  return !touches(overflowing(rect, el.scrollWidth, el.scrollHeight), region);
}
