import { type Area, touches } from './geometry.js';
import { collapse } from './name.js';
import type { Item } from './types.js';

/** A text above this many letters is shown in parts, so that a budget can hold some of them. */
const longText = 2000;
/** About how long a part is. */
const partSize = 1000;

/** A text of the page as a thing of a look. */
export function textItem(el: Element, name: string): Item {
  return { el, role: 'text', name, states: [], offered: false, num: 0, inView: true, children: [] };
}

/** A text as one thing, or a long one as several. */
export function textItems(el: Element, text: string): Item[] {
  const name = collapse(text);
  if (name === '') return [];
  if (name.length <= longText) return [textItem(el, name)];
  return partsOf(name).map(([from, to]) => textItem(el, collapse(name.slice(from, to))));
}

/** Whether a text is so long that what is in view of it is asked for part by part. */
export function isLong(text: Text): boolean {
  return text.length > longText;
}

/** The parts of a long text that lie in the region, each with where it lies. */
export function nearItems(el: Element, text: Text, region: Area | null, view: Area): Item[] {
  const out: Item[] = [];
  const range = document.createRange();
  for (const [from, to] of partsOf(text.data)) {
    const name = collapse(text.data.slice(from, to));
    if (name === '') continue;
    range.setStart(text, from);
    range.setEnd(text, to);
    const rect = range.getBoundingClientRect();
    if (region !== null && !touches(rect, region)) continue;
    out.push({ ...textItem(el, name), rect, inView: touches(rect, view) });
  }
  return out;
}

/** Where a text is cut: at the end of a line, else between words. */
function partsOf(text: string): [from: number, to: number][] {
  const out: [number, number][] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + partSize);
    if (to < text.length) {
      const line = text.lastIndexOf('\n', to);
      const word = text.lastIndexOf(' ', to);
      const half = from + partSize / 2;
      if (line > half) to = line + 1;
      else if (word > half) to = word + 1;
      else if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to -= 1;
    }
    out.push([from, to]);
    from = to;
  }
  return out;
}
