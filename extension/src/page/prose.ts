import { type Area, touches } from './geometry.js';
import { printed, printedName } from './normal.js';
import type { Item } from './types.js';

/**
 * A text with more characters than this is split, so that a budget can include some of its parts.
 */
const longText = 2000;
/** The approximate length of a part, in characters. */
const partSize = 1000;

/** A text of the page as an item of a snapshot. */
export function textItem(el: Element, name: string): Item {
  return { el, role: 'text', name, states: [], offered: false, num: 0, inView: true, children: [] };
}

/** A text as one item, or several: a long one, and lines whose white space is drawn. */
export function textItems(el: Element, text: string): Item[] {
  if (text.length <= longText && isSpaced(text) && drawsSpace(el))
    return text.split('\n').flatMap((line) => {
      const name = printed(line).replaceAll('\t', '    ').trimEnd();
      return name === '' ? [] : [textItem(el, name)];
    });
  const name = printedName(text);
  if (name === '') return [];
  if (name.length <= longText) return [textItem(el, name)];
  return partsOf(name).map(([from, to]) => textItem(el, name.slice(from, to).trim()));
}

/** Whether a text has white space that means something where it is drawn. */
function isSpaced(text: string): boolean {
  const body = text.trim();
  return body !== '' && (/\n|\t| {2}/.test(body) || /^[ \t]{2}\S/.test(text));
}

/** Whether white space is drawn: in code, in a board of letters, in a message with lines. */
function drawsSpace(el: Element): boolean {
  return getComputedStyle(el).getPropertyValue('white-space-collapse') === 'preserve';
}

/** Whether a text is so long that each of its parts is checked for being in view. */
export function isLong(text: Text): boolean {
  return text.length > longText;
}

/** The parts of a long text that are in the region, each with its box. */
export function nearItems(el: Element, text: Text, region: Area | null, view: Area): Item[] {
  const out: Item[] = [];
  const range = document.createRange();
  for (const [from, to] of partsOf(text.data)) {
    const name = printedName(text.data.slice(from, to));
    if (name === '') continue;
    range.setStart(text, from);
    range.setEnd(text, to);
    const rect = range.getBoundingClientRect();
    if (region !== null && !touches(rect, region)) continue;
    out.push({ ...textItem(el, name), rect, inView: touches(rect, view) });
  }
  return out;
}

/** Where to split a text: at the end of a line, else between words. */
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
