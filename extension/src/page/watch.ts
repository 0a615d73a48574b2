import { identity } from './format.js';
import { viewport } from './geometry.js';
import { type Looker, walkItems } from './look.js';
import type { Item } from './types.js';

/** What changed on the page since the watch began. */
export interface Change {
  /** Lines of things that appeared, went, or say something else, most important first. */
  appeared: string[];
  gone: string[];
  changed: string[];
  /** The line of what has the focus now, when that is another than before. */
  focus?: string;
  /** The address, when it changed without a new document. */
  url?: string;
  title?: string;
  /** Dialogs, alerts and status messages that appeared, by their text. */
  said: string[];
  /** How many lines were left out of the lists above. */
  more: number;
  /** Whether the page changed in any way, seen or not. */
  any: boolean;
}

interface Before {
  lines: Map<Element, { ref: string; line: string }>;
  texts: Map<string, number>;
  url: string;
  title: string;
  focused: Element | null;
}

/** Lines of each list of a report at most. */
const listed = 12;

/** Watches the page from just before an action until its effect is asked for. */
export class Watch {
  readonly #look: Looker;
  readonly #before: Before;
  readonly #observer: MutationObserver;
  readonly #events: [string, (event: Event) => void][] = [];
  /** Changed since the last frame, and since the watch began. */
  #dirty = false;
  #changed = false;

  constructor(look: Looker) {
    this.#look = look;
    this.#before = this.#state();
    this.#observer = new MutationObserver(() => {
      this.#mark();
    });
    this.#observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    for (const root of this.#roots())
      this.#observer.observe(root, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    for (const type of [
      'input',
      'change',
      'focusin',
      'popstate',
      'hashchange',
      'toggle',
      'scroll',
    ]) {
      const listen = (): void => {
        this.#mark();
      };
      addEventListener(type, listen, { capture: true, passive: true });
      this.#events.push([type, listen]);
    }
  }

  /**
   * Resolves once the page changed and was drawn after that, and when a
   * frame went by without a change; in a hidden tab the frames are tasks.
   */
  async quiet(): Promise<void> {
    const frames = 30;
    this.#dirty = false;
    for (let i = 0; i < frames; i++) {
      await this.#frame();
      if (this.#observer.takeRecords().length > 0) this.#mark();
      if (!this.#takeDirty()) return;
    }
  }

  #takeDirty(): boolean {
    const dirty = this.#dirty;
    this.#dirty = false;
    return dirty;
  }

  /** Ends the watch and says what happened. */
  report(): Change {
    const any = this.#observer.takeRecords().length > 0 || this.#changed;
    this.#observer.disconnect();
    for (const [type, listen] of this.#events) removeEventListener(type, listen, { capture: true });
    const now = this.#state();
    const { lines } = this.#before;
    const change: Change = { appeared: [], gone: [], changed: [], said: [], more: 0, any };
    for (const [el, { line }] of now.lines) {
      const was = lines.get(el);
      if (!was) change.appeared.push(line);
      else if (was.line !== line) change.changed.push(line);
    }
    for (const [el, { line }] of lines) if (!now.lines.has(el)) change.gone.push(line);
    for (const [text, count] of now.texts)
      if (count > (this.#before.texts.get(text) ?? 0)) change.said.push(text);
    for (const key of ['appeared', 'gone', 'changed', 'said'] as const) {
      change.more += Math.max(0, change[key].length - listed);
      change[key] = change[key].slice(0, listed);
    }
    if (now.url !== this.#before.url) change.url = now.url;
    if (now.title !== this.#before.title) change.title = now.title;
    if (now.focused !== this.#before.focused && now.focused)
      change.focus = now.lines.get(now.focused)?.line ?? this.#look.words(now.focused);
    return change;
  }

  #mark(): void {
    this.#dirty = this.#changed = true;
  }

  #frame(): Promise<void> {
    return new Promise((next) => {
      if (!document.hidden) {
        requestAnimationFrame(() => {
          next();
        });
        return;
      }
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        next();
      };
      channel.port2.postMessage(0);
    });
  }

  *#roots(): Generator<ShadowRoot> {
    for (const el of this.#look.tree.all(document)) {
      const root = this.#look.tree.rootOf(el);
      if (root) yield root;
    }
  }

  #state(): Before {
    const root = document.body;
    const items = this.#look.items(root, viewport(), true);
    const lines = new Map<Element, { ref: string; line: string }>();
    const texts = new Map<string, number>();
    for (const item of walkItems(items)) {
      if (item.num > 0 || speaks(item)) {
        const ref = item.num > 0 ? this.#look.refs.format(item.num) : '';
        if (item.num > 0) this.#look.refs.shown(item.num, identity(item));
        lines.set(item.el, { ref, line: this.#look.line(item) });
      } else if (item.role === 'text' || item.role === 'heading') {
        texts.set(item.name, (texts.get(item.name) ?? 0) + 1);
      }
    }
    const { href } = location;
    return { lines, texts, url: href, title: document.title, focused: this.#look.tree.focused() };
  }
}

function speaks(item: Item): boolean {
  return /^(dialog|alertdialog|alert|status)$/.test(item.role);
}
