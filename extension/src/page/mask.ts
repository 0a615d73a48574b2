import type { Aside, FlatTree } from './flat.js';
import { draw, type Drawn, type Shown } from './maskface.js';

declare global {
  /**
   * A binding that the backend adds to this world while a tab has an overlay: the user wants to
   * pause.
   */
  var pilotfishPause: ((payload: string) => void) | undefined;
}

/** The input that we are about to send, which may pass the overlay. */
export interface Expected {
  /** Where the pointer goes, in this frame's viewport: left, top, right, bottom. */
  area?: [number, number, number, number];
  /** All pointer input may pass: in a frame whose parent has checked the place. */
  pointer?: boolean;
  /** The keys that will be pressed, in order. */
  keys?: string[];
}

/** All events that a user's input can cause in a page. */
const swallowed = (
  'pointerdown pointerup pointermove pointerover pointerout mousedown mouseup mousemove mouseover ' +
  'mouseout click dblclick auxclick contextmenu wheel touchstart touchmove touchend dragstart ' +
  'dragenter dragover drop keydown keypress keyup beforeinput paste cut compositionstart'
).split(' ');

/**
 * How often the overlay is restored at once. After that, the next restore waits for the next frame.
 */
const patience = 5;

/**
 * The overlay over a page that a task works on; it prevents accidental user input. In every frame
 * the user's input is blocked at the window, before the page receives it. The outermost frame also
 * shows the overlay. Only announced input passes, during an action. Without `show` it does nothing
 * at all.
 */
export class Mask implements Aside {
  readonly #tree: FlatTree;
  #drawn: Drawn | undefined;
  #shown: Shown | undefined;
  #expected: Expected | undefined;
  #watch: MutationObserver | undefined;
  #own: MutationObserver | undefined;
  #depth = 0;
  #healed = 0;

  constructor(tree: FlatTree) {
    this.#tree = tree;
  }

  get host(): Element | undefined {
    return this.#drawn?.host;
  }

  get root(): ShadowRoot | undefined {
    return this.#drawn?.root;
  }

  /** Shows the overlay, or changes its text. */
  show(shown: Shown): void {
    const fresh = this.#shown === undefined;
    this.#shown = shown;
    if (fresh) this.#listen();
    if (window.top !== window) return;
    this.#drawn ??= draw();
    this.#drawn.say(shown);
    if (!fresh) return;
    this.#tree.setAside(this, true);
    this.#watch = new MutationObserver(() => {
      if (this.#drawn?.host.isConnected !== true) this.#heal();
    });
    // A document that has just begun has no root element yet.
    this.#watch.observe(document, { childList: true, subtree: true });
    this.#own = new MutationObserver(() => {
      this.#heal();
    });
    this.#place();
  }

  /** Removes the overlay. */
  hide(): void {
    if (this.#shown === undefined) return;
    this.#shown = this.#expected = undefined;
    for (const type of swallowed) removeEventListener(type, this.#take, { capture: true });
    for (const type of ['toggle', 'fullscreenchange'])
      removeEventListener(type, this.#risen, { capture: true });
    this.#watch?.disconnect();
    this.#own?.disconnect();
    this.#tree.setAside(this, false);
    this.#drawn?.host.remove();
    this.#drawn = undefined;
  }

  /** Lets announced input pass, until `lower`. */
  lift(expected: Expected): void {
    if (this.#shown === undefined) return;
    this.#expected = expected;
    const { area } = expected;
    if (area !== undefined) this.#drawn?.point((area[0] + area[2]) / 2, (area[1] + area[3]) / 2);
    this.#drawn?.open(true);
  }

  /** Ends what `lift` began: the action is over. */
  lower(): void {
    this.#expected = undefined;
    this.#drawn?.open(false);
  }

  /** Hides the overlay for a screenshot. It still blocks input. */
  veil(on: boolean): void {
    this.#drawn?.veil(on);
  }

  /**
   * Runs `snapshots` as if the overlay were not there. It is synchronous, so no input can come in
   * between.
   */
  through<T>(snapshots: () => T): T {
    if (this.#drawn === undefined || this.#expected !== undefined) return snapshots();
    this.#depth += 1;
    if (this.#depth === 1) this.#drawn.open(true);
    try {
      return snapshots();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#drawn.open(false);
    }
  }

  #listen(): void {
    for (const type of swallowed)
      addEventListener(type, this.#take, { capture: true, passive: false });
    for (const type of ['toggle', 'fullscreenchange'])
      addEventListener(type, this.#risen, { capture: true });
  }

  /** Blocks the user's input. Events that a script dispatches are left to the page. */
  readonly #take = (event: Event): void => {
    if (!event.isTrusted || this.#passes(event)) return;
    event.stopImmediatePropagation();
    // The browser's shortcuts still work for the user; the page does not receive their events.
    if (event instanceof KeyboardEvent && isShortcut(event)) return;
    if (event.cancelable) event.preventDefault();
    if (event instanceof KeyboardEvent) {
      if (event.type === 'keydown' && event.key === 'Escape') this.#pause();
    } else if (event.type === 'click' && event.target === this.#drawn?.host) {
      const { clientX, clientY } = event as MouseEvent;
      if (this.#drawn.isButton(clientX, clientY)) this.#pause();
    }
  };

  #passes(event: Event): boolean {
    const expected = this.#expected;
    if (expected === undefined) return false;
    if (event instanceof KeyboardEvent) {
      if (event.type !== 'keydown') return expected.keys !== undefined;
      if (event.repeat || expected.keys?.[0] !== event.key) return false;
      expected.keys.shift();
      return true;
    }
    if (event.type.startsWith('touch'))
      return [...(event as TouchEvent).changedTouches].every((touch) => this.#within(touch));
    if (event instanceof MouseEvent) {
      // A click caused by a key or a label has no coordinates.
      if (event.type === 'click' && event.detail === 0) return true;
      if (event.type === 'wheel') return false;
      return this.#within(event);
    }
    // Text input, by a key or inserted at once.
    return event instanceof InputEvent || event instanceof ClipboardEvent;
  }

  /** Whether the pointer or a finger is at an announced place. */
  #within({ clientX, clientY }: { clientX: number; clientY: number }): boolean {
    if (this.#expected?.pointer === true) return true;
    const area = this.#expected?.area;
    return (
      area !== undefined &&
      clientX >= area[0] - 2 &&
      clientY >= area[1] - 2 &&
      clientX <= area[2] + 2 &&
      clientY <= area[3] + 2
    );
  }

  #pause(): void {
    try {
      globalThis.pilotfishPause?.('');
    } catch {
      // The app is gone. The panel has the same button.
    }
  }

  /** Another element has entered the top layer: show the overlay above it again. */
  readonly #risen = (event: Event): void => {
    const { host } = this.#drawn ?? {};
    if (host === undefined) return;
    if (event.target === host) {
      if (!host.matches(':popover-open')) this.#heal();
      return;
    }
    if (event.target instanceof HTMLDetailsElement) return;
    // The element shown last is on top.
    if (host.matches(':popover-open')) host.hidePopover();
    this.#place();
  };

  #heal(): void {
    this.#healed += 1;
    if (this.#healed === 1)
      requestAnimationFrame(() => {
        const late = this.#healed > patience;
        this.#healed = 0;
        if (late && this.#shown !== undefined) this.#place();
      });
    // Otherwise a page that removes the overlay every time would cause an endless loop.
    if (this.#healed <= patience) this.#place();
  }

  /**
   * Where the overlay must be in the DOM. Elements outside of a modal dialog are inert, so the overlay
   * goes into the dialog.
   */
  #parent(): Element | null {
    return [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement;
  }

  #place(): void {
    const drawn = this.#drawn;
    const parent = this.#parent();
    if (drawn === undefined || parent === null) return;
    this.#own?.disconnect();
    drawn.dress();
    if (drawn.host.parentElement !== parent) parent.append(drawn.host);
    if (!drawn.host.matches(':popover-open')) drawn.host.showPopover();
    this.#own?.observe(drawn.host, { attributes: true, childList: true });
    // document.open() has removed the listeners of a rewritten document.
    this.#listen();
  }
}

function isShortcut(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key);
}
