import type { FlatTree } from './flat.js';
import { type Area, grow, meet, overflowing, type Rects, touches } from './geometry.js';
import type { Names } from './name.js';
import { scrollState } from './structure.js';
import { clippedAway, type Styles } from './styles.js';

/** What a walk needs to know of the page and its caller. */
export interface WalkConfig {
  tree: FlatTree;
  styles: Styles;
  names: Names;
  rects: Rects;
  /** Whether the page has a pointer listener on this very element. */
  listens: (el: Element) => boolean;
  /** The area that the frame shows. */
  view: Area;
  /** Only this area (near mode), and the ancestors of content that is drawn in it. */
  region: Area | null;
  escaped: ReadonlySet<Element>;
  /** Of the elements that are a key here, only these children are visited. */
  only?: ReadonlyMap<Element, readonly Element[]>;
  /** Called with each element that was visited and not shown. */
  turned?: (el: Element) => void;
  /** Called with each element that clips its overflow, or scrolls. */
  cuts?: (el: Element) => void;
  /** Elements that are only on the path to the target: their name is not computed. */
  passed?: ReadonlySet<Element>;
}

/** State that the walk passes down from ancestors. */
export interface Way {
  /** The name of an ancestor already contains the text. */
  mute: boolean;
  /** Inside a chart or another drawing made of parts. */
  drawn: boolean;
  /** Inside an element with aria-hidden: only controls are shown. */
  hushed: boolean;
  /** Inside an item that can be acted on, or under its pointer cursor. */
  pointer: boolean;
  /** Inside an invisible element (opacity 0, or clipped to nothing). */
  faint: boolean;
  disabled: boolean;
  /** The clip areas of ancestors, for content in the flow and for positioned content. */
  clip: Area | null;
  abs: Area | null;
  region: Area | null;
  /** The part of the viewport that the scrolling areas around leave visible. */
  view: Area;
  /** The scroll state of the element itself. */
  scroll: string | undefined;
}

/** The state at the root. */
export const nowhere = {
  mute: false,
  drawn: false,
  hushed: false,
  pointer: false,
  faint: false,
  disabled: false,
};

/** The state for an element's children; null when the element is not rendered at all. */
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
  // The walk itself has already checked the whole area.
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

/** Records what an element clips, or how far it scrolls. */
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

/** Whether an element and everything that overflows it is outside the wanted area. */
function away(at: WalkConfig, el: Element, rect: DOMRect, region: Area): boolean {
  if (touches(rect, region) || at.escaped.has(el)) return false;
  if (el.childElementCount === 0) return true;
  return !touches(overflowing(rect, el.scrollWidth, el.scrollHeight), region);
}
