import { distinguish } from './alike.js';
import { aim } from './cover.js';
import type { FlatTree } from './flat.js';
import { Sheets } from './generated.js';
import { header, identity, lineOf, type LineStyle, namer } from './format.js';
import {
  type Area,
  boxOf,
  grow,
  meet,
  Rects,
  rectOf,
  touches,
  viewport,
  visibleArea,
} from './geometry.js';
import { imageOf } from './imagemaps.js';
import { hushedMark } from './kinds.js';
import {
  cutBudget,
  cutDepth,
  cutFind,
  difference,
  fold,
  type Line,
  linesOf,
  type Memory,
  reparent,
} from './lines.js';
import { Names } from './name.js';
import { callersKept, type Refs } from './refs.js';
import { roleOf } from './role.js';
import { modalOf, pageRoot } from './root.js';
import { Styles } from './styles.js';
import type { Item, ItemData, Snapshot, SnapshotOptions } from './types.js';
import { Walk } from './walk.js';
import type { WalkConfig } from './way.js';

/** The longest name in a compact snapshot, and in a full one. */
const shortName = 80;
const longName = 600;

/** Which part of the page to walk, and callbacks for what the walk left out. */
export interface Part extends Partial<Pick<WalkConfig, 'only' | 'turned' | 'cuts' | 'escaped'>> {
  /** Called with each element that covers an item that can be acted on. */
  covered?: (by: Element) => void;
}

/** Takes snapshots of the page, and remembers what each caller saw. */
export class Snapshots {
  readonly tree: FlatTree;
  readonly refs: Refs;
  readonly #listening = new WeakSet<Element>();
  readonly #seen = new Map<string, Memory[]>();
  readonly #handles = new Map<string, { lines: Line[]; style: LineStyle }>();
  readonly #sheets = new Sheets();
  #handle = 0;

  constructor(tree: FlatTree, refs: Refs) {
    this.tree = tree;
    this.refs = refs;
  }

  /** Adds elements with pointer listeners, found through CDP's debugger domain. Returns whether any is new. */
  addListening(elements: readonly Element[]): boolean {
    const fresh = elements.filter((el) => !this.#listening.has(el));
    for (const el of fresh) this.#listening.add(el);
    return fresh.length > 0;
  }

  /** Whether the page is known to have a pointer listener on an element. */
  readonly listens = (el: Element): boolean => this.#listening.has(el);

  /** The items of a part of the page, with refs. Covered ones are marked. */
  items(root: Element | null, view: Area, near: boolean, part: Part = {}): Item[] {
    if (root === null) return [];
    return this.tree.through(() => this.#items(root, view, near, part));
  }

  #items(root: Element, view: Area, near: boolean, part: Part): Item[] {
    const styles = new Styles(this.#sheets);
    const region = near
      ? grow(view, (view.right - view.left) / 2, (view.bottom - view.top) / 2)
      : null;
    const walk = new Walk({
      tree: this.tree,
      styles,
      rects: new Rects(),
      names: new Names(this.tree, styles),
      listens: (el) => this.#listening.has(el),
      view,
      region,
      ...part,
      escaped: part.escaped ?? (region ? this.#escaped(view) : new Set()),
    });
    const items = walk.run(root);
    this.#number(items);
    const buried = this.#cover(items, view, part.covered);
    return unburied(items, buried);
  }

  /** Takes one snapshot. Throws a SyntaxError for an invalid selector or expression. */
  snapshot(options: SnapshotOptions = {}): Snapshot {
    const start = performance.now();
    const view = viewport(options.view);
    const near = options.near === true && options.find === undefined;
    const roots = this.#roots(options.scope);
    const items = roots.flatMap((root) => this.items(root, view, near));
    const every = [...walkItems(items)];
    const flat = options.interactive === true;
    if (flat || options.json === true) this.distinguish(every);
    const style: LineStyle = {
      compact: options.compact === true,
      boxes: options.boxes === true,
      contexts: flat,
      ref: (num) => this.refs.format(num),
      name: namer(every, options.compact === true ? shortName : longName),
    };
    const lines = linesOf(items, style, flat);
    for (const { item } of lines) if (item.num > 0) this.refs.shown(item.num, identity(item));
    const memory = lines.map((line) => this.#remember(line));
    const caller = options.caller ?? '';
    const before = this.#seen.get(caller) ?? [];
    this.#keep(caller, memory);
    const head = options.header === true ? [header(boxOf(view))] : [];
    const base = { refs: 0, more: 0, frames: [], next: this.refs.next };
    let shot: Snapshot;
    if (options.delta === true) {
      const text = [...head, ...difference(before, memory)].join('\n');
      shot = { ...base, text, ms: 0 };
    } else {
      shot = { ...base, ...this.#write(lines, style, options, view, head), ms: 0 };
    }
    if (options.json === true) shot.items = items.map((item) => this.#data(item));
    shot.refs = every.filter((item) => item.num > 0).length;
    shot.ms = performance.now() - start;
    return shot;
  }

  /** The lines behind a handle, with a budget of their own; undefined for an unknown handle. */
  more(handle: string, max?: number): Pick<Snapshot, 'text' | 'more'> | undefined {
    const held = this.#handles.get(handle);
    if (!held) return undefined;
    const options = max === undefined ? {} : { max };
    const base = Math.min(...held.lines.map((line) => line.depth));
    const parents = new Map<Item, number>();
    held.lines.forEach(({ item }, index) => {
      for (const child of item.children) parents.set(child, index);
    });
    const lines = held.lines.map((line) => ({
      ...line,
      depth: line.depth - base,
      parent: parents.get(line.item) ?? -1,
    }));
    const { text, more } = this.#write(lines, held.style, options, viewport(), []);
    return { text, more };
  }

  /** Gives items of the same role and name what tells them apart. */
  distinguish(items: Iterable<Item>): void {
    distinguish(items, new Names(this.tree, new Styles(this.#sheets)));
  }

  /** The line of one element as a snapshot shows it, without its content. */
  line(item: Item): string {
    return lineOf(
      { ...item },
      { compact: true, boxes: false, ref: (n) => this.refs.format(n), name: (at) => at.name },
    );
  }

  /**
   * The item of one element, as a snapshot shows it. It is the same walk from the same root,
   * restricted to the path to the element. An element that a snapshot would leave out is walked on
   * its own. Returns undefined for what is not drawn.
   */
  describe(el: Element): Item | undefined {
    const found = this.#shown(el) ?? this.#plain(el);
    if (!found) return undefined;
    found.num = this.refs.number(el);
    found.view = visibleArea(this.tree, found.hit ?? el);
    return found;
  }

  /** The item of an element as a snapshot shows it. */
  #shown(el: Element): Item | undefined {
    const modal = modalOf(this.tree);
    const root = modal && this.tree.contains(modal, el) ? modal : pageRoot();
    if (root === null) return undefined;
    const styles = new Styles(this.#sheets);
    const names = new Names(this.tree, styles);
    const only = new Map<Element, Element[]>();
    for (const end of [el, ...standsFor(el, names)])
      for (let at = end, up = this.tree.parent(at); up; at = up, up = this.tree.parent(at)) {
        const children = only.get(up) ?? [];
        if (children.includes(at)) break;
        only.set(up, [...children, at]);
      }
    // The element's own content is walked completely.
    only.delete(el);
    return this.#find(el, root, { names, styles, only, passed: new Set(only.keys()) });
  }

  /** The item of an element that no snapshot shows but that a pointer can hit. */
  #plain(el: Element): Item | undefined {
    const styles = new Styles(this.#sheets);
    const names = new Names(this.tree, styles);
    for (const root of [el, ...standsFor(el, names)]) {
      const item = this.#find(el, root, { names, styles });
      if (item) return item;
    }
    const drawn = el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!drawn && styles.of(el).display !== 'contents') return undefined;
    return { ...blank(el), role: 'element', name: short(names.content(el)) };
  }

  #find(
    el: Element,
    root: Element,
    at: Pick<WalkConfig, 'names' | 'styles' | 'only' | 'passed'>,
  ): Item | undefined {
    const walk = new Walk({
      ...at,
      tree: this.tree,
      rects: new Rects(),
      listens: (one) => (at.only === undefined && one === el) || this.#listening.has(one),
      view: viewport(),
      region: null,
      escaped: new Set(),
    });
    return [...walkItems(walk.run(root))].find((item) => item.el === el && item.role !== 'text');
  }

  /** Role and name as the accessibility standards compute them. */
  aria(el: Element): { role: string; name: string } {
    const names = new Names(this.tree, new Styles(this.#sheets));
    return { role: names.role(el), name: names.of(el) };
  }

  /** The role as the accessibility standards compute it. */
  role(el: Element): string {
    return roleOf(el);
  }

  /** The text inside an element, as a name would have it. */
  said(el: Element): string {
    return new Names(this.tree, new Styles(this.#sheets)).content(el);
  }

  /**
   * A short description of any element: for example one that covers another, or one that was hit.
   */
  words(el: Element): string {
    for (let at: Element | null = el; at; at = this.tree.parent(at)) {
      const styles = new Styles(this.#sheets);
      const names = new Names(this.tree, styles);
      const role = names.role(at);
      const name = names.printed(at);
      if (role !== 'generic' && role !== 'none' && name !== '')
        return identity({ ...blank(at), role, name: short(name) });
      const label = at.id !== '' ? `#${at.id}` : at.classList[0] ? `.${at.classList[0]}` : '';
      if (at === el && label !== '') {
        const text = short(names.content(at));
        return identity({ ...blank(at), role: at.localName + label, name: text });
      }
    }
    return el.localName;
  }

  #write(
    lines: readonly Line[],
    style: LineStyle,
    options: SnapshotOptions,
    view: Area,
    head: string[],
  ): Pick<Snapshot, 'text' | 'more' | 'frames'> {
    let keep = new Set(lines.keys());
    if (options.find !== undefined) keep = cutFind(lines, options.find);
    const found = [...keep].map((index) => lines[index]).filter((line) => line !== undefined);
    const all = options.find === undefined ? lines : reparent(lines, found);
    keep = new Set(all.keys());
    if (options.depth !== undefined) keep = cutDepth(all, options.depth);
    if (options.max !== undefined) {
      const room = Math.max(200, options.max) - head.join('\n').length;
      keep = cutBudget(all, keep, room, (item) =>
        item.rect ? item.inView : touches(rectOf(item.el), view),
      );
    }
    const out = [...head];
    const shot: Pick<Snapshot, 'text' | 'more' | 'frames'> = { text: '', more: 0, frames: [] };
    for (const one of fold(all, keep)) {
      if ('rest' in one) {
        const handle = `h${++this.#handle}`;
        this.#handles.set(handle, { lines: one.rest, style });
        shot.more += one.rest.length;
        out.push(`${' '.repeat(one.depth)}… ${one.rest.length} more ${handle}`);
        continue;
      }
      const { item, depth, text } = one.line;
      if (item.role === 'frame') {
        const rect = item.rect ?? rectOf(item.el);
        const seen = boxOf({
          left: Math.max(0, view.left - rect.left),
          top: Math.max(0, view.top - rect.top),
          right: Math.min(rect.width, view.right - rect.left),
          bottom: Math.min(rect.height, view.bottom - rect.top),
        });
        const ref = this.refs.format(item.num);
        shot.frames.push({ ref, line: out.length, indent: depth + 1, view: seen });
      }
      out.push(' '.repeat(depth) + text);
    }
    shot.text = out.join('\n');
    return shot;
  }

  /** Where a snapshot begins: at the requested scope, else the top modal dialog, else the page. */
  #roots(scope: string | undefined): Element[] {
    if (scope !== undefined) {
      const num = this.refs.parse(scope);
      const node = num === undefined ? null : (this.refs.get(num)?.node ?? null);
      if (node) return [node];
      return [...document.querySelectorAll(scope)].filter(
        (el, _, all) => !all.some((other) => other !== el && other.contains(el)),
      );
    }
    const page = modalOf(this.tree) ?? pageRoot();
    return page === null ? [] : [page];
  }

  #number(items: Item[]): void {
    for (const item of items) {
      if (item.offered) item.num = this.refs.number(item.el);
      this.#number(item.children);
    }
  }

  /** Marks covered items. Returns whether one of them is not in the accessibility tree. */
  #cover(items: Item[], view: Area, covered?: Part['covered']): boolean {
    let buried = false;
    for (const item of items) {
      if (item.offered && item.inView && item.rect && item.role !== 'frame') {
        const by = this.#over(item, item.rect, item.view ?? view);
        if (by && !item.states.includes('not clickable')) {
          item.states.push(`covered by ${this.words(by)}`);
          item.covered = true;
          covered?.(by);
          buried ||= item.states.includes(hushedMark);
        }
      }
      if (this.#cover(item.children, view, covered)) buried = true;
    }
    return buried;
  }

  /** The element over an item that keeps every click away from it. */
  #over({ el, hit }: Item, rect: Area, view: Area): Element | undefined {
    const seen = meet(rect, view);
    const met = this.tree.at((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2);
    if (met !== null && (hit ?? el).contains(met)) return undefined;
    return aim(this.tree, el, hit, rect, view, { listens: this.listens }).by;
  }

  /** The ancestors of everything that is drawn in the view, wherever those ancestors are. */
  #escaped(view: Area): Set<Element> {
    const out = new Set<Element>();
    const steps = 6;
    for (let i = 0; i < steps; i++)
      for (let j = 0; j < steps; j++) {
        const x = view.left + ((view.right - view.left) * (i + 0.5)) / steps;
        const y = view.top + ((view.bottom - view.top) * (j + 0.5)) / steps;
        for (let at = this.tree.at(x, y); at && !out.has(at); at = this.tree.parent(at))
          out.add(at);
      }
    return out;
  }

  #remember({ item, text }: Line): Memory {
    return { key: item.num > 0 ? this.refs.format(item.num) : `${item.role} ${text}`, text };
  }

  #keep(caller: string, memory: Memory[]): void {
    this.#seen.delete(caller);
    this.#seen.set(caller, memory);
    for (const old of this.#seen.keys()) {
      if (this.#seen.size <= callersKept) break;
      this.#seen.delete(old);
    }
    for (const old of this.#handles.keys()) {
      if (this.#handles.size <= callersKept * 8) break;
      this.#handles.delete(old);
    }
  }

  #data(item: Item): ItemData {
    return {
      ...(item.num > 0 ? { ref: this.refs.format(item.num) } : {}),
      role: item.role,
      name: item.cells && item.name === '' ? item.cells.join(' | ') : item.name,
      ...(item.cells && item.name !== '' ? { cells: item.cells } : {}),
      ...(item.states.length > 0 ? { states: item.states } : {}),
      ...(item.value === undefined ? {} : { value: item.value }),
      ...(item.level === undefined ? {} : { level: item.level }),
      ...(item.href === undefined ? {} : { href: item.href }),
      ...(item.context === undefined ? {} : { context: item.context }),
      ...(item.which === undefined ? {} : { which: item.which }),
      ...(item.rect ? { box: boxOf(item.rect) } : {}),
      ...(item.children.length > 0 ? { children: item.children.map((at) => this.#data(at)) } : {}),
    };
  }
}

/** Every item of a snapshot, a container before its content. */
export function* walkItems(items: readonly Item[]): Generator<Item> {
  for (const item of items) {
    yield item;
    yield* walkItems(item.children);
  }
}

/**
 * Removes items that are not in the accessibility tree and that no pointer can hit: the page under
 * a dialog. Where one such item is covered, those out of view are removed too.
 */
function unburied(items: Item[], buried: boolean): Item[] {
  if (!buried) return items;
  const kept = (item: Item): Item[] => {
    item.children = item.children.flatMap(kept);
    const hushed = item.states.includes(hushedMark);
    const under = !item.inView || item.covered === true;
    return hushed && under ? item.children : [item];
  };
  return items.flatMap(kept);
}

/** The elements that a pointer hits in place of an element that is not drawn itself. */
function standsFor(el: Element, names: Names): readonly Element[] {
  const image = el.localName === 'area' ? imageOf(el as HTMLAreaElement) : null;
  return image ? [image] : names.labels.of(el);
}

function short(name: string): string {
  return name.length <= 60 ? name : `${name.slice(0, 57)}…`;
}

function blank(el: Element): Item {
  return { el, role: '', name: '', states: [], offered: false, num: 0, inView: true, children: [] };
}
