// What the user types while the browser presses in this page. A press takes the
// keyboard to the page until the browser has given it back (focus.go), and a key in
// between is the user's: the page sees nothing of it, and it is passed on. This runs
// in our world before the first line of a document, so that no listener of the page
// comes before it.
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
