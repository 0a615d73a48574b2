import { imageWith, mapOf } from './imagemaps.js';

/** Attributes through which an element takes its name or its state from another one. */
const referring = ['aria-labelledby', 'aria-describedby', 'aria-owns', 'popovertarget'];

/** Whether an attribute refers to other elements. */
export function isReference(attribute: string | null): boolean {
  return attribute !== null && referring.includes(attribute);
}

/** The elements of a root that refer to others. */
export function referringIn(root: Document | ShadowRoot): Element[] {
  return [...root.querySelectorAll(referring.map((name) => `[${name}]`).join())];
}

/** The elements outside of an element whose lines are read with it: controls of labels, image maps. */
export function* partnersOf(part: Element): Generator<Element> {
  yield* controlsOf(part);
  yield* mappedWith(part);
}

/** The controls outside of an element that labels in it or around it belong to. */
function* controlsOf(part: Element): Generator<Element> {
  const labels = [part.closest('label'), ...part.querySelectorAll('label')];
  for (const label of labels)
    if (label?.control && !part.contains(label.control)) yield label.control;
}

/** The images outside of an element that image maps in it or around it belong to, or the maps of such images. */
function* mappedWith(part: Element): Generator<Element> {
  const either = 'map, img[usemap]';
  for (const el of [part.closest(either), ...part.querySelectorAll(either)]) {
    const other =
      el instanceof HTMLImageElement ? mapOf(el) : el && imageWith(el as HTMLMapElement);
    if (other && !part.contains(other)) yield other;
  }
}

/** The elements from which an element takes its name or its state. */
export function referredBy(el: Element, root: Document | ShadowRoot): Element[] {
  const ids = referring.flatMap((name) => el.getAttribute(name)?.split(/\s+/) ?? []);
  return ids.map((id) => root.getElementById(id)).filter((to) => to !== null);
}
