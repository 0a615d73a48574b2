import type { FlatTree } from './flat.js';
import { touches, viewport } from './geometry.js';
import { type Snapshots, walkItems } from './snapshots.js';
import { isReference, partnersOf, referredBy, referringIn } from './partners.js';
import { pageRoot } from './root.js';
import type { Item } from './types.js';

/** One element of the page as its line shows it. */
export interface Shown {
  line: string;
  item: Item;
}

/** What the page shows near the viewport at one moment. It is not changed after it was returned. */
export interface State {
  /** Elements with a ref, dialogs, alerts and status messages. */
  lines: ReadonlyMap<Element, Shown>;
  /** Texts and headings by the element that holds them. */
  texts: ReadonlyMap<Element, readonly string[]>;
}

/** How many changed parts are read one by one. With more, the whole page is read. */
const partsMost = 40;

/** How many changed elements are remembered between two reads. With more, the whole page is read. */
const changedMost = 200;

/**
 * How many positioned elements of the changed parts are checked for what they cover, and how many elements with
 * references are checked.
 */
const askedMost = 200;

/** In an element with more children than this, only added children are read again. */
const childrenMost = 64;

/** Sample points along each side of the viewport. */
const steps = 2;

/** Roles whose line contains all text inside them, although they cannot be acted on. */
const whole = new Set('heading alert status progressbar meter option img'.split(' '));

/**
 * A cached snapshot of the page near the viewport, kept from one action to the next. The first read
 * walks the page. A later read walks only the parts that have changed, so that the report of an
 * action costs what the action changed and not what the page contains
 * (docs/adr/080-cost-of-an-action.md).
 *
 * Mutation records say what has changed. For changes without a record, each element of the last
 * read is checked: whether it is visible, the value of a form control, how far an area is scrolled;
 * and at four points, which positioned layer is in front. A change that can affect lines anywhere
 * (a scrolled page, another window size, a layer over other elements) makes the next read walk the
 * whole page.
 */
export class Scene {
  readonly #snapshots: Snapshots;
  readonly #observer: MutationObserver;
  #state: State | undefined;
  /** The elements with a line, or their labels, and whether they were visible. */
  readonly #visible = new Map<Element, boolean>();
  /** Elements that the walk visited and did not show, and whether they were visible. */
  readonly #turned = new Map<Element, boolean>();
  /** Form controls and clipping elements, with the state that mutation records do not report. */
  readonly #live = new Map<Element, string>();
  /** Elements that cover an element with a line. */
  readonly #covers = new Set<Element>();
  #layers: (Element | null)[] = [];
  #focused: Element | null = null;
  /** The elements with references in a root, until an element or such an attribute is added. */
  readonly #referring = new Map<Node, readonly Element[]>();
  #view = '';
  readonly #changed = new Set<Element>();
  #listener: ((records: readonly MutationRecord[]) => void) | undefined;

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots;
    this.#observer = new MutationObserver((records) => {
      this.#take(records);
    });
    snapshots.tree.onRoots(() => {
      this.forget();
    });
  }

  /** Passes every mutation record to the listener, until it is called without one. */
  listen(listener?: (records: readonly MutationRecord[]) => void): void {
    this.#listener = listener;
  }

  /** Processes the mutation records that were not delivered yet. */
  pump(): void {
    this.#take(this.#observer.takeRecords());
  }

  /** Makes the next read walk the whole page. */
  forget(): void {
    this.#state = undefined;
    this.#changed.clear();
  }

  /**
   * Reads the page as it is now. After an action it also checks which layers are in front, which
   * takes longer the more complex the page's layout is.
   */
  read(after: boolean): State {
    this.pump();
    const view = [innerWidth, innerHeight, scrollX, scrollY].join();
    const known = view === this.#view ? this.#state : undefined;
    this.#view = view;
    this.#state = (known && this.#update(known, after)) ?? this.#walk();
    this.#changed.clear();
    return this.#state;
  }

  #take(records: readonly MutationRecord[]): void {
    if (records.length === 0) return;
    this.#listener?.(records);
    if (this.#state === undefined) return;
    for (const { type, target, addedNodes, attributeName } of records) {
      const up = target instanceof ShadowRoot ? target.host : target.parentElement;
      const el = target instanceof Element ? target : up;
      if (!el) continue;
      const added = [...addedNodes];
      if (isReference(attributeName) || added.some(isElement)) this.#referring.clear();
      // In a large container, only added nodes are read again.
      if (type !== 'childList' || !isLarge(el) || added.some(isText)) this.#changed.add(el);
      else for (const node of added) if (node instanceof Element) this.#changed.add(node);
    }
    if (this.#changed.size <= changedMost) return;
    this.forget();
    // Without an action to report, stop observing a page that changes all the time.
    if (!this.#listener) this.#observer.disconnect();
  }

  #walk(): State {
    const { tree } = this.#snapshots;
    this.#observer.disconnect();
    for (const root of [document, ...tree.roots()]) this.#observe(root);
    for (const kept of [this.#visible, this.#turned, this.#live, this.#covers, this.#referring])
      kept.clear();
    this.#focused = tree.focused();
    this.#layers = this.#sample();
    const lines = new Map<Element, Shown>();
    const texts = new Map<Element, string[]>();
    this.#add(lines, texts);
    return { lines, texts };
  }

  #observe(root: Node): void {
    this.#observer.observe(root, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  }

  /** Updates the last read; returns undefined when that takes a walk of the whole page. */
  #update(known: State, after: boolean): State | undefined {
    const { tree } = this.#snapshots;
    const changed = new Set<Element>();
    const add = (el: Element | null): void => {
      if (el?.isConnected) changed.add(el);
    };
    this.#changed.forEach(add);
    const focused = tree.focused();
    if (focused !== this.#focused) [focused, this.#focused].forEach(add);
    this.#focused = focused;
    for (const [el, was] of this.#visible) if (was !== isVisible(el)) add(el);
    for (const [el, was] of this.#turned) if (was !== isDrawn(el)) add(el);
    for (const [el, was] of this.#live) if (was !== liveOf(el)) add(el);
    // The line of a drawing says where it is.
    for (const [el, { item }] of known.lines) if (item.drawn && hasMoved(el, item)) add(el);
    const parts = this.#parts(changed, known);
    if (!parts) return undefined;
    if (parts.length === 0 && !after && !hasRemoved(known)) return known;
    const inside = new Set<Element>();
    for (const part of parts) {
      inside.add(part);
      const root = tree.rootOf(part);
      if (root) for (const el of tree.all(root)) inside.add(el);
      for (const el of tree.all(part)) inside.add(el);
    }
    if (this.#relayered(known, inside)) return undefined;
    const lines = new Map(known.lines);
    const texts = new Map(known.texts);
    for (const kept of [lines, texts, this.#visible, this.#turned, this.#live])
      for (const el of kept.keys()) if (!el.isConnected || inside.has(el)) kept.delete(el);
    if (parts.length === 0) return { lines, texts };
    for (const el of inside) {
      const root = tree.rootOf(el);
      if (root) this.#observe(root);
    }
    this.#add(lines, texts, parts);
    return { lines, texts };
  }

  /**
   * The smallest parts of the page whose lines contain all changes; undefined when that is most of the page.
   */
  #parts(changed: ReadonlySet<Element>, known: State): Element[] | undefined {
    const { tree } = this.#snapshots;
    const found = new Set<Element>();
    const add = (el: Element): boolean => {
      const part = this.#part(el, known);
      if (part.contains(document.body)) return false;
      const added = !found.has(part);
      found.add(part);
      return !added || [...partnersOf(part)].every(add);
    };
    for (const el of changed) if (!add(el)) return undefined;
    if (found.size === 0) return [];
    for (const root of new Set([...found].map((el) => el.getRootNode()))) {
      const others = this.#referringIn(root as Document | ShadowRoot);
      if (others.length > askedMost) return undefined;
      for (const el of others) {
        if (!el.isConnected) continue;
        const refers = referredBy(el, root as Document | ShadowRoot);
        if (refers.some((to) => [...found].some((part) => part.contains(to) || to.contains(part))))
          if (!add(el)) return undefined;
      }
    }
    if (found.size > partsMost) return undefined;
    return [...found].filter(
      (part) => ![...found].some((other) => other !== part && tree.contains(other, part)),
    );
  }

  /** The elements with references in a root; some may be no longer in it. */
  #referringIn(root: Document | ShadowRoot): readonly Element[] {
    const known = this.#referring.get(root);
    if (known) return known;
    const found = referringIn(root);
    this.#referring.set(root, found);
    return found;
  }

  /** The outermost element around a change whose line or text includes it. */
  #part(el: Element, known: State): Element {
    const { tree } = this.#snapshots;
    let part: Element | undefined;
    let block: Element | undefined;
    let row: Element | undefined;
    for (let at: Element | null = el; at; at = tree.parent(at)) {
      if (!block && !/^(inline|contents)$/.test(getComputedStyle(at).display)) block = at;
      const role = this.#snapshots.role(at);
      // The line of a row has the text of its cells, but not that of the tables in them.
      if (role === 'row') row ??= at;
      if (
        at === row ||
        at.localName === 'label' ||
        known.lines.get(at)?.item.rect !== undefined ||
        whole.has(role)
      )
        part = at;
    }
    // The text beside a change is read again too, unless that is most of the page.
    if (block && isLarge(block)) block = undefined;
    if (!part || !block) return part ?? block ?? el;
    return tree.contains(block, part) ? block : part;
  }

  /** Whether elements outside of the changed parts have become covered or uncovered. */
  #relayered(known: State, inside: ReadonlySet<Element>): boolean {
    for (const el of this.#covers)
      if (!el.isConnected || inside.has(el) || !isVisible(el)) return true;
    let asked = 0;
    for (const el of inside) {
      // The backdrop of a modal dialog covers everything.
      if (el.localName === 'dialog' && el.matches(':modal')) return true;
      if (!isLayer(el) || !isDrawn(el)) continue;
      if (++asked > askedMost) return true;
      const rect = el.getBoundingClientRect();
      for (const [below, { item }] of known.lines)
        if (item.rect && touches(item.rect, rect) && !inside.has(below) && !below.contains(el))
          return true;
    }
    const layerOf = layerFinder(this.#snapshots.tree);
    if (moved(known, inside)) {
      if (this.#covers.size > 0 || this.#layers.some((layer) => layer !== null)) return true;
      for (const el of known.lines.keys()) if (el.isConnected && layerOf(el)) return true;
    }
    const layers = this.#sample(layerOf);
    const was = this.#layers;
    this.#layers = layers;
    return layers.some((layer, i) => {
      const before = was[i] ?? null;
      if (layer === before) return false;
      return (
        !(layer && inside.has(layer)) && !(before && (inside.has(before) || !before.isConnected))
      );
    });
  }

  /** The positioned element in front at each of the sample points. */
  #sample(layerOf = layerFinder(this.#snapshots.tree)): (Element | null)[] {
    const { tree } = this.#snapshots;
    const out: (Element | null)[] = [];
    for (let i = 0; i < steps; i++)
      for (let j = 0; j < steps; j++) {
        const met = tree.at((innerWidth * (i + 0.5)) / steps, (innerHeight * (j + 0.5)) / steps);
        out.push(met && layerOf(met));
      }
    return out;
  }

  /** Reads the page, or only some parts of it, into the maps. */
  #add(
    lines: Map<Element, Shown>,
    texts: Map<Element, readonly string[]>,
    parts?: readonly Element[],
  ): void {
    const { tree } = this.#snapshots;
    const only = parts && new Map<Element, Element[]>();
    for (const part of parts ?? [])
      for (let el = part, up = tree.parent(el); up; el = up, up = tree.parent(el)) {
        const children = only?.get(up);
        if (children?.includes(el)) break;
        if (children) children.push(el);
        else only?.set(up, [el]);
      }
    const items = this.#snapshots.items(pageRoot(), viewport(), true, {
      // The path to the changed parts is walked, wherever it is on the page.
      ...(only ? { only, escaped: new Set(only.keys()) } : {}),
      turned: (el) => this.#turned.set(el, isDrawn(el)),
      cuts: (el) => this.#live.set(el, liveOf(el)),
      covered: (by) => this.#covers.add(by),
    });
    for (const item of walkItems(items)) {
      const { el } = item;
      if (item.num > 0 || speaks(item)) {
        lines.set(el, { line: this.#snapshots.line(item), item });
        const hit = item.hit ?? el;
        this.#visible.set(hit, isVisible(hit));
        if (control.test(el.localName)) this.#live.set(el, liveOf(el));
      } else if (item.role === 'text' || item.role === 'heading') {
        texts.set(el, [...(texts.get(el) ?? []), item.name]);
      } else if (item.cells?.some((cell) => cell !== '') === true) {
        texts.set(el, [...(texts.get(el) ?? []), item.cells.join(' | ').trim()]);
      }
    }
  }
}

/** Whether an element that a state shows is no longer in the document. */
function hasRemoved({ lines, texts }: State): boolean {
  for (const kept of [lines, texts]) for (const el of kept.keys()) if (!el.isConnected) return true;
  return false;
}

/** How many lines are checked for a changed position, to detect a new layout. */
const placesMost = 200;

/** Whether elements outside of the changed parts have moved, as far as a sample shows. */
function moved({ lines }: State, inside: ReadonlySet<Element>): boolean {
  const every = Math.ceil(lines.size / placesMost);
  let i = 0;
  for (const [el, { item }] of lines)
    if (i++ % every === 0 && !inside.has(el) && hasMoved(el, item)) return true;
  return false;
}

/** Whether what a line shows is at another place, or of another size. */
function hasMoved(el: Element, { hit, rect }: Item): boolean {
  if (!rect || !el.isConnected) return false;
  const { left, top, width, height } = (hit ?? el).getBoundingClientRect();
  return left !== rect.left || top !== rect.top || width !== rect.width || height !== rect.height;
}

/** Finds the positioned element that contains an element. Each element is checked once. */
function layerFinder(tree: FlatTree): (el: Element) => Element | null {
  const known = new Map<Element, Element | null>();
  return (el) => {
    const path: Element[] = [];
    let layer: Element | null | undefined;
    for (let at: Element | null = el; at && layer === undefined; at = tree.parent(at)) {
      layer = known.get(at);
      if (layer === undefined && isLayer(at)) layer = at;
      path.push(at);
    }
    for (const at of path) known.set(at, layer ?? null);
    return layer ?? null;
  };
}

/** Whether reading an element again would mean reading most of the page again. */
function isLarge(el: Element): boolean {
  return el === document.body || el.childNodes.length > childrenMost;
}

function isElement(node: Node): boolean {
  return node.nodeType === Node.ELEMENT_NODE;
}

function isText(node: Node): boolean {
  return node.nodeType === Node.TEXT_NODE && (node as Text).data.trim() !== '';
}

function isVisible(el: Element): boolean {
  return el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

function isDrawn(el: Element): boolean {
  if (!isVisible(el)) return false;
  const { width, height } = el.getBoundingClientRect();
  return width >= 1 && height >= 1;
}

/** Whether an element can cover others that come before or after it in the page. */
function isLayer(el: Element): boolean {
  return /^(absolute|fixed|sticky)$/.test(getComputedStyle(el).position);
}

const control = /^(input|select|textarea)$/;

function liveOf(el: Element): string {
  if (el instanceof HTMLSelectElement)
    return Array.from(el.selectedOptions, ({ index }) => index).join();
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    const { checked, indeterminate } = el as HTMLInputElement;
    const invalid = !el.validity.valid && el.matches(':user-invalid');
    return `${checked} ${indeterminate} ${invalid} ${el.value}`;
  }
  const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = el;
  return [scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth].join();
}

function speaks(item: Item): boolean {
  return /^(dialog|alertdialog|alert|status)$/.test(item.role);
}
