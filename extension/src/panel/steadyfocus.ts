declare global {
  /** Put here by the backend, which hears by it whether the panel has the keyboard. */
  var pilotfishFocus: ((payload: string) => void) | undefined;
  /** Asked by the backend once it hears. */
  var pilotfishTellFocus: (() => void) | undefined;
}

/**
 * How long a loss of the focus may last and be none: the backend presses in the
 * page, which takes the focus, and gives it back with its next command. The user
 * who clicks elsewhere is told of a moment later, which nobody sees.
 */
const GRACE = 60;

interface Held {
  readonly target: EventTarget;
  readonly type: string;
  readonly init: FocusEventInit;
}

/**
 * Holds back the loss of the panel's focus for a moment. When the focus is back
 * by then nobody in the panel hears of either: no program in a terminal that asks
 * for focus reports, no field that saves on blur, no list that closes.
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
    // The focus that moves inside the panel is nobody else's business.
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
      // What belongs to this return comes in the same task.
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
