import { type Aim, aim, aimAt, belongs, controlIn, hitsAround, hitsText } from './cover.js';
import { identity } from './format.js';
import { type Area, boxOf, rectOf, viewport } from './geometry.js';
import { type Snapshots } from './snapshots.js';
import { modalOf } from './root.js';
import { isWidget } from './role.js';
import { isDisabled, isOperable } from './state.js';
import { rectsOf } from './texts.js';
import type { Item, Point, Resolution, Spot } from './types.js';

/** The element of a ref while it is in the document. */
export function elementOf(snapshots: Snapshots, ref: string): Element | null {
  const num = snapshots.refs.parse(ref);
  return num === undefined ? null : (snapshots.refs.get(num)?.node ?? null);
}

/** What a ref means, with what the caller was shown of it; or that it is unknown or gone. */
export function spotOf(
  snapshots: Snapshots,
  ref: string,
): Spot | Extract<Resolution, { state: 'unknown' | 'gone' }> {
  const num = snapshots.refs.parse(ref);
  const known = num === undefined ? undefined : snapshots.refs.get(num);
  if (!known) return { state: 'unknown', ref };
  if (!known.node) return { state: 'gone', ref, was: known.said };
  return { ref, el: known.node, line: known.said, said: known.said };
}

/**
 * Checks whether a ref still is what it was when it was shown, and whether it can be acted on where
 * it is now. It does not scroll.
 */
export function resolve(snapshots: Snapshots, ref: string): Resolution {
  const spot = spotOf(snapshots, ref);
  return 'state' in spot ? spot : judge(snapshots, spot).now;
}

/** The current state of an element, and where to act on it if that is possible. */
export interface Judged {
  now: Resolution;
  item?: Item;
  point?: Point;
  /** What covers it. */
  over?: Element;
}

/** As resolve, for a target that was found without a ref. */
export function judge(snapshots: Snapshots, spot: Spot): Judged {
  const { ref, el, said } = spot;
  if (!el.isConnected) return { now: { state: 'gone', ref, was: spot.line } };
  const item = snapshots.describe(el);
  const why = hiddenBy(snapshots, el, item?.hit ?? el) ?? (item ? undefined : 'not shown');
  const line = spot.text || !item ? spot.line : snapshots.line(item);
  if (!item || why !== undefined)
    return why === 'inert'
      ? { now: { state: 'inert', ref, line, dialog: hasDialog(snapshots, el) } }
      : { now: { state: 'hidden', ref, line, why: why ?? 'not shown' } };
  const is = identity(item);
  if (said !== '' && !isSame(said, is))
    return { item, now: { state: 'changed', ref, from: said, to: is } };
  if (isOff(snapshots, spot)) return { item, now: { state: 'disabled', ref, line } };
  if (item.hit) spot.hit = item.hit;
  else delete spot.hit;
  const areas = areasOf(spot, item);
  const box = boxOf(areas.length === 1 && areas[0] ? areas[0] : around(areas));
  if (areas.length === 0) return { item, now: { state: 'gone', ref, was: line } };
  const bare = spot.text ? {} : withoutValue(snapshots, item);
  const found = find(snapshots, spot, item, areas);
  if (found === 'outside') return { item, now: { state: 'outside', ref, line, box } };
  const { point, by, outside, control } = found;
  if (point) {
    if (control) spot.control = control;
    else delete spot.control;
    return { item, point, now: { state: 'ok', ref, line, ...bare, box } };
  }
  if (by && !outside) {
    const over = snapshots.describe(by);
    const byRef = over?.offered ? snapshots.refs.format(over.num) : '';
    return {
      item,
      over: by,
      now: { state: 'covered', ref, line, by: snapshots.words(by), byRef, ...bare },
    };
  }
  return { item, now: { state: 'off-screen', ref, line, ...bare, box } };
}

/** The line of a field without its current value. */
function withoutValue(snapshots: Snapshots, item: Item): { bare?: string } {
  const { value, ...rest } = item;
  return value === undefined || value === '' ? {} : { bare: snapshots.line(rest) };
}

/** Whether what would be acted on is disabled; for a text, the control that it belongs to. */
function isOff({ tree }: Snapshots, { el, text }: Spot): boolean {
  if (isDisabled(el)) return true;
  if (!text) return false;
  const at = tree.closest(el, (one) => /^(button|option|label)$/.test(one.localName));
  const control = at?.localName === 'label' ? (at as HTMLLabelElement).control : at;
  return control ? isDisabled(control) : false;
}

/** Whether an item still is what it was. One without a name may have got one meanwhile. */
function isSame(said: string, is: string): boolean {
  return (
    said === is ||
    (is.startsWith('click') && said.startsWith('click') && (said === 'click' || is === 'click'))
  );
}

/** Where the target is: the lines of a text, or the box of an element. */
export function areasOf(spot: Spot, item?: Item): Area[] {
  if (spot.text) return spot.text.flatMap(rectsOf);
  return [item?.rect ?? rectOf(spot.el)];
}

/** The bounding box of some areas. */
export function around(areas: readonly Area[]): Area {
  return {
    left: Math.min(...areas.map(({ left }) => left)),
    top: Math.min(...areas.map(({ top }) => top)),
    right: Math.max(...areas.map(({ right }) => right)),
    bottom: Math.max(...areas.map(({ bottom }) => bottom)),
  };
}

function find(snapshots: Snapshots, spot: Spot, item: Item, areas: Area[]): Aim | 'outside' {
  const { tree, listens } = snapshots;
  const { el, text, offset } = spot;
  const view = item.view ?? viewport();
  const hits = (met: Element, point: Point): { control?: Element } | false => {
    if (text) return hitsText(tree, text, met, point, listens) ? {} : false;
    const target = item.hit ?? el;
    if (!belongs(tree, el, target, met)) return false;
    const control = controlIn(tree, target, met, el, listens);
    return control ? { control } : {};
  };
  if (offset) {
    const { left, top, right, bottom } = around(areas);
    const point = { x: left + offset.x, y: top + offset.y };
    if (offset.x < 0 || offset.y < 0 || point.x > right || point.y > bottom) return 'outside';
    const inView =
      point.x >= view.left && point.x < view.right && point.y >= view.top && point.y < view.bottom;
    if (!inView) return { outside: true };
    const met = tree.at(point.x, point.y);
    const found = met && hits(met, point);
    if (found) return { point, outside: false, ...found };
    return met ? { by: met, outside: false } : { outside: true };
  }
  if (text) return aimAt(tree, areas, view, hits, true);
  return aim(tree, el, item.hit, areas[0] ?? rectOf(el), view, { thorough: true, listens });
}

/**
 * Whether a press that hit an element at a point acts on exactly the target. It is called when the
 * press really arrives.
 */
export function accepts(snapshots: Snapshots, spot: Spot, met: Element, point: Point): boolean {
  const { tree, listens } = snapshots;
  const { el, text, offset, hit = el } = spot;
  if (!el.isConnected) return false;
  if (offset) {
    const { left, top } = around(areasOf(spot));
    if (Math.abs(left + offset.x - point.x) > 1.5 || Math.abs(top + offset.y - point.y) > 1.5)
      return false;
  }
  if (text)
    return hitsText(tree, text, met, point, listens) || hitsAround(tree, text, met, listens);
  return belongs(tree, el, hit, met) && controlIn(tree, hit, met, el, listens) === spot.control;
}

/** Whether an element looks as if a click on it did something. */
export function isClickable(snapshots: Snapshots, el: Element): boolean {
  if (snapshots.listens(el) || getComputedStyle(el).cursor === 'pointer') return true;
  const around = snapshots.tree.closest(
    el,
    (at) => at.localName === 'label' || isWidget(at) || isOperable(at, () => false),
  );
  return around !== null;
}

/** Whether a dialog is open that keeps a user away from an element. */
function hasDialog({ tree }: Snapshots, el: Element): boolean {
  if (modalOf(tree)) return true;
  for (const at of tree.all(document))
    if (at.matches('[aria-modal=true],dialog[open]') && at.checkVisibility())
      return !tree.contains(at, el);
  return false;
}

/** Why an element, or something around it, is not available to a user; undefined when it is. */
function hiddenBy(snapshots: Snapshots, el: Element, shown: Element): string | undefined {
  const modal = modalOf(snapshots.tree);
  if (modal && !snapshots.tree.contains(modal, el)) return 'inert';
  for (let at: Element | null = shown; at; at = snapshots.tree.parent(at)) {
    if (at.hasAttribute('inert')) return 'inert';
  }
  if (shown.localName === 'area') return undefined;
  if (!shown.checkVisibility() && getComputedStyle(shown).display !== 'contents')
    return 'not displayed';
  const visibility = getComputedStyle(shown).visibility;
  return visibility === 'visible' ? undefined : `visibility: ${visibility}`;
}
