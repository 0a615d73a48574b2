import { identity } from './format.js';
import type { Snapshots } from './snapshots.js';
import { afterglow, animated, frame, patience } from './motion.js';
import type { Scene, Shown, State } from './scene.js';

/** What changed on the page since the watch began. */
export interface Change {
  /** Lines of items that appeared, disappeared or changed, most important first. */
  appeared: string[];
  gone: string[];
  changed: string[];
  /** The line of the focused item, when the focus has moved. */
  focus?: string;
  /** The address, when it changed without a new document. */
  url?: string;
  title?: string;
  /** The text of dialogs, alerts and status messages that appeared. */
  said: string[];
  /** How many lines were left out of the lists above. */
  more: number;
  /** Whether the page changed in any way, visibly or not. */
  any: boolean;
  /** Whether a link was clicked whose target the browser saves as a file. */
  saves: boolean;
}

interface Before extends State {
  url: string;
  title: string;
  focused: Element | null;
}

/** The most lines in each list of a report. */
const listed = 12;

/** The links whose target is saved as a file. */
const saving = 'a[download][href], area[download][href]';

/** How many changed elements are checked for becoming visible. */
const followed = 200;

/** Watches the page from just before an action until its effect is requested. */
export class Watch {
  readonly #snapshots: Snapshots;
  readonly #scene: Scene;
  readonly #before: Before;
  readonly #events: [string, (event: Event) => void][] = [];
  /** Changed since the last frame, and since the watch began. */
  #dirty = false;
  #changed = false;
  /** As #changed, without the focus and scroll events that every click may cause. */
  #effect = false;
  /** The last click on a link whose target is saved. The page can prevent it. */
  #save: Event | undefined;
  /** Elements that were added or changed: something in them may still be becoming visible. */
  readonly #touched = new Set<Element>();

  constructor(snapshots: Snapshots, scene: Scene) {
    this.#snapshots = snapshots;
    this.#scene = scene;
    this.#before = this.#state(false);
    scene.listen((records) => {
      this.#take(records);
    });
    for (const type of ['input', 'change', 'focusin', 'popstate', 'hashchange', 'toggle', 'scroll'])
      this.#on(type, () => {
        this.#mark(type !== 'focusin' && type !== 'scroll');
      });
    // The browser announces such a download only when the server has answered.
    this.#on('click', (event) => {
      if (event.composedPath().some((at) => at instanceof Element && at.matches(saving)))
        this.#save = event;
    });
  }

  /**
   * Resolves when everything that the action set off directly is done. A task that is queued now
   * runs after all tasks that the page has queued. When nothing has changed until then, it waits
   * for `frames` more frames before it reports no effect. When the page changes, it continues until
   * a task passes without a change and added content has begun to be visible.
   */
  async quiet(frames: number): Promise<void> {
    const turns = 12;
    this.#dirty = false;
    for (let i = 0; i < turns; i++) {
      await idle();
      this.#scene.pump();
      if (!this.#takeDirty() && (this.#effect || i >= frames)) break;
      if (!this.#effect && i < frames) await frame();
    }
    await this.#seen();
  }

  /**
   * Waits, frame by frame, for content that is in the page but not visible yet. A library adds a
   * dialog to the page and fades it in some frames later; until then the dialog hides the page from
   * snapshots.
   */
  async #seen(): Promise<void> {
    let rested = 0;
    for (let i = 0; i < patience && rested < afterglow; i++) {
      const hidden = [...this.#touched].filter(unseen);
      if (hidden.length === 0) return;
      const fades = animated((target) => hidden.some((el) => target.contains(el)), true);
      rested = fades ? 0 : rested + 1;
      await frame();
      this.#scene.pump();
    }
  }

  #take(records: readonly MutationRecord[]): void {
    if (records.length === 0) return;
    this.#mark();
    for (const { type, target, addedNodes } of records)
      for (const node of type === 'attributes' ? [target] : addedNodes) {
        if (this.#touched.size >= followed) return;
        if (node instanceof Element) this.#touched.add(node);
      }
  }

  #takeDirty(): boolean {
    const dirty = this.#dirty;
    this.#dirty = false;
    return dirty;
  }

  /** Ends the watch and returns the report. */
  report(): Change {
    this.#scene.pump();
    const any = this.#changed;
    this.#scene.listen();
    for (const [type, listen] of this.#events) removeEventListener(type, listen, { capture: true });
    const now = this.#state(true);
    const { lines } = this.#before;
    const saves = this.#save?.defaultPrevented === false;
    const change: Change = { appeared: [], gone: [], changed: [], said: [], more: 0, any, saves };
    const fresh: [Shown, Shown | undefined][] = [];
    for (const [el, shown] of now.lines) {
      const was = lines.get(el);
      if (was?.line !== shown.line) fresh.push([shown, was]);
    }
    for (const [el, { line }] of lines) if (!now.lines.has(el)) change.gone.push(line);
    const redrawn = sameLines(fresh, change.gone);
    change.gone = lastOf(change.gone, (line) => redrawn.has(unnumbered(line)));
    for (const [{ line, item }, was] of lastOf(fresh, ([now, before]) =>
      before ? now.item.covered !== before.item.covered : redrawn.has(unnumbered(now.line)),
    )) {
      const list = was ? change.changed : change.appeared;
      list.push(line);
      // Only what the report contains counts as shown to the caller.
      if (item.num > 0 && list.length <= listed)
        this.#snapshots.refs.shown(item.num, identity(item));
    }
    change.said.push(...newTexts(this.#before.texts, now.texts));
    for (const key of ['appeared', 'gone', 'changed', 'said'] as const) {
      change.more += Math.max(0, change[key].length - listed);
      change[key] = change[key].slice(0, listed);
    }
    // What only a style sheet changed, as a menu under the pointer, has no record.
    change.any ||= [change.appeared, change.gone, change.changed].some(({ length }) => length > 0);
    if (now.url !== this.#before.url) change.url = now.url;
    if (now.title !== this.#before.title) change.title = now.title;
    if (now.focused !== this.#before.focused && now.focused)
      change.focus = now.lines.get(now.focused)?.line ?? this.#snapshots.words(now.focused);
    return change;
  }

  #on(type: string, listen: (event: Event) => void): void {
    addEventListener(type, listen, { capture: true, passive: true });
    this.#events.push([type, listen]);
  }

  #mark(effect = true): void {
    this.#dirty = this.#changed = true;
    this.#effect ||= effect;
  }

  #state(after: boolean): Before {
    const focused = this.#snapshots.tree.focused();
    return { ...this.#scene.read(after), url: location.href, title: document.title, focused };
  }
}

/** A list with some of its entries at the end: what tells least when the list is cut. */
function lastOf<T>(list: readonly T[], late: (entry: T) => boolean): T[] {
  return [...list.filter((entry) => !late(entry)), ...list.filter(late)];
}

function unnumbered(line: string): string {
  return line.replace(/^(f\d+)?e\d+ /, '');
}

/** The lines that appeared and disappeared: the page made the same elements again. */
function sameLines(
  fresh: readonly [Shown, Shown | undefined][],
  gone: readonly string[],
): ReadonlySet<string> {
  const left = new Set(gone.map(unnumbered));
  const came = fresh.filter(([, was]) => !was).map(([{ line }]) => unnumbered(line));
  return new Set(came.filter((line) => left.has(line)));
}

/** The texts that the page shows more often than before. */
function newTexts(before: State['texts'], now: State['texts']): string[] {
  const more = new Map<string, number>();
  const count = (texts: readonly string[] | undefined, by: number): void => {
    for (const text of texts ?? []) more.set(text, (more.get(text) ?? 0) + by);
  };
  for (const [el, texts] of now) if (before.get(el) !== texts) count(texts, 1);
  for (const [el, texts] of before) if (now.get(el) !== texts) count(texts, -1);
  return [...more].flatMap(([text, by]) => (by > 0 ? [text] : []));
}

/** Resolves after every task that is queued now. */
function idle(): Promise<void> {
  return new Promise((next) => {
    const done = (): void => {
      next();
    };
    void scheduler.postTask(done);
  });
}

/** Whether an element with text is rendered but not visible. */
function unseen(el: Element): boolean {
  return (
    el.checkVisibility({ visibilityProperty: true }) &&
    !el.checkVisibility({ opacityProperty: true }) &&
    el.textContent.trim() !== ''
  );
}
