import { Extract } from './data.js';
import { type Facts, factsOf } from './facts.js';
import * as filling from './fill.js';
import { conceal } from './value.js';
import { type ClosedRoot, FlatTree } from './flat.js';
import { boxOf, rectOf, touches, viewport } from './geometry.js';
import { find, type Found, locate, type Want } from './locate.js';
import { Snapshots } from './snapshots.js';
import { pageRoot } from './root.js';
import { Lists } from './lists.js';
import { markdown } from './markdown.js';
import { type Expected, Mask } from './mask.js';
import { Marks } from './marks.js';
import type { Shown } from './maskface.js';
import * as reaching from './reach.js';
import { Refs } from './refs.js';
import { accepts, elementOf, isClickable, judge, resolve, spotOf } from './resolve.js';
import { Scene } from './scene.js';
import { type FrameMark, readableText } from './text.js';
import { search } from './texts.js';
import type { Box, Located, Point, Resolution, Snapshot, SnapshotOptions, Spot } from './types.js';
import { showsSecret } from './value.js';
import { waitFor, type Waited, type WaitFor } from './wait.js';
import { type Change, Watch } from './watch.js';

/** The page as an agent sees it: one for each document and world. */
export interface Page {
  /**
   * Sets the frame's ref prefix (`e`; `f2e` in a child frame), the first free number (the last
   * document's `next`), the caller, and what opens closed shadow roots. An action is checked
   * against what this caller was shown.
   */
  configure(options: {
    prefix?: string;
    base?: number;
    caller?: string;
    closedRoot?: ClosedRoot;
  }): void;
  /** Adds closed shadow roots that the caller can see. */
  addRoots(...roots: ShadowRoot[]): void;
  /** Adds elements that have pointer listeners. */
  addListening(...elements: Element[]): void;
  /** Takes a snapshot. Throws a SyntaxError for an invalid scope or expression. */
  snapshot(options?: SnapshotOptions): Snapshot;
  /** The lines behind a handle; undefined when the handle is not known, or no longer. */
  more(handle: string, max?: number): Pick<Snapshot, 'text' | 'more'> | undefined;
  /** Finds what a target means. */
  locate(target: string, want?: Want): Located;
  /** As locate, and also returns what to act on: an element, a text in one, or a point of one. */
  find(target: string, want?: Want): Found;
  /** Checks whether a ref, or what was found, still is the same element and can be acted on. */
  resolve(what: string | Spot): Resolution;
  /** The element behind a ref, for CDP's DOM domain. */
  element(ref: string): Element | null;
  /** The ref of an element, assigned now if it had none. */
  refOf(el: Element): string;
  /** The next free number: the base for another document in this frame. */
  next(): number;
  /** Whether a click that hit an element at a point acts on exactly what was reached. */
  accepts(spot: Spot, met: Element, point: Point): boolean;
  /** The innermost element at a point, closed shadow roots included. */
  at(x: number, y: number): Element | null;
  /** The focused element, closed shadow roots included. */
  focused(): Element | null;
  /** A short description of an element. */
  words(el: Element): string;
  /** Role and name of any element, as the accessibility standards compute them. */
  aria(el: Element): { role: string; name: string };
  /** The box of a ref, in the frame's viewport. */
  box(ref: string): Box | undefined;
  /** Scrolls to the target, waits for its animations, and finds a point that hits it. */
  reach(what: string | Spot, way?: reaching.Way): Promise<reaching.Reached>;
  /** As reach, for a point of a child frame's document. */
  reachFrame(ref: string, inner: Point, scrolled: boolean): Promise<reaching.ReachedFrame>;
  /** The ref and description of what a click on a point would hit. */
  hit(x: number, y: number): { ref: string; words: string } | undefined;
  /** Scrolls the page or a ref's area by pixels. */
  scroll(ref: string | undefined, dx: number, dy: number): ReturnType<typeof reaching.scroll>;
  /** Prepares a field for trusted input, or sets a value that cannot be typed. */
  fill(ref: string, value: string): filling.Filled;
  /** Selects options of a native list. */
  choose(ref: string, wanted: string[], press?: boolean): filling.Filled;
  /** Keeps the value of a field secret from now on; false for what is not a field. */
  conceal(ref: string): boolean;
  /** Whether a checkbox, radio button or switch is on. */
  checked(ref: string): ReturnType<typeof filling.checkedState>;
  /** Whether it is one of a group, in which selecting another one switches it off. */
  grouped(ref: string): boolean;
  /** The current value of a field. */
  value(ref: string, expected?: string): ReturnType<typeof filling.valueOf>;
  /** Whether an element looks as if a click on it did something. */
  clickable(ref: string): boolean;
  /** Focuses the element of a ref. */
  focus(ref: string): boolean;
  /** Starts to watch for the effect of an action; `settled` ends the watch and reports. */
  watch(): void;
  /**
   * Waits for the effect and reports it; undefined without a watch. It reports no effect only after
   * this many frames without one: two by default.
   */
  settled(frames?: number): Promise<Change | undefined>;
  /** The number of nodes that can be reached, for comparison with the browser's own number. */
  count(): number;
  /** Waits for a condition. */
  waitFor(what: WaitFor): Promise<Waited>;
  /** The shadow root of an element, also a closed one that was added. */
  rootOf(el: Element): ShadowRoot | null;
  /**
   * Visible text of the page, or of the first match of a selector or a ref. With a mark, which must
   * be unguessable, `<mark ref>` is written in place of each drawn frame.
   */
  text(scope?: string, mark?: string): string;
  /** The same as Markdown. */
  markdown(scope?: string, mark?: string): string;
  /** Finds a text or a `/regular expression/` in the text of the page: at most `limit` places of all. */
  search(what: string, limit: number): ReturnType<typeof search>;
  links: Extract['links'];
  forms: Extract['forms'];
  tables: Extract['tables'];
  media: Extract['media'];
  data: Extract['meta'];
  /** The boxes of the fields in view that show a secret value, in the frame's viewport. */
  secretBoxes(): Box[];
  /** The facts about a ref, a point or the focused element, for the code that judges an action. */
  facts(target: { ref?: string; point?: [string, string] }): Facts | undefined;
  /** The overlay over a page that a task works on. */
  mask: {
    show(shown: Shown): void;
    hide(): void;
    lift(expected: Expected): void;
    lower(): void;
    veil(on: boolean): void;
  };
  /** What we draw over the page for its user, and the reports that it has changed. */
  marks: Marks;
  /** The list of a select or the picker that its user has opened. */
  lists: Lists;
}

/** Creates the page object. It does not touch the page until a method is called. */
export function createPage(): Page {
  const tree = new FlatTree();
  const refs = new Refs();
  const snapshots = new Snapshots(tree, refs);
  const extract = new Extract(tree, refs);
  const mask = new Mask(tree);
  const marks = new Marks(tree, {
    element: (ref) => elementOf(snapshots, ref),
    aria: (el) => snapshots.aria(el),
  });
  const scene = new Scene(snapshots);
  let watching: Watch | undefined;
  const part = (scope: string | undefined): Element | null =>
    scope === undefined
      ? pageRoot()
      : (elementOf(snapshots, scope) ?? document.querySelector(scope));
  // The browser's viewer of PDF files shows a text that no script can read.
  const reading =
    <A extends unknown[], R>(read: (...args: A) => R) =>
    (...args: A): R => {
      if (document.contentType === 'application/pdf')
        throw Object.assign(new Error('a PDF file'), { name: 'PDFError' });
      return read(...args);
    };
  const marked = (mark: string | undefined): FrameMark | undefined =>
    mark === undefined ? undefined : (el) => `<${mark} ${refs.format(refs.number(el))}>`;
  return {
    configure: ({ prefix = 'e', base = 1, caller, closedRoot }) => {
      refs.configure(prefix, base, caller);
      if (closedRoot) tree.useClosed(closedRoot);
    },
    addRoots: (...roots) => {
      tree.addRoots(roots);
    },
    addListening: (...elements) => {
      if (snapshots.addListening(elements)) scene.forget();
    },
    snapshot: reading((options) => snapshots.snapshot(options)),
    more: (handle, max) => snapshots.more(handle, max),
    locate: (target, want) => locate(snapshots, target, want),
    find: (target, want) => find(snapshots, target, want),
    resolve: (what) =>
      typeof what === 'string' ? resolve(snapshots, what) : judge(snapshots, what).now,
    element: (ref) => elementOf(snapshots, ref),
    refOf: (el) => refs.format(refs.number(el)),
    next: () => refs.next,
    accepts: (spot, met, point) => accepts(snapshots, spot, met, point),
    at: (x, y) => tree.at(x, y),
    focused: () => tree.focused(),
    words: (el) => snapshots.words(el),
    aria: (el) => snapshots.aria(el),
    box: (ref) => {
      const el = elementOf(snapshots, ref);
      return el ? boxOf(rectOf(el)) : undefined;
    },
    reach: async (what, way) => {
      const spot = typeof what === 'string' ? spotOf(snapshots, what) : what;
      return 'state' in spot ? spot : reaching.reach(snapshots, spot, way);
    },
    reachFrame: async (ref, inner, scrolled) => {
      const frame = elementOf(snapshots, ref);
      return frame instanceof HTMLElement
        ? reaching.reachFrame(snapshots, frame, inner, scrolled)
        : { by: 'nothing: the frame is gone' };
    },
    hit: (x, y) => {
      const el = tree.at(x, y);
      return el ? { ref: refs.format(refs.number(el)), words: snapshots.words(el) } : undefined;
    },
    scroll: (ref, dx, dy) => reaching.scroll(snapshots, ref, dx, dy),
    fill: (ref, value) => filling.fill(snapshots, ref, value),
    choose: (ref, wanted, press) => filling.choose(snapshots, ref, wanted, press),
    conceal: (ref) => {
      const el = elementOf(snapshots, ref);
      return el !== null && conceal(el);
    },
    checked: (ref) => filling.checkedState(snapshots, ref),
    grouped: (ref) => filling.isGrouped(snapshots, ref),
    value: (ref, expected) => filling.valueOf(snapshots, ref, expected),
    focus: (ref) => filling.focus(snapshots, ref),
    clickable: (ref) => {
      const el = elementOf(snapshots, ref);
      return el !== null && isClickable(snapshots, el);
    },
    watch: () => {
      watching?.report();
      watching = new Watch(snapshots, scene);
    },
    settled: async (frames = 2) => {
      const own = watching;
      watching = undefined;
      await own?.quiet(frames);
      return own?.report();
    },
    count: () => tree.count(),
    waitFor: reading((what) => waitFor(snapshots, what)),
    rootOf: (el) => tree.rootOf(el),
    text: reading((scope, mark) => readableText(tree, part(scope), marked(mark))),
    markdown: reading((scope, mark) => markdown(tree, part(scope), marked(mark))),
    search: reading((what, limit) => {
      const root = pageRoot();
      const ref = (el: Element): string => refs.format(refs.number(el));
      return root ? search(tree, root, what, limit, ref) : { total: 0, matches: [] };
    }),
    links: reading(() => extract.links()),
    forms: reading(() => extract.forms()),
    tables: reading(() => extract.tables()),
    media: reading(() => extract.media()),
    data: reading(() => extract.meta()),
    secretBoxes: () => {
      const view = viewport();
      const boxes: Box[] = [];
      for (const el of tree.all(document)) {
        if (!showsSecret(el)) continue;
        const rect = rectOf(el);
        if (touches(rect, view)) boxes.push(boxOf(rect));
      }
      return boxes;
    },
    facts: ({ ref, point }) => {
      const el =
        ref !== undefined
          ? elementOf(snapshots, ref)
          : point !== undefined
            ? tree.at(Number(point[0]), Number(point[1]))
            : tree.focused();
      return el ? factsOf(tree, el) : undefined;
    },
    mask,
    marks,
    lists: new Lists(snapshots),
  };
}
