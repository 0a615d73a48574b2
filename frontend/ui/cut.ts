import type { Attachment } from 'svelte/attachments';

/** Gives an element its whole text as a tooltip, but only while the text is cut off. */
export function titleIfCut(text: string): Attachment<HTMLElement> {
  return (element) => {
    const enter = (): void => {
      if (element.scrollWidth > element.clientWidth) element.title = text;
      else element.removeAttribute('title');
    };
    element.addEventListener('pointerenter', enter);
    return () => {
      element.removeEventListener('pointerenter', enter);
    };
  };
}
