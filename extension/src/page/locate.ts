import { signs } from './format.js';
import { viewport } from './geometry.js';
import { matcher } from './lines.js';
import { type Looker, pageRoot, walkItems } from './look.js';
import { isOperable } from './state.js';
import { parseTarget, type Target } from './target.js';
import type { Candidate, Item, Located } from './types.js';

/** Candidates that an ambiguous target is answered with. */
const shownCandidates = 8;

/** Finds what a target means: exactly one thing, or says what it could have been. */
export function locate(look: Looker, input: string): Located {
  const num = look.refs.parse(input.trim());
  if (num !== undefined) {
    const known = look.refs.get(num);
    const item = known?.node ? look.describe(known.node) : undefined;
    if (!known) return { state: 'none', target: input, near: [] };
    return { state: 'one', ref: look.refs.format(num), line: item ? look.line(item) : known.said };
  }
  const target = parseTarget(input);
  if (target.by === 'bad') return { state: 'bad', target: input, why: target.why };
  const items = [...walkItems(look.items(pageRoot(), viewport(), false))];
  try {
    return answer(look, input, target, choose(look, items, target), items);
  } catch (error) {
    return {
      state: 'bad',
      target: input,
      why: error instanceof Error ? error.message : String(error),
    };
  }
}

/** The elements that a target means just now, none of them given a ref. */
export function matches(look: Looker, target: Exclude<Target, { by: 'bad' }>): Element[] {
  const items = [...walkItems(look.items(pageRoot(), viewport(), false))];
  const found = choose(look, items, target).map(({ el }) => el);
  const unique = found.filter((el, at) => found.indexOf(el) === at);
  if (target.by === 'point' || target.nth === undefined) return unique;
  const nth = unique[target.nth - 1];
  return nth ? [nth] : [];
}

function choose(look: Looker, items: Item[], target: Exclude<Target, { by: 'bad' }>): Item[] {
  switch (target.by) {
    case 'css':
      return [...select(look, target.selector)].map((el) => itemOf(look, items, el));
    case 'point': {
      const el = look.tree.at(target.x, target.y);
      return el ? [itemOf(look, items, actable(look, items, el))] : [];
    }
    case 'role': {
      const role = target.role.toLowerCase();
      const same = items.filter(({ role: own }) => own === role || signs[own] === role);
      return target.name === undefined ? same : best(same, target.name, ({ name }) => name);
    }
    case 'label': {
      const fields = items.filter(
        ({ el }) =>
          /^(input|select|textarea|button)$/.test(el.localName) ||
          isOperable(el, () => false) ||
          el.hasAttribute('role'),
      );
      return best(
        fields.filter(({ offered }) => offered),
        target.text,
        ({ name }) => name,
      );
    }
    case 'text': {
      const found = best(items, target.text, ({ name, cells }) => cells?.join(' ') ?? name);
      return found.map((item) =>
        item.offered ? item : itemOf(look, items, actable(look, items, item.el)),
      );
    }
  }
}

/** The exact matches; without any, those without regard to case, then those that contain it. */
function best(items: Item[], text: string, of: (item: Item) => string): Item[] {
  if (/^\/.+\/[a-z]*$/s.test(text)) {
    const test = matcher(text);
    return items.filter((item) => test(of(item)));
  }
  const exact = items.filter((item) => of(item) === text);
  if (exact.length > 0) return exact;
  const low = text.toLowerCase();
  const same = items.filter((item) => of(item).toLowerCase() === low);
  if (same.length > 0) return same;
  return items.filter((item) => of(item).toLowerCase().includes(low));
}

function* select(look: Looker, selector: string): Generator<Element> {
  // Throws for a selector that cannot be read, before anything is walked.
  document.createDocumentFragment().querySelector(selector);
  for (const el of look.tree.all(document)) if (el.matches(selector)) yield el;
}

/** The nearest thing around an element that can be acted on, or the element itself. */
function actable(look: Looker, items: Item[], el: Element): Element {
  const offered = new Set(items.filter((item) => item.offered).map((item) => item.el));
  const label = look.tree.closest(el, (at) => at.localName === 'label') as HTMLLabelElement | null;
  const near = look.tree.closest(el, (at) => offered.has(at));
  return near ?? label?.control ?? el;
}

function itemOf(look: Looker, items: Item[], el: Element): Item {
  const known = items.find((item) => item.el === el && item.role !== 'text');
  if (known) return known;
  const name = look.words(el);
  return {
    el,
    role: 'element',
    name,
    states: [],
    offered: false,
    num: 0,
    inView: true,
    children: [],
  };
}

function answer(
  look: Looker,
  input: string,
  target: Exclude<Target, { by: 'bad' }>,
  found: Item[],
  items: Item[],
): Located {
  let unique = found.filter((item, at) => found.findIndex((other) => other.el === item.el) === at);
  if (unique.length > 1 && unique.some((item) => item.offered))
    unique = unique.filter((item) => item.offered);
  if (target.by !== 'point' && target.nth !== undefined) {
    const nth = unique[target.nth - 1];
    unique = nth ? [nth] : [];
  }
  const [first] = unique;
  if (!first) return { state: 'none', target: input, near: similar(look, items, target) };
  if (unique.length === 1) return { state: 'one', ...candidate(look, first) };
  return {
    state: 'many',
    target: input,
    count: unique.length,
    candidates: unique.slice(0, shownCandidates).map((item) => candidate(look, item)),
  };
}

function candidate(look: Looker, item: Item): Candidate {
  item.num = look.refs.number(item.el);
  return { ref: look.refs.format(item.num), line: look.line(item) };
}

/** Things that share a word with what was looked for. */
function similar(look: Looker, items: Item[], target: Target): Candidate[] {
  let text = '';
  if (target.by === 'role') text = target.name ?? target.role;
  else if ('text' in target) text = target.text;
  // A name that was meant as a text reads like a selector of elements.
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
    .map(({ item }) => candidate(look, item));
}

/** Whether two words differ by one letter: another, one more, one less, or two that changed places. */
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
