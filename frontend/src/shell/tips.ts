/** How long the pointer must rest on an element before its tooltip appears, in milliseconds. */
const restTime = 600;

/**
 * Shows the `title` of the element under the pointer. WebKitGTK's own tooltips are separate
 * windows, and a click on one is lost. This tooltip takes no pointer events and disappears with the
 * first press.
 */
export function tips(root: Document): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const tip = root.createElement('div');
  tip.className = 'tip';
  tip.setAttribute('aria-hidden', 'true');
  tip.popover = 'manual';
  root.body.append(tip);
  let over: Element | undefined;
  let text = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  function hide(): void {
    clearTimeout(timer);
    if (tip.matches(':popover-open')) tip.hidePopover();
  }

  /** Restores the element's title: it is the description for users who do not see the tooltip. */
  function leave(): void {
    hide();
    if (over !== undefined && !over.hasAttribute('title')) over.setAttribute('title', text);
    over = undefined;
  }

  function show(): void {
    if (over?.isConnected !== true) return;
    tip.textContent = text;
    tip.showPopover();
    const box = over.getBoundingClientRect();
    const { innerWidth, innerHeight } = window;
    const { offsetWidth, offsetHeight } = tip;
    const below = box.bottom + 6 + offsetHeight <= innerHeight;
    const left = Math.max(4, Math.min(box.left, innerWidth - offsetWidth - 4));
    tip.style.left = `${String(left)}px`;
    tip.style.top = `${String(below ? box.bottom + 6 : Math.max(4, box.top - offsetHeight - 6))}px`;
  }

  root.addEventListener(
    'pointerover',
    ({ target }) => {
      const next = target instanceof Element ? target.closest('[title]') : null;
      if (over !== undefined && target instanceof Node && over.contains(target) && next === null)
        return;
      leave();
      if (next === null) return;
      over = next;
      text = next.getAttribute('title') ?? '';
      next.removeAttribute('title');
      if (text !== '') timer = setTimeout(show, restTime);
    },
    { signal },
  );
  root.addEventListener('pointerdown', hide, { signal, capture: true });
  root.addEventListener('keydown', hide, { signal, capture: true });
  root.documentElement.addEventListener('pointerleave', leave, { signal });
  return () => {
    leave();
    abort.abort();
    tip.remove();
  };
}
