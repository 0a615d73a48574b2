declare global {
  /** Set by the backend. The panel calls it to report whether it has keyboard focus. */
  var pilotfishFocus: ((payload: string) => void) | undefined;
  /** Called by the backend once it has set `pilotfishFocus`, to get the current state. */
  var pilotfishTellFocus: (() => void) | undefined;
}

/**
 * How long (in ms) a loss of focus may last and still be ignored. When the backend
 * dispatches input to the page, the page takes the focus, and the backend gives it
 * back with its next command. If the user really clicks elsewhere, the panel
 * reports it this much later, which the user does not notice.
 */
const GRACE = 60;

interface Held {
  readonly target: EventTarget;
  readonly type: string;
  readonly init: FocusEventInit;
}

/**
 * Delays the panel's blur events by GRACE. If the focus returns in that time, no
 * other listener in the panel receives the blur or the focus events. So a terminal
 * program that asked for focus events gets none, a field that saves on blur does
 * not save, and an open list does not close.
 */
export function keepFocusSteady(signal: AbortSignal): void {
  let held: Held[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let back = false;

  const tell = (): void => {
    globalThis.pilotfishFocus?.(document.hasFocus() || timer !== undefined ? '1' : '0');
  };
  const left = (): void => {
    timer = undefined;
    const events = held;
    held = [];
    if (document.hasFocus()) return;
    tell();
    for (const { target, type, init } of events) target.dispatchEvent(new FocusEvent(type, init));
  };

  const onLoss = (event: Event): void => {
    // Ignore focus that moves within the panel.
    if (!event.isTrusted || document.hasFocus() || event.target === null) return;
    event.stopImmediatePropagation();
    const { bubbles, composed } = event;
    held.push({ target: event.target, type: event.type, init: { bubbles, composed } });
    timer ??= setTimeout(left, GRACE);
  };
  const onReturn = (event: Event): void => {
    if (!event.isTrusted) return;
    if (timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      held = [];
      back = true;
      // The other events of this return come in the same task of the event loop.
      setTimeout(() => {
        back = false;
      });
    }
    if (back) event.stopImmediatePropagation();
    else if (event.target === window) tell();
  };

  const options = { capture: true, signal };
  for (const type of ['blur', 'focusout']) addEventListener(type, onLoss, options);
  for (const type of ['focus', 'focusin']) addEventListener(type, onReturn, options);
  globalThis.pilotfishTellFocus = tell;
  tell();
}
