import type { Point } from '../page/types';
import { modifiersOf } from './keys';

/** What a pointer meets, and where. */
export interface Pointer {
  readonly met: Element;
  readonly point: Point;
}

const buttons = { left: 0, middle: 1, right: 2 } as const;
/** The bit of each in `buttons`. */
const bits = [1, 4, 2] as const;

/**
 * Moves a pointer to an element and, when told so, clicks there: the events that
 * a person's hand makes, in their order, but not trusted by the browser.
 */
export function pointer(
  met: Element,
  point: Point,
  { press, count, keys }: { press?: keyof typeof buttons; count: number; keys: string },
): void {
  const button = press === undefined ? 0 : buttons[press];
  const common = {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: window,
    clientX: point.x,
    clientY: point.y,
    screenX: screenX + point.x,
    screenY: screenY + point.y,
    ...modifiersOf(keys),
  };
  const pointing = { ...common, pointerId: 1, isPrimary: true, pointerType: 'mouse' };
  /** One moment as pointer and as mouse; false when the page has prevented it. */
  const moment = (name: string, more: MouseEventInit, enters = false): boolean => {
    const shape = enters ? { bubbles: false, cancelable: false } : {};
    const first = met.dispatchEvent(
      new PointerEvent(`pointer${name}`, { ...pointing, ...more, ...shape }),
    );
    const second = met.dispatchEvent(
      new MouseEvent(`mouse${name}`, { ...common, ...more, ...shape }),
    );
    return first && second;
  };
  moment('over', {});
  moment('enter', {}, true);
  moment('move', {});
  for (let n = 1; n <= count; n += 1) {
    const held = { button, buttons: bits[button], detail: n };
    if (moment('down', held)) focusAround(met);
    if (button === 2)
      met.dispatchEvent(new PointerEvent('contextmenu', { ...pointing, ...held, buttons: 0 }));
    const released = { button, buttons: 0, detail: n };
    moment('up', released);
    const kind = button === 0 ? 'click' : 'auxclick';
    met.dispatchEvent(new PointerEvent(kind, { ...pointing, ...released }));
    if (n === 2 && button === 0)
      met.dispatchEvent(new MouseEvent('dblclick', { ...common, ...released }));
  }
}

/** Puts the focus where a press would: on the nearest thing around that takes it. */
function focusAround(met: Element): void {
  for (let at: Element | null = met; at !== null; at = up(at)) {
    if (!(at instanceof HTMLElement || at instanceof SVGElement)) continue;
    at.focus({ preventScroll: true });
    if (at.matches(':focus')) return;
  }
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

function up(el: Element): Element | null {
  const root = el.parentNode;
  return root instanceof ShadowRoot ? root.host : el.parentElement;
}
