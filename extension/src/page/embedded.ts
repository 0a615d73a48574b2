import { printedName } from './normal.js';

/** What an object or embed element shows: a document, an image, its own content, or nothing. */
export type Embedded = 'document' | 'image' | 'content' | 'nothing';

const images = /\.(avif|bmp|gif|ico|jpe?g|png|webp)$/i;

/** Whether an element shows what a file has, or else its own content. */
export function isEmbedding(el: Element): el is HTMLObjectElement | HTMLEmbedElement {
  return el instanceof HTMLObjectElement || el instanceof HTMLEmbedElement;
}

/** What an object or embed element shows at the moment. */
export function embeddedBy(el: HTMLObjectElement | HTMLEmbedElement): Embedded {
  if (el instanceof HTMLObjectElement) {
    if (el.contentWindow) return 'document';
    if (isFallback(el)) return 'content';
    return isSized(el) && fileOf(el) !== '' ? 'image' : 'nothing';
  }
  if (!isSized(el) || fileOf(el) === '') return 'nothing';
  const svg = el.type.startsWith('image/svg');
  if (!svg && (el.type.startsWith('image/') || images.test(pathOf(fileOf(el))))) return 'image';
  // Only the browser knows whether an embed element has a document; a frame without one is empty.
  return 'document';
}

/** The role of what an object or embed element shows, where it has none of its own. */
export function embeddedRole(el: HTMLObjectElement | HTMLEmbedElement): string | undefined {
  const shows = embeddedBy(el);
  return shows === 'document' ? 'frame' : shows === 'image' ? 'img' : undefined;
}

/** What to call an image without a label: by what is written in place of it, or its file. */
export function imageName(el: HTMLObjectElement | HTMLEmbedElement): string {
  const said = [el.getAttribute('aria-label') ?? '', el.title, el.textContent].map(printedName);
  return said.find((text) => text !== '') ?? pathOf(fileOf(el)).split('/').at(-1) ?? '';
}

/** The address of the file that an object or embed element shows. */
export function fileOf(el: HTMLObjectElement | HTMLEmbedElement): string {
  return el instanceof HTMLObjectElement ? el.data : el.src;
}

/** Whether an element draws its own children in place of a file that cannot be shown. */
function isFallback(el: HTMLObjectElement): boolean {
  const range = document.createRange();
  range.selectNodeContents(el);
  return range.getClientRects().length > 0;
}

function isSized(el: Element): boolean {
  const { width, height } = el.getBoundingClientRect();
  return width >= 1 && height >= 1;
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : '';
}
