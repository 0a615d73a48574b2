import { aim } from './cover.js';
import { identity } from './format.js';
import { boxOf, rectOf, viewport } from './geometry.js';
import { type Looker, modalOf } from './look.js';
import { isDisabled } from './state.js';
import type { Item, Point, Resolution } from './types.js';

/** The node behind a ref while it is in the document. */
export function elementOf(look: Looker, ref: string): Element | null {
  const num = look.refs.parse(ref);
  return num === undefined ? null : (look.refs.get(num)?.node ?? null);
}

/**
 * Says whether a ref still is what it was when it was shown, and whether it
 * can be acted on where it is now. Nothing is scrolled.
 */
export function resolve(look: Looker, ref: string): Resolution {
  const num = look.refs.parse(ref);
  const known = num === undefined ? undefined : look.refs.get(num);
  if (num === undefined || !known) return { state: 'unknown', ref };
  const el = known.node;
  if (!el) return { state: 'gone', ref, was: known.said };
  return judge(look, ref, el, known.said).now;
}

/** What an element is now, and where to act on it if that can be done. */
export interface Judged {
  now: Resolution;
  item?: Item;
  point?: Point;
  /** What covers it. */
  over?: Element;
}

/** As resolve, for an element that was found otherwise. */
export function judge(look: Looker, ref: string, el: Element, said: string): Judged {
  const item = look.describe(el);
  const why = item ? hiddenBy(look, el, item) : 'not shown';
  if (!item || why !== undefined) {
    const line = item ? look.line(item) : look.words(el);
    return why === 'inert'
      ? { now: { state: 'inert', ref, line } }
      : { now: { state: 'hidden', ref, line, why: why ?? 'not shown' } };
  }
  const is = identity(item);
  const line = look.line(item);
  if (said !== '' && said !== is)
    return { item, now: { state: 'changed', ref, from: said, to: is } };
  if (isDisabled(el)) return { item, now: { state: 'disabled', ref, line } };
  const rect = item.rect ?? rectOf(el);
  const box = boxOf(rect);
  const { point, by, outside } = aim(look.tree, el, item.hit, rect, item.view ?? viewport());
  if (point) return { item, point, now: { state: 'ok', ref, line, box } };
  if (item.role === 'frame') return { item, now: { state: 'ok', ref, line, box } };
  if (by && !outside) {
    const over = look.describe(by);
    const byRef = over?.offered ? look.refs.format(over.num) : '';
    return { item, over: by, now: { state: 'covered', ref, line, by: look.words(by), byRef } };
  }
  return { item, now: { state: 'off-screen', ref, line, box } };
}

/** What around an element keeps it from a person, if anything does. */
function hiddenBy(look: Looker, el: Element, item: Item): string | undefined {
  const shown = item.hit ?? el;
  const modal = modalOf(look.tree);
  if (modal && !look.tree.contains(modal, el)) return 'inert';
  for (let at: Element | null = shown; at; at = look.tree.parent(at)) {
    if (at.hasAttribute('inert')) return 'inert';
    if (at.getAttribute('aria-hidden') === 'true') return 'aria-hidden';
  }
  if (shown.localName === 'area') return undefined;
  if (!shown.checkVisibility() && getComputedStyle(shown).display !== 'contents')
    return 'not displayed';
  const visibility = getComputedStyle(shown).visibility;
  return visibility === 'visible' ? undefined : `visibility: ${visibility}`;
}
