// Catches what the user types while the browser dispatches a press in this page. A press moves the keyboard focus
// to the page until the browser has moved it back (focus.go), and the keys in between are the user's: the page
// does not receive them, and they are passed on to the panel. This script runs in our world before the document's
// own scripts, so that no listener of the page runs before it.
globalThis.pilotfishHold ??= (() => {
  const state = { holding: false };
  const hold = (event) => {
    if (!state.holding || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === 'keypress') return;
    const { type, key, code, keyCode, location, repeat, altKey, ctrlKey, metaKey, shiftKey } = event;
    const modifiers = (altKey ? 1 : 0) | (ctrlKey ? 2 : 0) | (metaKey ? 4 : 0) | (shiftKey ? 8 : 0);
    globalThis.pilotfishKey?.(JSON.stringify({ type, key, code, keyCode, location, repeat, modifiers }));
  };
  for (const type of ['keydown', 'keypress', 'keyup']) addEventListener(type, hold, { capture: true, passive: false });
  return state;
})();

// Reports address and title of a tab's document once its load event is over, so that a navigation need not ask for
// them: a round trip less in a browser elsewhere (navigate.go).
if (self === top)
  addEventListener('pageshow', ({ isTrusted }) => {
    if (isTrusted) globalThis.pilotfishShown?.(JSON.stringify({ url: document.URL, title: document.title }));
  });
