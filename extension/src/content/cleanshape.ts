/** Shapes on a page: what Clean up may take away, and what is the page itself. */

/** Whether a user sees an element. */
export function isShown(element: Element): boolean {
  const box = element.getBoundingClientRect();
  return (
    box.width > 0 &&
    box.height > 0 &&
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  );
}

/**
 * Whether an element holds the page itself: many applications put all they have into one fixed
 * element. `all` is the length of the page's text.
 */
export function holdsPage(element: Element, all: number): boolean {
  if (element === document.body || element === document.documentElement) return true;
  if (element.matches('main, [role=main]') || element.querySelector('main, [role=main]') !== null)
    return true;
  const own = element.textContent.length;
  return own > all * 0.8 && own > 200;
}

/** Whether a box is a bar: as wide as most of the window, and not high. */
export function wide(box: DOMRect, width: number, height: number): boolean {
  return box.width >= width * 0.6 && box.height <= height * 0.4;
}
