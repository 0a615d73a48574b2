/** The CSS counters of one tree, computed once, at the first request (css-lists). */
export class Counters {
  readonly #values = new Map<Element, Map<string, Map<string, number[]>>>();

  /**
   * Computes the counters. `selectors` match the elements that change a counter; without them, any
   * element may.
   */
  constructor(root: Document | ShadowRoot, selectors: readonly string[] | undefined) {
    const stacks = new Map<string, { level: Element | null; value: number }[]>();
    const some = chosen(root, selectors);
    const note = (el: Element, which: string): void => {
      const now = new Map<string, number[]>();
      for (const [name, all] of stacks)
        now.set(
          name,
          all.map(({ value }) => value),
        );
      let own = this.#values.get(el);
      if (!own) this.#values.set(el, (own = new Map<string, Map<string, number[]>>()));
      own.set(which, now);
    };
    const count = (el: Element, which: string, level: Element | null): void => {
      const style = getComputedStyle(el, which === '' ? null : which);
      if (style.display === 'none' || (which !== '' && style.content === 'none')) return;
      for (const [name, value] of pairs(style.counterReset, 0)) {
        const all = stacks.get(name) ?? [];
        // A counter of an earlier sibling is replaced by this one.
        if (all.at(-1)?.level === level) all.pop();
        all.push({ level, value });
        stacks.set(name, all);
      }
      const last = (name: string): { value: number } => {
        const all = stacks.get(name) ?? [];
        if (all.length === 0) all.push({ level, value: 0 });
        stacks.set(name, all);
        return all.at(-1) ?? { value: 0 };
      };
      for (const [name, value] of pairs(style.counterIncrement, 1)) last(name).value += value;
      for (const [name, value] of pairs(style.counterSet, 0)) last(name).value = value;
      note(el, which);
    };
    // Returns whether the content of the element counts.
    const enter = (el: Element): boolean => {
      if (some !== undefined && !some.has(el)) return true;
      if (getComputedStyle(el).display === 'none') return false;
      count(el, '', el.parentElement);
      count(el, '::before', el);
      return true;
    };
    const leave = (el: Element): void => {
      if (some === undefined || some.has(el)) count(el, '::after', el);
      for (const all of stacks.values()) while (all.at(-1)?.level === el) all.pop();
    };
    let at = root.firstElementChild;
    while (at) {
      const entered = enter(at);
      if (entered && at.firstElementChild) {
        at = at.firstElementChild;
        continue;
      }
      if (entered) leave(at);
      while (at && !at.nextElementSibling) {
        at = at.parentElement;
        if (at) leave(at);
      }
      at = at?.nextElementSibling ?? null;
    }
  }

  /** The text of a counter at an element or its pseudo element. */
  text(
    el: Element,
    which: string,
    name: string,
    separator: string | undefined,
    kind: string,
  ): string {
    if (name === 'list-item') return numeral(ordinal(el), kind);
    const own = this.#values.get(el);
    const values = (own?.get(which) ?? own?.get(''))?.get(name) ?? [0];
    const shown = separator === undefined ? values.slice(-1) : values;
    return shown.map((value) => numeral(value, kind)).join(separator ?? '');
  }
}

function chosen(
  root: Document | ShadowRoot,
  selectors: readonly string[] | undefined,
): Set<Element> | undefined {
  if (!selectors) return undefined;
  const out = new Set<Element>(root.querySelectorAll('[style*="counter-"]'));
  for (const selector of selectors) {
    const own = selector.replace(/::?(before|after|marker)\b/gi, '').trim();
    try {
      for (const el of root.querySelectorAll(own === '' ? '*' : own)) out.add(el);
    } catch {
      // A nested rule, or one with :host. Any element may match it.
      return undefined;
    }
  }
  return out;
}

function pairs(text: string, otherwise: number): [string, number][] {
  if (text === 'none' || text === '') return [];
  const out: [string, number][] = [];
  for (const [, name = '', value] of text.matchAll(
    /([^\s\d-][^\s]*|-[^\s\d][^\s]*)(?:\s+(-?\d+))?/g,
  ))
    out.push([name, value === undefined ? otherwise : Number(value)]);
  return out;
}

/** The marker of a list item, as the browser draws it. */
export function markerOf(el: Element, style: CSSStyleDeclaration): string {
  if (style.listStyleImage !== 'none') return '';
  const kind = style.listStyleType;
  if (kind.startsWith('"')) return kind.slice(1, -1);
  const sign = signs[kind];
  return sign === undefined ? `${numeral(ordinal(el), kind)}. ` : `${sign} `;
}

const signs: Readonly<Record<string, string>> = {
  disc: '•',
  circle: '◦',
  square: '▪',
  'disclosure-open': '▾',
  'disclosure-closed': '▸',
};

/** The number of an item in its list. */
function ordinal(el: Element): number {
  const list = el.parentElement;
  if (!list) return 1;
  const items = [...list.children].filter((at): at is HTMLLIElement => at instanceof HTMLLIElement);
  const ordered = list instanceof HTMLOListElement;
  const step = ordered && list.reversed ? -1 : 1;
  let value = ordered ? (list.hasAttribute('start') ? list.start : step < 0 ? items.length : 1) : 1;
  for (const item of items) {
    if (item.hasAttribute('value')) value = item.value;
    if (item === el) break;
    value += step;
  }
  return value;
}

const roman: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function numeral(value: number, kind: string): string {
  switch (kind) {
    case 'lower-alpha':
    case 'lower-latin':
      return letters(value);
    case 'upper-alpha':
    case 'upper-latin':
      return letters(value).toUpperCase();
    case 'lower-roman':
      return romans(value);
    case 'upper-roman':
      return romans(value).toUpperCase();
    case 'decimal-leading-zero':
      return String(value).padStart(2, '0');
    default:
      return signs[kind] ?? String(value);
  }
}

function letters(value: number): string {
  if (value < 1) return String(value);
  let out = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26))
    out = String.fromCharCode(97 + ((rest - 1) % 26)) + out;
  return out;
}

function romans(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let out = '';
  let rest = value;
  for (const [size, sign] of roman)
    while (rest >= size) {
      out += sign;
      rest -= size;
    }
  return out;
}
