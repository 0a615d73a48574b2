/** Computed styles of one look, each read once. */
export class Styles {
  readonly #cache = new Map<Element, CSSStyleDeclaration>();
  readonly #roots = new Map<Node, boolean>();

  /** The live computed style; its values are read while nothing changes the page. */
  of(el: Element): CSSStyleDeclaration {
    let style = this.#cache.get(el);
    if (!style) {
      style = getComputedStyle(el);
      this.#cache.set(el, style);
    }
    return style;
  }

  /** Whether an element, by its own style, starts on a line of its own or is a box of its own. */
  breaks(el: Element): boolean {
    const display = this.of(el).display;
    return display !== 'inline' && display !== 'contents';
  }

  /** The text that a pseudo element adds, or nothing. */
  generated(el: Element, which: '::before' | '::after'): string {
    if (!this.#adds(el)) return '';
    const style = getComputedStyle(el, which);
    const content = style.content;
    if (content === 'none' || content === 'normal' || content === '') return '';
    if (style.display === 'none' || style.visibility !== 'visible') return '';
    const text = generatedText(content, el);
    return style.display === 'inline' || text === '' ? text : ` ${text} `;
  }

  // Asking each element for two more styles costs as much as the rest of the
  // walk; most trees have no rule that adds text.
  #adds(el: Element): boolean {
    const root = el.getRootNode();
    let adds = this.#roots.get(root);
    if (adds === undefined) {
      adds = generates(root as Document | ShadowRoot);
      // A host and its slotted children are also reached from the tree inside.
      this.#roots.set(root, adds);
    }
    if (adds || !el.shadowRoot) return adds;
    return generates(el.shadowRoot);
  }
}

/** Whether a style sheet of this tree may add text before or after something. */
function generates(root: Document | ShadowRoot): boolean {
  const sheets = [...root.styleSheets, ...root.adoptedStyleSheets];
  return sheets.some((sheet) => {
    try {
      return sheet.disabled ? false : adding(sheet.cssRules);
    } catch {
      // A sheet of another origin cannot be read.
      return true;
    }
  });
}

function adding(rules: CSSRuleList): boolean {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule && /:(before|after)/i.test(rule.selectorText)) return true;
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet && adding(rule.styleSheet.cssRules)) return true;
    } else if ('cssRules' in rule && adding(rule.cssRules as CSSRuleList)) return true;
  }
  return false;
}

/** Whether a style clips everything away: the ways of "visually hidden" classes. */
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

/** Reads the value of `content`: strings and attr(), and the alternative text after a slash. */
export function generatedText(content: string, el?: Element): string {
  const parts: string[] = content.match(/"(?:[^"\\]|\\.)*"|attr\([^)]*\)|\/|[^\s"]+/g) ?? [];
  const slash = parts.indexOf('/');
  let text = '';
  for (const part of slash >= 0 ? parts.slice(slash + 1) : parts) {
    if (part.startsWith('"')) text += part.slice(1, -1).replace(/\\(.)/g, '$1');
    else if (part.startsWith('attr(')) text += el?.getAttribute(part.slice(5, -1).trim()) ?? '';
  }
  return text;
}
