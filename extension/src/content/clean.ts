/**
 * Clean up in one document: counts what the filter lists hide, and hides what covers the page or
 * follows it when it scrolls. Everything it changes it remembers, and can restore.
 */
import { kindOf } from '../clean/kind';
import { hides, rulesOf, written } from '../clean/sheet';
import type { Cleaner, HiddenKind } from '../clean/types';
import { clearMarks, setStyle, takeAway } from './cleanmarks';
import { holdsPage, isShown, wide } from './cleanshape';

/** The most elements that are looked at, and names that are sent, in one pass. */
const MOST = 20_000;
/** How long after a change of the page it is looked at again, in milliseconds, and how often. */
const PAUSE = 250;
const PASSES = 20;

/** What is hidden, with the kind by which it is counted. */
const found = new Map<Element, HiddenKind>();
const sheets: string[] = [];
let on = false;
let unlocked = false;
let passes = 0;
let pending: ReturnType<typeof setTimeout> | undefined;

const observer = new MutationObserver(() => {
  if (pending !== undefined || passes >= PASSES) return;
  pending = setTimeout(() => {
    pending = undefined;
    passes += 1;
    sweep();
  }, PAUSE);
});

/** Counts something that is visible and will be hidden, unless something around it is counted. */
function count(element: Element, otherwise: HiddenKind): void {
  for (let at: Element | null = element; at !== null; at = at.parentElement)
    if (found.has(at)) return;
  for (const inner of [...found.keys()]) if (element.contains(inner)) found.delete(inner);
  const names = `${element.id} ${element.getAttribute('class') ?? ''} ${element.getAttribute('aria-label') ?? ''}`;
  found.set(element, kindOf(names, element.textContent.slice(0, 400), otherwise));
}

/** The roots to look into: the document, and the shadow roots in it, open and closed. */
function* elements(): Generator<Element> {
  const roots: (Document | ShadowRoot)[] = [document];
  let left = MOST;
  for (let root = roots.shift(); root !== undefined; root = roots.shift())
    for (const element of root.querySelectorAll('*')) {
      if ((left -= 1) < 0) return;
      const inner =
        element instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(element) : null;
      if (inner !== null) roots.push(inner);
      yield element;
    }
}

const cleaner: Cleaner = {
  look() {
    const classes = new Set<string>();
    const ids = new Set<string>();
    const hrefs = new Set<string>();
    for (const element of document.querySelectorAll('[class],[id],a[href]')) {
      for (const one of element.classList) if (classes.size < MOST) classes.add(one);
      if (element.id !== '' && ids.size < MOST) ids.add(element.id);
      if (element instanceof HTMLAnchorElement && hrefs.size < MOST)
        hrefs.add(element.href.slice(0, 500));
    }
    return {
      url: location.href.slice(0, 2000),
      hostname: location.hostname,
      classes: [...classes],
      ids: [...ids],
      hrefs: [...hrefs],
    };
  },

  match(css) {
    on = true;
    const valid = rulesOf(css).filter((rule) => {
      let matched: NodeListOf<Element>;
      try {
        matched = document.querySelectorAll(rule.selector);
      } catch {
        return false; // a selector that this browser does not know
      }
      if (hides(rule)) for (const one of matched) if (isShown(one)) count(one, 'other');
      return true;
    });
    const sheet = written(valid);
    if (sheet !== '' && !sheets.includes(sheet)) sheets.push(sheet);
    return sheet;
  },

  sweep() {
    passes = 0;
    sweep();
    observer.observe(document.documentElement, {
      subtree: true,
      childList: true,
      attributeFilter: ['class', 'style', 'open'],
    });
  },

  state() {
    const hidden: Partial<Record<HiddenKind, number>> = {};
    for (const kind of found.values()) hidden[kind] = (hidden[kind] ?? 0) + 1;
    return { on, hidden, unlocked, sheets: [...sheets] };
  },

  undo() {
    observer.disconnect();
    clearTimeout(pending);
    pending = undefined;
    clearMarks();
    found.clear();
    [on, unlocked] = [false, false];
    return sheets.splice(0);
  },
};

/** Hides what covers the page, and lets bars scroll away with it. */
function sweep(): void {
  const outside = document.body.textContent.length;
  for (const element of [...elements()]) {
    if (!(element instanceof HTMLElement) || found.has(element)) continue;
    const style = getComputedStyle(element);
    const modal = element instanceof HTMLDialogElement && element.matches(':modal');
    const sticky = style.position === 'sticky';
    if (style.position !== 'fixed' && !sticky && !modal && !isCover(element, style)) continue;
    if (!isShown(element) || holdsPage(element, outside)) continue;
    const what = modal ? 'overlay' : shapeOf(element, style);
    if (what === undefined) continue;
    count(element, what === 'overlay' ? 'overlay' : 'bar');
    if (what === 'top') setStyle(element, 'position', sticky ? 'static' : 'absolute');
    else takeAway(element);
  }
  if (found.size > 0) unlock();
}

/** Whether an element that is not fixed lies above the page like one that is. */
function isCover(element: HTMLElement, style: CSSStyleDeclaration): boolean {
  return (
    style.position === 'absolute' &&
    (Number(style.zIndex) >= 100 || element.getAttribute('aria-modal') === 'true')
  );
}

/** What is to be done with an element: an overlay or a bar below goes, a bar above scrolls away. */
function shapeOf(
  element: HTMLElement,
  style: CSSStyleDeclaration,
): 'overlay' | 'top' | 'bottom' | undefined {
  const box = element.getBoundingClientRect();
  const { innerWidth: width, innerHeight: height } = window;
  const sides = [
    Math.max(0, Math.min(box.right, width) - Math.max(box.left, 0)),
    Math.max(0, Math.min(box.bottom, height) - Math.max(box.top, 0)),
  ] as const;
  const share = (sides[0] * sides[1]) / (width * height);
  if (style.position !== 'sticky') {
    const centred =
      box.left <= width / 2 &&
      box.right >= width / 2 &&
      box.top <= height / 2 &&
      box.bottom >= height / 2;
    const seen = style.pointerEvents !== 'none' || element.childElementCount > 0;
    if (seen && (share >= 0.5 || (centred && share >= 0.06))) return 'overlay';
  }
  if (!wide(box, width, height) || style.position === 'absolute') return undefined;
  if (box.bottom >= height - 24 && box.top > height / 2) return 'bottom';
  const top = style.position === 'sticky' ? Number.parseFloat(style.top) : box.top;
  return top <= 24 && element.closest('table') === null ? 'top' : undefined;
}

/** Lets a page scroll that a wall has locked, and be used again. */
function unlock(): void {
  const { documentElement: root, body } = document;
  for (const element of [root, body]) {
    const style = getComputedStyle(element);
    if (
      /hidden|clip/.test(style.overflowY) &&
      Math.max(root.scrollHeight, body.scrollHeight) > innerHeight
    ) {
      setStyle(element, 'overflow', 'auto');
      unlocked = true;
    }
    if (element === body && style.position === 'fixed') {
      const top = -Number.parseFloat(style.top);
      setStyle(element, 'position', 'static');
      if (top > 0) scrollTo({ top, behavior: 'instant' });
      unlocked = true;
    }
  }
  for (const child of body.children) {
    if (!(child instanceof HTMLElement)) continue;
    if (getComputedStyle(child).filter.includes('blur')) setStyle(child, 'filter', 'none');
    if (child.inert) takeAway(child, 'inert');
  }
}

globalThis.pilotfishClean ??= cleaner;
