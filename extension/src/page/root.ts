import type { FlatTree } from './flat.js';

/**
 * The root of the page: its body, the root element of a document without a body (an image, XML), or
 * null, as between document.open() and the first write.
 */
export function pageRoot(): Element | null {
  return document.querySelector('body,frameset') ?? document.querySelector(':root');
}

/** The modal dialog that makes the rest of the page inert. */
export function modalOf(tree: FlatTree): Element | undefined {
  const open = [...document.querySelectorAll('dialog:modal')];
  if (open.length === 0) return undefined;
  const focused = tree.focused();
  const top = open.filter((el) => focused && tree.contains(el, focused)).at(-1);
  const hit = open.find((el) => {
    const rect = el.getBoundingClientRect();
    const met = tree.at(rect.left + rect.width / 2, rect.top + Math.min(rect.height / 2, 20));
    return (
      met !== null &&
      tree.contains(el, met) &&
      !open.some((other) => other !== el && el.contains(other))
    );
  });
  return hit ?? top ?? open.at(-1);
}
