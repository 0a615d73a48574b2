import { signs } from './format.js';
import { rectOf, viewport } from './geometry.js';
import { matcher } from './lines.js';
import { comparable, isExpression, printedName } from './normal.js';
import { type Snapshots, walkItems } from './snapshots.js';
import { modalOf, pageRoot } from './root.js';
import { quote } from './quote.js';
import { spotOf } from './resolve.js';
import { isWidget, mayFocus, roleOf } from './role.js';
import { isOperable } from './state.js';
import { parseTarget, type Target } from './target.js';
import { findText, type Standing } from './texts.js';
import type { Candidate, Item, Located, Resolution, Spot } from './types.js';

/** How many candidates the answer to an ambiguous target lists. */
const shownCandidates = 8;

/** Of how many invisible elements it is looked up whether a snapshot lists them all the same. */
const mostDescribed = 100;

/**
 * The roles whose name no text target means. A text has its own way to be found, and a frame would
 * hide from it what its document shows.
 */
const wordless: ReadonlySet<string> = new Set(['frame', 'text']);

/** What a target is for: an item to point at, or a field to fill, switch or focus. */
export type Want = 'thing' | 'field';

/** The result of finding a target, with what to act on. */
export type Found =
  | { state: 'one'; spot: Spot }
  | { state: 'lost'; now: Extract<Resolution, { state: 'unknown' | 'gone' }> }
  | Exclude<Located, { state: 'one' }>;

/** A possible match of a target: an item of a snapshot, or a text on the page. */
interface Match {
  item: Item;
  standing?: Standing;
}

/** Finds what a target means: exactly one item, or else the candidates. */
export function locate(snapshots: Snapshots, input: string, want: Want = 'thing'): Located {
  const found = find(snapshots, input, want);
  switch (found.state) {
    case 'one':
      return { state: 'one', ref: found.spot.ref, line: found.spot.line };
    case 'lost':
      return found.now.state === 'gone'
        ? { state: 'one', ref: found.now.ref, line: found.now.was }
        : { state: 'none', target: input, near: [] };
    default:
      return found;
  }
}

/** As locate, and also returns what to act on. */
export function find(snapshots: Snapshots, input: string, want: Want = 'thing'): Found {
  const ref = input.trim().replace(/^@/, '');
  if (snapshots.refs.parse(ref) !== undefined) {
    const spot = spotOf(snapshots, ref);
    if ('state' in spot) return { state: 'lost', now: spot };
    const item = snapshots.describe(spot.el);
    return { state: 'one', spot: item ? { ...spot, line: snapshots.line(item) } : spot };
  }
  const target = parseTarget(input);
  if (target.by === 'bad') return { state: 'bad', target: input, why: target.why };
  const all = new Things(snapshots);
  try {
    return answer(snapshots, input, target, choose(all, target, want), all);
  } catch (error) {
    return {
      state: 'bad',
      target: input,
      why: error instanceof Error ? error.message : String(error),
    };
  }
}

/** The elements that a target means at the moment. None of them gets a ref. */
export function matches(snapshots: Snapshots, target: Exclude<Target, { by: 'bad' }>): Element[] {
  const found =
    named(snapshots, target) ??
    choose(new Things(snapshots), target, 'thing').map(({ item }) => item.el);
  const unique = [...new Set(found)];
  if (target.by === 'point' || target.nth === undefined) return unique;
  const nth = unique[target.nth - 1];
  return nth ? [nth] : [];
}

/** The items of the page, collected when they are first needed. */
class Things {
  readonly snapshots: Snapshots;
  #items: Item[] | undefined;

  constructor(snapshots: Snapshots) {
    this.snapshots = snapshots;
  }

  get items(): Item[] {
    this.#items ??= [...walkItems(this.snapshots.items(pageRoot(), viewport(), false))];
    return this.#items;
  }

  /**
   * The items of some elements. A single element is read alone, because a page may have thousands
   * of items.
   */
  of(elements: readonly Element[]): Match[] {
    const all =
      elements.length > 1 ? this.items : elements.map((el) => this.snapshots.describe(el));
    // The first item of an element counts, and a selector may match thousands of elements.
    const known = new Map(
      all
        .filter((one) => one !== undefined && one.role !== 'text')
        .toReversed()
        .map((one) => [one?.el, one]),
    );
    return elements.map((el) => {
      const item = known.get(el);
      return { item: item ?? { ...plain(el), name: this.snapshots.words(el) } };
    });
  }
}

/**
 * The elements that a selector or a point means, without a snapshot; undefined for other targets.
 */
function named(
  snapshots: Snapshots,
  target: Exclude<Target, { by: 'bad' }>,
): Element[] | undefined {
  if (target.by === 'css') return [...select(snapshots, target.selector)];
  if (target.by !== 'point') return undefined;
  const el = snapshots.tree.at(target.x, target.y);
  return el ? [el] : [];
}

function choose(all: Things, target: Exclude<Target, { by: 'bad' }>, want: Want): Match[] {
  const { snapshots } = all;
  switch (target.by) {
    case 'css':
      return all.of(named(snapshots, target) ?? []);
    case 'point': {
      const found = named(snapshots, target) ?? [];
      return all.of(want === 'field' ? found.map((el) => fieldAround(snapshots, el) ?? el) : found);
    }
    case 'role': {
      const role = target.role.toLowerCase();
      if (role === 'text' && target.name !== undefined) return texts(all, target.name, want);
      let same = all.items.filter(({ role: own }) => own === role || signs[own] === role);
      if (same.length === 0) same = unlisted(all, role);
      const name = ({ name: own }: Item): string => own;
      return (target.name === undefined ? same : best(same, target.name, name)).map(asMatch);
    }
    case 'label':
      return best(fieldsOf(all), target.text, ({ name }) => name).map(asMatch);
    case 'text':
      return texts(all, target.text, want);
  }
}

/** Elements of a role that a snapshot leaves out because they have no content of their own. */
function unlisted({ snapshots }: Things, role: string): Item[] {
  const found = [...snapshots.tree.all(document)].filter(
    (el) => roleOf(el) === role && el.checkVisibility({ visibilityProperty: true }),
  );
  return found.map((el) => ({
    ...plain(el),
    role,
    name: snapshots.aria(el).name || snapshots.said(el),
  }));
}

const asMatch = (item: Item): Match => ({ item });

/** Items that can have a label: fields, and other controls. */
function fieldsOf(all: Things): Item[] {
  return all.items.filter(
    ({ el, offered }) =>
      offered &&
      (/^(input|select|textarea|button)$/.test(el.localName) ||
        isOperable(el, () => false) ||
        el.hasAttribute('role')),
  );
}

/**
 * What a text target means: the places where the text is visible. A complete match comes before a
 * part, and the same capitals before others. A text that is not visible anywhere may be an
 * accessible name: of an image or an icon.
 */
function texts(all: Things, text: string, want: Want): Match[] {
  const root = pageRoot();
  const standing = root ? findText(all.snapshots.tree, root, text) : [];
  const tiers: ((one: Standing) => boolean)[] = [
    ({ whole, same }) => whole && same,
    ({ whole }) => whole,
    () => true,
  ];
  const named = ({ name, cells }: Item): string => cells?.join(' ') ?? name;
  for (const [tier, fits] of tiers.entries()) {
    const found = standing.filter(fits);
    if (want === 'field') {
      const fields = fieldsFor(all, found);
      if (fields.length > 0) return fields;
    }
    if (found.length > 0 && want === 'thing')
      return found.map((one) => ({ item: { ...plain(one.el), name: one.text }, standing: one }));
    const items =
      want === 'field' ? fieldsOf(all) : all.items.filter(({ role }) => !wordless.has(role));
    const same = innermost(all.snapshots, alike(items, text, named, tier));
    if (same.length > 0) return same.map(asMatch);
    if (found.length > 0)
      return all.of(found.map(({ el }) => fieldAround(all.snapshots, el) ?? el));
  }
  return [];
}

/** The fields that some texts label, or that contain them. */
function fieldsFor(all: Things, found: readonly Standing[]): Match[] {
  const { snapshots } = all;
  const fields = (of: (el: Element) => Element | undefined): Match[] =>
    all.of([...new Set(found.map(({ el }) => of(el)).filter((el) => el !== undefined))]);
  const labels = fields((el) => labelled(snapshots, el));
  return labels.length > 0 ? labels : fields((el) => fieldAround(snapshots, el));
}

/** The field that a text is the label of. */
function labelled(snapshots: Snapshots, el: Element): Element | undefined {
  const { tree } = snapshots;
  const label = tree.closest(el, (at) => at.localName === 'label') as HTMLLabelElement | null;
  if (label?.control) return label.control;
  const named = tree.closest(el, (at) => at.id !== '' && labelledBy(at) !== null);
  return (named && labelledBy(named)) ?? undefined;
}

function labelledBy(el: Element): Element | null {
  const root = el.getRootNode() as Document | ShadowRoot;
  return root.querySelector(`[aria-labelledby~="${CSS.escape(el.id)}"]`);
}

/** The nearest element around an element that can be focused or operated. */
function fieldAround(snapshots: Snapshots, el: Element): Element | undefined {
  const near = snapshots.tree.closest(
    el,
    (at) => isWidget(at) || isOperable(at, () => false) || mayFocus(at),
  );
  return near && near !== document.body && near !== document.documentElement ? near : undefined;
}

/**
 * The exact matches; without any, the matches that ignore case; then the items that contain the
 * text.
 */
function best(items: Item[], text: string, of: (item: Item) => string): Item[] {
  for (const tier of [0, 1, 2]) {
    const found = alike(items, text, of, tier);
    if (found.length > 0) return found;
  }
  return [];
}

/** The matches of one tier: exact, ignoring case, or containing the text. */
function alike(items: Item[], text: string, of: (item: Item) => string, tier: number): Item[] {
  const test = matcher(text);
  if (isExpression(text)) return tier === 2 ? items.filter((item) => test(of(item))) : [];
  const words = comparable(text);
  const low = words.toLowerCase();
  const tests: ((name: string) => boolean)[] = [
    (name) => comparable(name) === words,
    (name) => comparable(name).toLowerCase() === low,
    test,
  ];
  const found = items.filter((item) => tests[tier]?.(of(item)));
  // Names that differ only in joiners can still be distinguished.
  const exact =
    tier === 0 ? found.filter((item) => printedName(of(item)) === printedName(text)) : [];
  return exact.length > 0 ? exact : found;
}

/** Of nested items with one name: the one that can be operated, else the innermost. */
function innermost(snapshots: Snapshots, items: Item[]): Item[] {
  const outer = (a: Item, b: Item): boolean => a.el !== b.el && snapshots.tree.contains(a.el, b.el);
  return items.filter(
    (item) =>
      !items.some(
        (other) =>
          (outer(item, other) && (other.offered || !item.offered)) ||
          (outer(other, item) && other.offered && !item.offered),
      ),
  );
}

function* select(snapshots: Snapshots, selector: string): Generator<Element> {
  // Throws for an invalid selector before the walk starts.
  document.createDocumentFragment().querySelector(selector);
  for (const el of snapshots.tree.all(document)) if (el.matches(selector)) yield el;
}

function plain(el: Element): Item {
  return {
    el,
    role: 'element',
    name: '',
    states: [],
    offered: false,
    num: 0,
    inView: true,
    children: [],
  };
}

function answer(
  snapshots: Snapshots,
  input: string,
  target: Exclude<Target, { by: 'bad' }>,
  found: Match[],
  all: Things,
): Found {
  const known = new Set<Element>();
  let unique = found.filter(({ item: { el }, standing }) => {
    const isNew = standing !== undefined || !known.has(el);
    known.add(el);
    return isNew;
  });
  unique = within(snapshots, unique);
  if (target.by !== 'point' && target.nth !== undefined) {
    const nth = unique[target.nth - 1];
    unique = nth ? [nth] : [];
  }
  const [first] = unique;
  if (!first) return { state: 'none', target: input, near: similar(snapshots, all.items, target) };
  if (unique.length === 1) return { state: 'one', spot: spotFor(snapshots, first, target) };
  snapshots.distinguish(unique.map(({ item }) => item));
  return {
    state: 'many',
    target: input,
    count: unique.length,
    candidates: unique.slice(0, shownCandidates).map((match) => candidate(snapshots, match)),
  };
}

/** The matches that a user could mean: visible ones, and with an open modal dialog only those in it. */
function within(snapshots: Snapshots, found: Match[]): Match[] {
  const modal = modalOf(snapshots.tree);
  let described = 0;
  const tests: ((el: Element) => boolean)[] = [
    (el) =>
      el.checkVisibility({ visibilityProperty: true }) ||
      ((described += 1) <= mostDescribed && snapshots.describe(el) !== undefined),
    (el) => !modal || snapshots.tree.contains(modal, el),
    (el) => snapshots.tree.closest(el, (at) => at.hasAttribute('inert')) === null,
    (el) => snapshots.tree.closest(el, (at) => at.getAttribute('aria-hidden') === 'true') === null,
  ];
  let left = found;
  for (const test of tests) {
    if (left.length < 2) return left;
    const some = left.filter(({ item }) => test(item.el));
    if (some.length > 0) left = some;
  }
  return left;
}

function spotFor(snapshots: Snapshots, match: Match, target: Target): Spot {
  const { ref, line } = candidate(snapshots, match);
  const { item, standing } = match;
  const spot: Spot = { ref, el: item.el, line, said: '' };
  if (standing && standing.ranges.length > 0) spot.text = standing.ranges;
  if (target.by === 'point') {
    const { left, top } = rectOf(item.el);
    spot.offset = { x: target.x - left, y: target.y - top };
  }
  return spot;
}

/** What tells an item from others of the same role and name. */
function apart({ context, which }: Item): Pick<Candidate, 'context' | 'which'> {
  return {
    ...(context === undefined ? {} : { context }),
    ...(which === undefined ? {} : { which }),
  };
}

/** A match as a candidate; for a text, with the element that contains it. */
function candidate(snapshots: Snapshots, { item, standing }: Match): Candidate {
  item.num = snapshots.refs.number(item.el);
  const ref = snapshots.refs.format(item.num);
  if (!standing) return { ref, line: snapshots.line(item), ...apart(item) };
  const { tree, listens } = snapshots;
  const around = tree.closest(
    item.el,
    (at) => at.localName === 'label' || isWidget(at) || isOperable(at, listens),
  );
  const control = around?.localName === 'label' ? (around as HTMLLabelElement).control : around;
  const thing = control ? snapshots.describe(control) : undefined;
  if (thing && (thing.el === item.el || thing.name === standing.text))
    return { ref: snapshots.refs.format(thing.num), line: snapshots.line(thing) };
  const words = `${ref} ${quote(standing.text)}`;
  return { ref, line: thing ? `${words} in ${snapshots.line(thing)}` : words };
}

/** Items that share a word with the target. */
function similar(snapshots: Snapshots, items: Item[], target: Target): Candidate[] {
  let text = '';
  if (target.by === 'role') text = target.name ?? target.role;
  else if ('text' in target) text = target.text;
  // A name that was meant as text parses as a selector of elements.
  else if (target.by === 'css' && /^[\w\s-]+$/.test(target.selector)) text = target.selector;
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2);
  return items
    .filter((item) => item.offered)
    .map((item) => {
      const said = `${item.role} ${item.name}`.toLowerCase();
      const own = said.slice(0, 200).split(/[^\p{L}\p{N}]+/u);
      const like = (word: string): boolean =>
        said.includes(word) || own.some((other) => isNear(word, other));
      return { item, score: words.filter(like).length };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 4)
    .map(({ item }) => candidate(snapshots, { item }));
}

/**
 * Whether two words differ by one letter: replaced, inserted, deleted, or swapped with its neighbour.
 */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < 3) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    restA.slice(1) === restB ||
    restB.slice(1) === restA ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
