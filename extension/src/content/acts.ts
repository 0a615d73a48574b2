import { MessageError } from '../messages/envelope';
import type { Done } from '../messages/methods';
import type { Page } from '../page/page';
import type { Spot } from '../page/types';
import { drag } from './drag';
import { clearText, pressKey, readChords, replaceText, typeText } from './keys';
import { pointer, type Pointer } from './pointer';
import { notActable, refusal } from './refusal';

/** The result of an action, without the fields that every answer has. */
type Came = Omit<Done, 'next' | 'url' | 'title'>;

/** The parameters of an action on an element. */
interface On {
  readonly ref: string;
}

/**
 * Acts on the page with synthetic events. The page's scripts and the browser react to them as to
 * most of a user's input. But the page can tell the difference, and the browser ignores synthetic
 * events for a few actions.
 */
export class Acts {
  readonly #page: Page;
  /** The target that was judged last: its ref, and how the caller named it. */
  #named: { ref: string; target: string } | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The ref of the field that a target means: a ref, `role=option name="…"`, `text=…`. */
  find(target: string): string {
    return this.#find(target, 'field').ref;
  }

  /**
   * As find, for a target that is judged before the action. The pointer later goes to what the
   * caller named.
   */
  judged(target: string): string {
    const ref = this.find(target);
    this.#named = { ref, target };
    return ref;
  }

  #find(name: string, want: 'thing' | 'field'): Spot {
    const target = want === 'thing' && this.#named?.ref === name ? this.#named.target : name;
    const found = this.#page.find(target, want);
    switch (found.state) {
      case 'one':
        return found.spot;
      case 'lost':
        throw refusal(found.now);
      case 'none':
        throw new MessageError(
          'no_element',
          `Nothing on the page is ${target.slice(0, 200)}.`,
          'Take a new snapshot.',
        );
      case 'many':
        throw new MessageError(
          'ambiguous',
          `${String(found.count)} things are ${target.slice(0, 200)}: ${found.candidates.map(({ line }) => line).join('; ')}`,
          'Name one by its ref.',
        );
      case 'bad':
        throw new MessageError(
          'bad_argument',
          `This cannot be read: ${found.why.replace(/\.$/, '')}.`,
        );
    }
  }

  /** Throws for a ref that was never assigned here, or whose element is gone. */
  known(ref: string): Element {
    const now = this.#page.resolve(ref);
    const el = this.#page.element(ref);
    if (now.state === 'unknown' || now.state === 'gone' || el === null)
      throw refusal(now.state === 'ok' ? { state: 'gone', ref, was: '' } : now);
    return el;
  }

  async click(
    {
      ref,
      button,
      count,
      keys,
    }: On & { button: 'left' | 'right' | 'middle'; count: number; keys: string },
    signal: AbortSignal,
  ): Promise<Came> {
    const at = await this.#reach(ref, signal);
    return this.#watched(at.line, () => {
      pointer(at.met, at.point, { press: button, count, keys });
    });
  }

  async hover({ ref }: On, signal: AbortSignal): Promise<Came> {
    const at = await this.#reach(ref, signal);
    return this.#watched(at.line, () => {
      pointer(at.met, at.point, { count: 0, keys: '' });
    });
  }

  async fill({ ref, text }: On & { text: string }, signal: AbortSignal): Promise<Came> {
    const line = this.#take(ref);
    signal.throwIfAborted();
    const came = await this.#watched(line, () => {
      const filled = this.#page.fill(ref, text);
      if (filled.state === 'type') replaceText(this.#deep(), text);
      else this.#judge(filled, line);
    });
    return this.#holds(ref, came, text);
  }

  async type(
    { ref, text, clear }: On & { text: string; clear: boolean },
    signal: AbortSignal,
  ): Promise<Came> {
    const line = this.#take(ref);
    const came = await this.#watched(line, () => {
      if (clear) {
        const filled = this.#page.fill(ref, text);
        if (filled.state !== 'type') {
          this.#judge(filled, line);
          return;
        }
        clearText(this.#deep());
      } else {
        if (!this.#page.focus(ref)) throw notActable(`${line} takes no focus`);
        toEnd(this.#deep());
      }
      typeText(this.#deep(), text, signal);
    });
    return this.#holds(ref, came);
  }

  async select({ ref, option }: On & { option: string }, signal: AbortSignal): Promise<Came> {
    const line = this.#take(ref);
    signal.throwIfAborted();
    const came = await this.#watched(line, () => {
      this.#judge(this.#page.choose(ref, option.split('\n')), line);
    });
    return this.#holds(ref, came);
  }

  async check({ ref, on }: On & { on: boolean }, signal: AbortSignal): Promise<Came> {
    const line = this.#take(ref);
    const want = on ? 'on' : 'off';
    const state = this.#page.checked(ref);
    if (state === 'none' || state === 'gone')
      throw notActable(`${line} cannot be checked or unchecked`, 'Use click instead.');
    if (state === want) return { hit: line };
    if (!on && this.#page.grouped(ref))
      throw notActable(`${line} is a radio button`, 'Check another one of its group.');
    const came = await this.click({ ref, button: 'left', count: 1, keys: '' }, signal);
    if (came.left !== true && this.#page.element(ref) !== null && this.#page.checked(ref) !== want)
      throw notActable(`${line} was clicked and is still ${this.#page.checked(ref)}`);
    return came;
  }

  async scroll(
    { ref, down, right }: { ref?: string; down: number; right: number },
    signal: AbortSignal,
  ): Promise<Came> {
    const line = ref === undefined ? 'the page' : this.#line(ref);
    signal.throwIfAborted();
    if (ref !== undefined && down === 0 && right === 0) {
      this.known(ref).scrollIntoView({ behavior: 'instant', block: 'center', inline: 'nearest' });
      return { hit: line };
    }
    const moved = this.#page.scroll(ref, right, down);
    if (moved === undefined) throw refusal({ state: 'gone', ref: ref ?? '', was: '' });
    return Promise.resolve({ hit: line, scrolled: [moved.x, moved.y, moved.above, moved.below] });
  }

  async press({ ref, keys }: { ref?: string; keys: string }, signal: AbortSignal): Promise<Came> {
    const chords = readChords(keys);
    const line = ref === undefined ? 'what has the focus' : this.#take(ref);
    return this.#watched(line, () => {
      if (ref !== undefined && !this.#page.focus(ref)) throw notActable(`${line} takes no focus`);
      for (const chord of chords) {
        signal.throwIfAborted();
        pressKey(this.#deep(), chord);
      }
    });
  }

  async drag({ ref, to }: On & { to: string }, signal: AbortSignal): Promise<Came> {
    // Reach the end point first: the dragged element must be in view when the drag begins.
    const end = await this.#reach(to, signal);
    const at = await this.#reach(ref, signal);
    return this.#watched(`${at.line} to ${end.line}`, () => {
      drag(at, end, ({ x, y }) => this.#page.at(x, y));
    });
  }

  /** Scrolls an element into view and finds a point at which a pointer hits it. */
  async #reach(target: string, signal: AbortSignal): Promise<Pointer & { line: string }> {
    const spot = this.#find(target, 'thing');
    const reached = await this.#page.reach(spot);
    signal.throwIfAborted();
    if (reached.state !== 'ok') throw refusal(reached);
    const { point, line } = reached;
    const met = this.#page.at(point.x, point.y);
    // A moving element may be elsewhere by now. A frame is hit as an element.
    if (met === null || (met !== spot.el && !this.#page.accepts(spot, met, point)))
      throw refusal({
        state: 'covered',
        ref: spot.ref,
        line,
        by: met ? this.#page.words(met) : 'nothing',
        byRef: '',
      });
    this.#page.mask.lift({ area: [point.x, point.y, point.x, point.y] }); // shows where the agent points
    this.#page.mask.lower();
    return { met, point, line };
  }

  /** Checks an action that needs no pointer: its element may be out of view. */
  #take(ref: string): string {
    const now = this.#page.resolve(ref);
    if (now.state !== 'ok' && now.state !== 'covered' && now.state !== 'off-screen')
      throw refusal(now);
    return now.line;
  }

  #line(ref: string): string {
    const now = this.#page.resolve(ref);
    return 'line' in now ? now.line : ref;
  }

  #judge(filled: ReturnType<Page['fill']>, line: string): void {
    if (filled.state === 'gone') throw refusal({ state: 'gone', ref: '', was: line });
    if (filled.state !== 'refused') return;
    const disabled = filled.code === 'disabled' || filled.code === 'read_only';
    const options = filled.options ?? [];
    throw new MessageError(
      disabled ? 'disabled' : 'not_actable',
      `${line}: ${filled.why}`,
      options.length > 0 ? `It has ${options.join(', ')}.` : '',
    );
  }

  /** The focused element, also inside shadow roots. */
  #deep(): Element {
    return this.#page.focused() ?? document.body;
  }

  /**
   * Runs an action and waits for its direct effects. A page that is unloaded by the action cannot
   * report anything more; then the result says that it was left.
   */
  async #watched(hit: string, does: () => void): Promise<Came> {
    const page = this.#page;
    page.watch();
    const leaves = new AbortController();
    const left = new Promise<'left'>((resolve) => {
      addEventListener(
        'pagehide',
        () => {
          resolve('left');
        },
        { signal: leaves.signal },
      );
    });
    try {
      // The browser's own events caused by the action pass the overlay. The call is synchronous, so
      // no user input can come in between.
      page.mask.lift({});
      try {
        does();
      } finally {
        page.mask.lower();
      }
      const change = await Promise.race([page.settled(), left]);
      return change === 'left' ? { hit, left: true } : { hit, change };
    } catch (error) {
      void page.settled();
      throw error;
    } finally {
      leaves.abort();
    }
  }

  /** The current value of a field, which proves the action. */
  #holds(ref: string, came: Came, expected?: string): Came {
    if (came.left === true) return came;
    const held = this.#page.value(ref, expected);
    if (held === undefined) return came;
    if (expected !== undefined && !held.matches)
      throw notActable(
        `${came.hit} did not take the text: its value is now ${JSON.stringify(held.value.slice(0, 200))}`,
        'The field takes another form, or the page changes what is put in.',
      );
    return { ...came, value: held.value };
  }
}

function toEnd(el: Element): void {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    const { length } = el.value;
    // Fields of some types, such as number and email, have no caret position.
    if (el.selectionStart !== null) el.setSelectionRange(length, length);
    return;
  }
  const selection = getSelection();
  selection?.selectAllChildren(el);
  selection?.collapseToEnd();
}
