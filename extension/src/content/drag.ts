import type { Point } from '../page/types';
import { mouse, placeOf, pointAt, type Pointer } from './pointer';

/** How many pointer moves there are between the two ends. */
const moves = 4;

/**
 * Drags from one place to another with synthetic events: with drag data when the element there is
 * draggable, else only with pointer events. `at` returns the element that a pointer hits on its
 * way.
 */
export function drag(from: Pointer, to: Pointer, at: (point: Point) => Element | null): void {
  const dragged = draggable(from.met);
  point('over', from.met, from.point, 0);
  point('move', from.met, from.point, 0);
  const free = point('down', from.met, from.point, 1);
  if (dragged !== undefined && free) {
    carry(dragged, from, to);
    return;
  }
  let met = from.met;
  for (let n = 1; n <= moves; n += 1) {
    const here = {
      x: from.point.x + ((to.point.x - from.point.x) * n) / moves,
      y: from.point.y + ((to.point.y - from.point.y) * n) / moves,
    };
    // An element with pointer capture receives all moves.
    if (!held(met)) met = n === moves ? to.met : (at(here) ?? met);
    point('move', met, here, 1);
  }
  point('up', met, to.point, 0);
}

/** Drags an element, with the data that the page sets in dragstart. */
function carry(dragged: Element, from: Pointer, to: Pointer): void {
  const data = new DataTransfer();
  const says = (type: string, on: Element, place: Point, cancelable = true): boolean =>
    !on.dispatchEvent(
      new DragEvent(type, { ...placeOf(place), buttons: 1, cancelable, dataTransfer: data }),
    );
  if (says('dragstart', dragged, from.point)) {
    point('up', from.met, from.point, 0);
    return;
  }
  from.met.dispatchEvent(
    new PointerEvent('pointercancel', {
      ...placeOf(from.point),
      ...mouse,
      buttons: 0,
      cancelable: false,
    }),
  );
  says('drag', dragged, from.point);
  says('dragenter', to.met, to.point);
  // A target accepts the drop only when it prevents the default of dragover.
  const taken = says('dragover', to.met, to.point);
  says(taken ? 'drop' : 'dragleave', to.met, to.point, taken);
  says('dragend', dragged, to.point, false);
}

function point(name: string, met: Element, place: Point, buttons: number): boolean {
  return pointAt(met, name, { ...placeOf(place), buttons });
}

function held(el: Element): boolean {
  return el.hasPointerCapture(mouse.pointerId);
}

/** The nearest draggable element around: links and images are draggable by default. */
function draggable(met: Element): Element | undefined {
  for (let at: Element | null = met; at !== null; at = at.parentElement)
    if (at instanceof HTMLElement && at.draggable) return at;
  return undefined;
}
