declare global {
  /** The element that the last context menu of this frame was opened on; see content/pointed.ts. */
  var pilotfishPointed: WeakRef<Element> | undefined;
}

/**
 * Marks the element under the context menu, and returns a selector that means it. The mark is
 * removed after `keep` milliseconds. Runs in the page, injected by the browser, so it must not
 * refer to anything outside itself.
 */
export function markPointed(mark: string, keep: number): { target: string; url: string } {
  const element = globalThis.pilotfishPointed?.deref();
  if (!element?.isConnected) return { target: '', url: location.href };
  element.setAttribute(mark, '');
  setTimeout(() => {
    element.removeAttribute(mark);
  }, keep);
  return { target: `[${mark}]`, url: location.href };
}
