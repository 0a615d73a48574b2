import type { Aside, FlatTree } from './flat.js';
import { type Agent, type Drawing, drawMarks } from './marksface.js';
import type { ItemData } from './types.js';

declare global {
  /**
   * A binding that the backend adds to this world while it follows a tab: `changed` when the page
   * has changed, `panel` when the user clicked on the indicator.
   */
  var pilotfishReport: ((payload: 'changed' | 'panel') => void) | undefined;
}

/** What a document does for as long as the backend wants it. */
export interface Live {
  /** Report changes of the page. */
  report?: boolean;
  /** The agent that works in this tab, for the indicator. */
  agent?: Agent;
}

/** What Marks needs of the page. */
interface Reader {
  element(ref: string): Element | null;
  aria(el: Element): { role: string; name: string };
}

/** The most badges that are drawn in one frame. */
export const badgesMost = 500;

/**
 * How long the indicator lets the pointer through after the backend announced input, in ms. The
 * input of an action follows its announcement at once; a drag is announced again on its way.
 */
const passing = 1500;

/** How often a page may remove what we draw before we leave it at that, for one document. */
const patience = 50;

/** Events after which the list of what can be acted on may differ, without a mutation record. */
const telling =
  'input change focusin focusout toggle scroll resize transitionend animationend popstate hashchange slotchange fullscreenchange'.split(
    ' ',
  );

/**
 * What we draw over a page for its user: the indicator that an agent works here, a highlight, and
 * badges with refs. It is in a closed shadow root, takes no pointer except on the indicator, and is
 * outside of snapshots and screenshots. Marks also report that the page has changed: once for each
 * `arm`, so that a page that changes all the time costs nothing between two reports. Without a call
 * it does nothing at all.
 */
export class Marks implements Aside {
  readonly #tree: FlatTree;
  readonly #reader: Reader;
  #live: Live = {};
  #drawn: Drawing | undefined;
  #pointed: Element | undefined;
  #badges = false;
  /** The elements of the last list, by ref, in its order. */
  #known: readonly (readonly [string, Element])[] = [];
  #veils = 0;
  #depth = 0;
  #healed = 0;
  #frame = 0;
  #passes: ReturnType<typeof setTimeout> | undefined;
  #armed = false;
  #listening = false;
  readonly #changes = new MutationObserver((records) => {
    if (records.some((one) => !this.#isOwn(one))) this.#tell();
  });
  readonly #place = new MutationObserver(() => {
    if (this.#drawn?.host.isConnected !== true) this.#heal();
  });

  constructor(tree: FlatTree, reader: Reader) {
    this.#tree = tree;
    this.#reader = reader;
  }

  get host(): Element | undefined {
    return this.#drawn?.host;
  }

  get root(): ShadowRoot | undefined {
    return this.#drawn?.root;
  }

  /** Sets what this document does from now on. */
  live(wanted: Live): void {
    const began = wanted.report === true && this.#live.report !== true;
    this.#live = wanted;
    if (window.top === window) {
      if (wanted.agent !== undefined) this.#draw().agent(wanted.agent);
      else this.#drawn?.agent(undefined);
    }
    if (wanted.report !== true) {
      this.#rest();
      this.#badges = false;
      this.#pointed = undefined;
    } else if (began) {
      // A document that has just begun is a change itself.
      this.#armed = true;
      this.#tell();
    }
    this.#draws();
  }

  /** The next change is reported. */
  arm(): void {
    if (this.#live.report !== true) return;
    this.#armed = true;
    for (const root of [document, ...this.#tree.roots()])
      this.#changes.observe(root, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    if (this.#listening) return;
    this.#listening = true;
    for (const type of telling)
      addEventListener(type, this.#tell, { capture: true, passive: true });
  }

  /** Remembers the elements of a list, which the badges are for. */
  know(items: readonly ItemData[]): void {
    const known: [string, Element][] = [];
    const add = (all: readonly ItemData[]): void => {
      for (const { ref, children } of all) {
        if (known.length >= badgesMost) return;
        const el = ref === undefined ? null : this.#reader.element(ref);
        if (ref !== undefined && el) known.push([ref, el]);
        add(children ?? []);
      }
    };
    add(items);
    this.#known = known;
  }

  /** Shows or removes the badges. */
  badges(on: boolean): void {
    this.#badges = on;
    this.#draws();
  }

  /**
   * Highlights an element, and scrolls to it; an empty ref removes the highlight. False when the
   * element is gone.
   */
  point(ref: string, scroll = false): boolean {
    const el = ref === '' ? null : this.#reader.element(ref);
    this.#pointed = el ?? undefined;
    if (el) {
      if (scroll) el.scrollIntoView({ behavior: 'instant', block: 'center', inline: 'nearest' });
      const { role, name } = this.#reader.aria(el);
      this.#draw().label(`${ref} ${role} ${name.slice(0, 200)}`);
    }
    this.#draws();
    return el !== null;
  }

  /** Hides everything for a screenshot, until it is called as often with false. */
  veil(on: boolean): void {
    this.#veils = Math.max(0, this.#veils + (on ? 1 : -1));
    this.#drawn?.veil(this.#veils > 0);
  }

  /** Input of ours comes: the indicator must not be in its way. */
  pass(): void {
    if (this.#drawn === undefined) return;
    this.#drawn.open(true);
    clearTimeout(this.#passes);
    this.#passes = setTimeout(() => {
      this.#passes = undefined;
      this.#drawn?.open(false);
    }, passing);
  }

  through<T>(snapshots: () => T): T {
    if (this.#drawn === undefined || this.#passes !== undefined) return snapshots();
    this.#depth += 1;
    if (this.#depth === 1) this.#drawn.open(true);
    try {
      return snapshots();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#drawn.open(false);
    }
  }

  /** Reports a change, once. A document that nobody sees reports it when it is seen again. */
  readonly #tell = (): void => {
    if (!this.#armed) return;
    this.#rest();
    if (document.visibilityState === 'visible') report('changed');
    else
      addEventListener(
        'visibilitychange',
        () => {
          if (this.#live.report === true) report('changed');
        },
        { capture: true, once: true },
      );
  };

  /** Stops to watch for changes. */
  #rest(): void {
    this.#armed = false;
    this.#changes.disconnect();
    if (!this.#listening) return;
    this.#listening = false;
    for (const type of telling) removeEventListener(type, this.#tell, { capture: true });
  }

  #isOwn({ target, addedNodes, removedNodes }: MutationRecord): boolean {
    const host = this.#drawn?.host;
    if (host === undefined) return false;
    if (target === host) return true;
    const nodes = [...addedNodes, ...removedNodes];
    return nodes.length > 0 && nodes.every((node) => node === host);
  }

  #draw(): Drawing {
    if (this.#drawn) return this.#drawn;
    const drawn = drawMarks(() => {
      report('panel');
    });
    this.#drawn = drawn;
    drawn.veil(this.#veils > 0);
    this.#tree.setAside(this, true);
    this.#place.observe(document, { childList: true });
    addEventListener('toggle', this.#risen, { capture: true });
    this.#heal();
    return drawn;
  }

  /** Draws what is wanted from now on, or removes everything. */
  #draws(): void {
    const follows = this.#badges || this.#pointed !== undefined;
    const indicates = window.top === window && this.#live.agent !== undefined;
    if (!follows && !indicates) {
      this.#remove();
      return;
    }
    this.#draw();
    if (this.#frame === 0) this.#follow();
  }

  #remove(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (this.#drawn === undefined) return;
    this.#place.disconnect();
    removeEventListener('toggle', this.#risen, { capture: true });
    this.#tree.setAside(this, false);
    this.#drawn.host.remove();
    this.#drawn = undefined;
  }

  /** Moves highlight and badges to their elements, in every frame while there are some. */
  readonly #follow = (): void => {
    const drawn = this.#drawn;
    if (drawn === undefined) return;
    const pointed = this.#pointed?.isConnected === true ? this.#pointed : undefined;
    drawn.highlight(pointed?.getBoundingClientRect());
    drawn.badges(this.#badges ? this.#visible() : []);
    this.#frame = this.#badges || pointed !== undefined ? requestAnimationFrame(this.#follow) : 0;
  };

  /** The known elements in view with their places. */
  #visible(): [string, DOMRect][] {
    const out: [string, DOMRect][] = [];
    for (const [ref, el] of this.#known) {
      if (!el.isConnected) continue;
      const rect = el.getBoundingClientRect();
      const seen =
        rect.width > 0 &&
        rect.height > 0 &&
        rect.bottom > 0 &&
        rect.right > 0 &&
        rect.top < innerHeight &&
        rect.left < innerWidth;
      if (seen) out.push([ref, rect]);
    }
    return out;
  }

  /** Another element has entered the top layer: show ours above it again. */
  readonly #risen = (event: Event): void => {
    const host = this.#drawn?.host;
    if (host === undefined || event.target === host) return;
    if (event.target instanceof HTMLDetailsElement) return;
    if (host.matches(':popover-open')) host.hidePopover();
    this.#heal();
  };

  #heal(): void {
    const drawn = this.#drawn;
    const parent = document.documentElement as Element | null;
    if (drawn === undefined || parent === null) return;
    this.#healed += 1;
    if (this.#healed > patience) return;
    drawn.dress();
    if (drawn.host.parentElement !== parent) parent.append(drawn.host);
    if (!drawn.host.matches(':popover-open')) drawn.host.showPopover();
    this.#place.observe(parent, { childList: true });
  }
}

function report(what: 'changed' | 'panel'): void {
  try {
    globalThis.pilotfishReport?.(what);
  } catch {
    // The app is gone.
  }
}
