/**
 * Remembers which element of a frame the last context menu was opened on: the browser's event of
 * the menu does not say it. It does nothing else, sends nothing, and the page cannot see it.
 */
import '../menu/pointed';

addEventListener(
  'contextmenu',
  (event) => {
    if (!event.isTrusted) return;
    const [path] = event.composedPath();
    let element = path instanceof Element ? path : undefined;
    // The path does not go into closed shadow roots.
    for (;;) {
      const root: ShadowRoot | null =
        element instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(element) : null;
      const inner = root?.elementFromPoint(event.clientX, event.clientY);
      if (!inner || inner === element) break;
      element = inner;
    }
    globalThis.pilotfishPointed = element === undefined ? undefined : new WeakRef(element);
  },
  { capture: true, passive: true },
);
