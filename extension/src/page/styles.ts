import { Counters, markerOf } from './counters.js';
import { type Effects, generatedText, hasAlternative, Sheets, transformed } from './generated.js';

/** Computed styles of one snapshot, each read once. */
export class Styles {
  readonly #cache = new Map<Element, CSSStyleDeclaration>();
  readonly #roots = new Map<Node, Effects>();
  readonly #counters = new Map<Node, Counters>();
  readonly #transforms = new Map<Element, string>();
  readonly #sheets: Sheets;

  constructor(sheets = new Sheets()) {
    this.#sheets = sheets;
  }

  /** The live computed style. Its values are read while the page does not change. */
  of(el: Element): CSSStyleDeclaration {
    let style = this.#cache.get(el);
    if (!style) {
      style = getComputedStyle(el);
      this.#cache.set(el, style);
    }
    return style;
  }

  /** Whether an element's own style makes it a block or another box of its own. */
  breaks(el: Element): boolean {
    return breaks(this.of(el).display);
  }

  /** The text that a pseudo element adds, or an empty string. */
  generated(el: Element, which: '::before' | '::after', effects: Effects): string {
    if (!effects.generates && el.localName !== 'q') return '';
    const style = getComputedStyle(el, which);
    const content = style.content;
    if (content === 'none' || content === 'normal' || content === '') return '';
    if (style.display === 'none' || style.visibility !== 'visible') return '';
    const text = transformed(this.#said(content, el, which), style.textTransform, el);
    // An alternative text stands for an image, which does not flow with the text either.
    const apart = breaks(style.display) || hasAlternative(content);
    return apart && text !== '' ? ` ${text} ` : text;
  }

  /** A text as it is drawn. */
  text(node: Text, el: Element, effects: Effects): string {
    const { data } = node;
    const how = effects.transforms ? this.of(el).textTransform : this.#inline(el);
    return how === 'none' ? data : transformed(data, how, el);
  }

  // When no style sheet transforms text, only inline styles of the element or its ancestors can.
  #inline(el: Element): string {
    const path: Element[] = [];
    let how: string | undefined;
    for (let at: Element | null = el; at && how === undefined; at = at.parentElement) {
      how = this.#transforms.get(at);
      if (how === undefined && at.getAttribute('style')?.includes('text-transform'))
        how = this.of(at).textTransform;
      path.push(at);
    }
    how ??= 'none';
    for (const at of path) this.#transforms.set(at, how);
    return how;
  }

  /** The text in place of an element whose content a style sheet replaces by an image. */
  replaced(el: Element): string | undefined {
    const content = this.of(el).content;
    return content.startsWith('url(') || content.startsWith('image-set(')
      ? ` ${this.#said(content, el, '')} `
      : undefined;
  }

  #said(content: string, el: Element, which: string): string {
    return generatedText(content, el, (name, separator, kind) => {
      const root = el.getRootNode();
      let counters = this.#counters.get(root);
      if (!counters) {
        counters = new Counters(root as Document | ShadowRoot, this.effects(el).counting);
        this.#counters.set(root, counters);
      }
      return counters.text(el, which, name, separator, kind);
    });
  }

  /** The marker of a list item: a bullet, its number, or the content of `::marker`. */
  marker(el: Element): string {
    if (el.localName !== 'li') return '';
    const style = this.of(el);
    if (!style.display.includes('list-item') || style.listStyleType === 'none') return '';
    const own = this.effects(el).generates ? getComputedStyle(el, '::marker').content : 'normal';
    if (own !== 'normal' && own !== '')
      return own === 'none' ? '' : this.#said(own, el, '::marker');
    return markerOf(el, style);
  }

  /**
   * How style sheets may affect the text in an element. Reading two more styles for each element
   * costs as much as the rest of the walk, and most trees have no rule that adds text.
   */
  effects(el: Element): Effects {
    const root = el.getRootNode();
    let effects = this.#roots.get(root);
    if (effects === undefined) {
      effects = this.#sheets.effectsOf(root as Document | ShadowRoot);
      // Trees inside the page inherit the page's text transforms.
      if (root !== document && !effects.transforms && this.#document().transforms)
        effects = { ...effects, transforms: true };
      this.#roots.set(root, effects);
    }
    // Rules of the inner tree also match its host and slotted children.
    const inner = el.shadowRoot;
    if (!inner || effects.generates) return effects;
    let inside = this.#roots.get(inner);
    if (!inside) {
      inside = this.#sheets.effectsOf(inner);
      this.#roots.set(inner, inside);
    }
    return inside.generates ? { ...effects, generates: true } : effects;
  }

  #document(): Effects {
    let effects = this.#roots.get(document);
    if (!effects) {
      effects = this.#sheets.effectsOf(document);
      this.#roots.set(document, effects);
    }
    return effects;
  }
}

/** Whether a box separates its text from the text around it. Text with a reading above it is in its line. */
export function breaks(display: string): boolean {
  return display !== 'inline' && display !== 'contents' && !display.startsWith('ruby');
}

/** Whether a style clips an element to nothing, as "visually hidden" classes do. */
export function clippedAway(style: CSSStyleDeclaration, position: string): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- pages still hide with it
  const clip = position === 'absolute' || position === 'fixed' ? style.clip : 'auto';
  if (clip !== 'auto' && clip !== '') {
    const [top = 0, right = 0, bottom = 0, left = 0] = (clip.match(/-?[\d.]+/g) ?? []).map(Number);
    if (!clip.includes('auto') && (right - left <= 1 || bottom - top <= 1)) return true;
  }
  const path = style.clipPath;
  if (path === 'none' || path === '') return false;
  return /^inset\((50|100)%\)$|^circle\(0(px|%)?\b|^polygon\(0(px|%)? 0(px|%)?(, 0(px|%)? 0(px|%)?)+\)$/.test(
    path,
  );
}
