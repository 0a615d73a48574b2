/** Finds the closed shadow root of an element, where the caller is able to. */
export type ClosedRoot = (el: Element) => ShadowRoot | null;

/** An element of ours over the page that is not part of the page: the overlay, or our marks. */
export interface Aside {
  readonly host: Element | undefined;
  readonly root: ShadowRoot | undefined;
  /** Runs `snapshots` as if it were not there. */
  through<T>(snapshots: () => T): T;
}

/** The next value of an iterator; undefined at its end. */
export function nextOf<T>(all: Iterator<T>): T | undefined {
  const step = all.next();
  return step.done === true ? undefined : step.value;
}

/** What is done with each node of a part of the flat tree. */
export interface Visit {
  /** Returns false to skip the content of the element. */
  enter: (el: Element) => boolean;
  text: (text: Text, parent: Element) => void;
  /** Called when the content of an entered element has been visited. */
  leave: (el: Element) => void;
}

/**
 * The flat tree: shadow roots replace their host's children, and slots contain what is assigned to
 * them. Closed roots come from callers that can see them.
 */
export class FlatTree {
  readonly #known = new WeakMap<Element, ShadowRoot>();
  #closed: ClosedRoot | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #asides = new Set<Aside>();

  /** Adds an element of ours that is over the page and not part of it, or removes it. */
  setAside(aside: Aside, on: boolean): void {
    if (on) this.#asides.add(aside);
    else this.#asides.delete(aside);
  }

  /** Runs `snapshots` as if nothing of ours were over the page. */
  through<T>(snapshots: () => T): T {
    let run = snapshots;
    for (const aside of this.#asides) {
      const inner = run;
      run = () => aside.through(inner);
    }
    return run();
  }

  /** Sets the function that returns closed shadow roots (content scripts have one). */
  useClosed(find: ClosedRoot | undefined): void {
    this.#closed = find;
  }

  /** Adds closed shadow roots that the caller found in another way (CDP's DOM domain). */
  addRoots(roots: readonly ShadowRoot[]): void {
    for (const root of roots) this.#known.set(root.host, root);
    for (const tell of this.#listeners) tell();
  }

  /** Calls `tell` whenever closed roots are added, until the returned function is called. */
  onRoots(tell: () => void): () => void {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }

  /** The shadow root of an element, open or closed. */
  rootOf(el: Element): ShadowRoot | null {
    const open = el.shadowRoot;
    if (open) return open;
    if (this.#asideOf(el)) return null;
    const known = this.#known.get(el);
    if (known) return known;
    if (!this.#closed || !mayHost(el)) return null;
    const found = this.#closed(el);
    if (found) this.#known.set(el, found);
    return found;
  }

  /** The children in the flat tree, where they differ from the element's own. */
  others(el: Element): Iterable<Node> | undefined {
    const root = this.rootOf(el);
    if (root) return root.childNodes;
    if (el.localName === 'slot') {
      const assigned = (el as HTMLSlotElement).assignedNodes();
      if (assigned.length > 0) return assigned;
    }
    return undefined;
  }

  /** The children in the flat tree. */
  children(el: Element): Iterable<Node> {
    return this.others(el) ?? el.childNodes;
  }

  /**
   * Visits an element and its content in document order. It does not recurse, because elements may
   * be nested thousands of levels deep.
   */
  visit(root: Element, { enter, text, leave }: Visit): void {
    const open: { el: Element; rest: Iterator<Node> }[] = [];
    const start = (el: Element): void => {
      if (enter(el)) open.push({ el, rest: this.children(el)[Symbol.iterator]() });
    };
    start(root);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const child = nextOf(top.rest);
      if (!child) {
        open.pop();
        leave(top.el);
      } else if (child.nodeType === 1) start(child as Element);
      else if (child.nodeType === 3) text(child as Text, top.el);
    }
  }

  /** The parent in the flat tree: the slot of a slotted node, the host of a root. */
  parent(node: Node): Element | null {
    const slot = this.#slotOf(node);
    if (slot) return slot;
    const up = node.parentNode;
    if (up instanceof ShadowRoot) return up.host;
    return up instanceof Element ? up : null;
  }

  /** Whether inner is outer or a descendant of it in the flat tree. */
  contains(outer: Element, inner: Element): boolean {
    for (let at: Element | null = inner; at; at = this.parent(at)) if (at === outer) return true;
    return false;
  }

  /** The nearest element, this one included, that passes the test. */
  closest(el: Element, test: (at: Element) => boolean): Element | null {
    for (let at: Element | null = el; at; at = this.parent(at)) if (test(at)) return at;
    return null;
  }

  /** The innermost element at a point, through shadow roots. */
  at(x: number, y: number): Element | null {
    const hit = document.elementFromPoint(x, y);
    // Even a hit test on a shadow root considers the whole page, so what is ours is bypassed for all
    // of them.
    if (hit !== null && this.#asideOf(hit))
      return this.through(() => this.#inner(document.elementFromPoint(x, y), x, y));
    return this.#inner(hit, x, y);
  }

  #asideOf(el: Element): Aside | undefined {
    for (const aside of this.#asides) if (aside.host === el) return aside;
    return undefined;
  }

  #inner(outer: Element | null, x: number, y: number): Element | null {
    let hit = outer;
    while (hit) {
      const inner: Element | null = this.rootOf(hit)?.elementFromPoint(x, y) ?? null;
      if (!inner || inner === hit) return hit;
      hit = inner;
    }
    return hit;
  }

  /** The element that has the focus, through shadow roots. */
  focused(): Element | null {
    let at = document.activeElement;
    while (at) {
      const inner: Element | null = this.rootOf(at)?.activeElement ?? null;
      if (!inner) return at;
      at = inner;
    }
    return null;
  }

  /** Every element below a root in document order, also in shadow roots. */
  *all(root: Document | ShadowRoot | Element): Generator<Element> {
    const open = [root.querySelectorAll('*').values()];
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const el = nextOf(top);
      if (!el) {
        open.pop();
        continue;
      }
      yield el;
      const shadow = this.rootOf(el);
      if (shadow) open.push(shadow.querySelectorAll('*').values());
    }
  }

  /** Every known shadow root, outer ones first. */
  *roots(root: Document | ShadowRoot = document): Generator<ShadowRoot> {
    const all = [root];
    for (const at of all)
      for (const el of at.querySelectorAll('*')) {
        const inner = this.rootOf(el);
        if (!inner) continue;
        yield inner;
        all.push(inner);
      }
  }

  /** The number of elements, texts and comments, also in known shadow roots. */
  count(root: Element | ShadowRoot | null = document.documentElement): number {
    if (!root) return 0;
    const kinds =
      NodeFilter.SHOW_ELEMENT |
      NodeFilter.SHOW_TEXT |
      NodeFilter.SHOW_COMMENT |
      NodeFilter.SHOW_CDATA_SECTION;
    const trees = [root];
    let n = 0;
    for (const tree of trees) {
      const walker = document.createTreeWalker(tree, kinds);
      for (
        let at: Node | null = tree instanceof Element ? tree : walker.nextNode();
        at;
        at = walker.nextNode()
      ) {
        n += 1;
        if (at.nodeType !== 1) continue;
        // The caller compares with the browser's node count, which includes what is ours.
        const inner = this.#asideOf(at as Element)?.root ?? this.rootOf(at as Element);
        if (inner) trees.push(inner);
      }
    }
    return n;
  }

  // A closed root hides assignedSlot, so we search its slots.
  #slotOf(node: Node): Element | null {
    if (!(node instanceof Element || node instanceof Text)) return null;
    if (node.assignedSlot) return node.assignedSlot;
    const host = node.parentElement;
    const root = host && this.#known.get(host);
    if (!root) return null;
    for (const slot of root.querySelectorAll('slot'))
      if (slot.assignedNodes().includes(node)) return slot;
    return null;
  }
}

// The built-in elements that may have a shadow root by the DOM standard.
const hosts = new Set([
  'article',
  'aside',
  'blockquote',
  'body',
  'div',
  'footer',
  'header',
  'main',
  'nav',
  'p',
  'section',
  'span',
]);

function mayHost(el: Element): boolean {
  return el.localName.includes('-') || hosts.has(el.localName);
}
