import type { Aside, FlatTree } from './flat.js';
import { draw, type Drawn, type Shown } from './maskface.js';

declare global {
  /** Put into this world by the backend while a tab is masked: the person wants a pause. */
  var pilotfishPause: ((payload: string) => void) | undefined;
}

/** The input that is about to come from us, and may pass. */
export interface Expected {
  /** Where the pointer goes, in this frame's viewport: left, top, right, bottom. */
  area?: [number, number, number, number];
  /** Anything of the pointer passes: a frame whose parent has checked the place. */
  pointer?: boolean;
  /** The keys that go down, in their order. */
  keys?: string[];
}

/** All that a person's hands can do to a page. */
const swallowed = (
  'pointerdown pointerup pointermove pointerover pointerout mousedown mouseup mousemove mouseover ' +
  'mouseout click dblclick auxclick contextmenu wheel touchstart touchmove touchend dragstart ' +
  'dragenter dragover drop keydown keypress keyup beforeinput paste cut compositionstart'
).split(' ');

/** How often it comes back at once; then it waits for the next frame. */
const patience = 5;

/**
 * Covers the page while a task works on it, so that nothing is touched by
 * accident. In every frame what the person's hands do is held back at the window,
 * before the page hears of it; the outermost one also shows the cover. Only what
 * was announced passes, for the moment of an action. Without `show` it does
 * nothing at all.
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

  /** Covers the page, or changes what the cover says. */
  show(shown: Shown): void {
    const fresh = this.#shown === undefined;
    this.#shown = shown;
    if (fresh) this.#listen();
    if (window.top !== window) return;
    this.#drawn ??= draw();
    this.#drawn.say(shown);
    if (!fresh) return;
    this.#tree.setAside(this);
    this.#watch = new MutationObserver(() => {
      if (this.#drawn?.host.isConnected !== true) this.#heal();
    });
    // It has no element yet when the document has just begun.
    this.#watch.observe(document, { childList: true, subtree: true });
    this.#own = new MutationObserver(() => {
      this.#heal();
    });
    this.#place();
  }

  /** Takes the cover away. */
  hide(): void {
    if (this.#shown === undefined) return;
    this.#shown = this.#expected = undefined;
    for (const type of swallowed) removeEventListener(type, this.#take, { capture: true });
    for (const type of ['toggle', 'fullscreenchange'])
      removeEventListener(type, this.#risen, { capture: true });
    this.#watch?.disconnect();
    this.#own?.disconnect();
    this.#tree.setAside(undefined);
    this.#drawn?.host.remove();
    this.#drawn = undefined;
  }

  /** Lets what is announced pass, until `lower`. */
  lift(expected: Expected): void {
    if (this.#shown === undefined) return;
    this.#expected = expected;
    const { area } = expected;
    if (area !== undefined) this.#drawn?.point((area[0] + area[2]) / 2, (area[1] + area[3]) / 2);
    this.#drawn?.open(true);
  }

  /** The action is over. */
  lower(): void {
    this.#expected = undefined;
    this.#drawn?.open(false);
  }

  /** Takes the cover out of sight, for a picture; it holds back all the same. */
  veil(on: boolean): void {
    this.#drawn?.veil(on);
  }

  /** Looks at the page as if the cover were not there. Nothing can come between. */
  through<T>(look: () => T): T {
    if (this.#drawn === undefined || this.#expected !== undefined) return look();
    this.#depth += 1;
    if (this.#depth === 1) this.#drawn.open(true);
    try {
      return look();
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

  /** Holds back what the person does. What a script sends itself is the page's business. */
  readonly #take = (event: Event): void => {
    if (!event.isTrusted || this.#passes(event)) return;
    event.stopImmediatePropagation();
    // Shortcuts of the browser stay the person's; the page hears nothing of them.
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
      // What a key or a label sets off has no place of its own.
      if (event.type === 'click' && event.detail === 0) return true;
      if (event.type === 'wheel') return false;
      return this.#within(event);
    }
    // Text that is put in, by a key or at once.
    return event instanceof InputEvent || event instanceof ClipboardEvent;
  }

  /** Whether the pointer, or a finger, is where it was announced. */
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
      // The app is away: the panel has the same button.
    }
  }

  /** Something else came to the top of the page: the cover goes over it. */
  readonly #risen = (event: Event): void => {
    const { host } = this.#drawn ?? {};
    if (host === undefined) return;
    if (event.target === host) {
      if (!host.matches(':popover-open')) this.#heal();
      return;
    }
    if (event.target instanceof HTMLDetailsElement) return;
    // What is shown last lies on top.
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
    // A page that takes it away each time would otherwise never come to rest.
    if (this.#healed <= patience) this.#place();
  }

  /** Where the cover must be: what is outside of a modal dialog cannot be touched, the cover neither. */
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
    // A document that was written anew has lost its listeners.
    this.#listen();
  }
}

function isShortcut(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key);
}
