import type { Point } from '../page/types';
import { modifiersOf } from './keys';

/** The element that a pointer hits, and the point. */
export interface Pointer {
  readonly met: Element;
  readonly point: Point;
}

const buttons = { left: 0, middle: 1, right: 2 } as const;
/** The bit of each button in the event property `buttons`. */
const bits = [1, 4, 2] as const;

/** The properties of the only pointer. */
export const mouse = { pointerId: 1, isPrimary: true, pointerType: 'mouse' } as const;

/** The properties of every event at a point, with the held modifier keys. */
export function placeOf({ x, y }: Point, keys = ''): MouseEventInit {
  return {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: window,
    clientX: x,
    clientY: y,
    screenX: screenX + x,
    screenY: screenY + y,
    ...modifiersOf(keys),
  };
}

/** Dispatches a pointer event and its mouse event; returns false when the page prevented one. */
export function pointAt(met: Element, name: string, shape: MouseEventInit): boolean {
  const first = met.dispatchEvent(new PointerEvent(`pointer${name}`, { ...shape, ...mouse }));
  const second = met.dispatchEvent(new MouseEvent(`mouse${name}`, shape));
  return first && second;
}

/**
 * Moves a pointer to an element and, with `press`, clicks there: the same events in the same order
 * as a user's mouse causes, but untrusted.
 */
export function pointer(
  met: Element,
  point: Point,
  { press, count, keys }: { press?: keyof typeof buttons; count: number; keys: string },
): void {
  const button = press === undefined ? 0 : buttons[press];
  const place = placeOf(point, keys);
  const moment = (name: string, more: MouseEventInit = {}): boolean =>
    pointAt(met, name, { ...place, ...more });
  moment('over');
  moment('enter', { bubbles: false, cancelable: false });
  moment('move');
  for (let n = 1; n <= count; n += 1) {
    const held = { button, buttons: bits[button], detail: n };
    if (moment('down', held)) focusAround(met);
    if (button === 2)
      met.dispatchEvent(
        new PointerEvent('contextmenu', { ...place, ...mouse, ...held, buttons: 0 }),
      );
    const released = { button, buttons: 0, detail: n };
    moment('up', released);
    const kind = button === 0 ? 'click' : 'auxclick';
    met.dispatchEvent(new PointerEvent(kind, { ...place, ...mouse, ...released }));
    if (n === 2 && button === 0)
      met.dispatchEvent(new MouseEvent('dblclick', { ...place, ...released }));
  }
}

/** Focuses the element that a press would focus: the nearest focusable one around. */
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
