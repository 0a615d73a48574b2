/** What the style sheets of a tree may do to the text in it. */
export interface Effects {
  /** Add text before or after something, or as the mark of a list item. */
  generates: boolean;
  /** Change letters: `text-transform`. */
  transforms: boolean;
  /** Put an image in place of an element's content. */
  replaces: boolean;
  /** The selectors that count something; undefined when a sheet cannot be read: then everything may. */
  counting: string[] | undefined;
}

/** What style sheets do, each read once: a page has thousands of rules, and is looked at often. */
export class Sheets {
  readonly #read = new WeakMap<CSSStyleSheet, { rules: number; effects: Effects }>();

  /** Reads the style sheets of a tree. */
  effectsOf(root: Document | ShadowRoot): Effects {
    const out = nothing();
    for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets])
      if (!sheet.disabled) add(out, this.#of(sheet));
    return out;
  }

  #of(sheet: CSSStyleSheet): Effects {
    let rules: CSSRuleList;
    try {
      rules = sheet.cssRules;
    } catch {
      // A sheet of another origin cannot be read.
      return { generates: true, transforms: true, replaces: false, counting: undefined };
    }
    const known = this.#read.get(sheet);
    if (known?.rules === rules.length) return known.effects;
    const effects = nothing();
    this.#rules(rules, effects);
    // What it imports may change without it.
    const imports = rules[0] instanceof CSSImportRule;
    if (!imports) this.#read.set(sheet, { rules: rules.length, effects });
    return effects;
  }

  #rules(rules: CSSRuleList, out: Effects, outer = ''): void {
    for (const rule of rules) {
      const own = rule instanceof CSSStyleRule ? rule.selectorText : outer;
      // A rule in a rule may have no selector of its own, only a condition.
      if (own !== '' && 'style' in rule) readRule(own, rule.style as CSSStyleDeclaration, out);
      else if (rule instanceof CSSImportRule) {
        if (rule.styleSheet) add(out, this.#of(rule.styleSheet));
        continue;
      }
      if ('cssRules' in rule) {
        const inner = rule.cssRules as CSSRuleList;
        if (inner.length > 0) this.#rules(inner, out, own);
      }
    }
  }
}

function nothing(): Effects {
  return { generates: false, transforms: false, replaces: false, counting: [] };
}

function add(out: Effects, more: Effects): void {
  out.generates ||= more.generates;
  out.transforms ||= more.transforms;
  out.replaces ||= more.replaces;
  if (more.counting === undefined) out.counting = undefined;
  else out.counting?.push(...more.counting);
}

function readRule(selector: string, style: CSSStyleDeclaration, out: Effects): void {
  const content = style.content;
  if (content !== '') {
    if (/::?(before|after)|::marker/i.test(selector)) out.generates = true;
    else if (/url\(|image-set\(/.test(content)) out.replaces = true;
  }
  if (style.textTransform !== '') out.transforms = true;
  if (style.counterReset || style.counterIncrement || style.counterSet || content.includes('count'))
    out.counting?.push(selector);
}

/** A text with `text-transform`. Forms of kana and widths of letters stay what they were. */
export function transformed(text: string, how: string, el?: Element): string {
  if (how === 'none') return text;
  if (how.includes('uppercase')) return text.toLocaleUpperCase(lettersOf(el));
  if (how.includes('lowercase')) return text.toLocaleLowerCase(lettersOf(el));
  if (how.includes('capitalize'))
    return text.replace(
      /(^|[^\p{L}\p{N}\p{M}'’])(\p{L})/gu,
      (_, before: string, letter: string) => {
        return before + letter.toUpperCase();
      },
    );
  return text;
}

/** The language of an element, where its letters have a case of their own: Turkish, Greek. */
function lettersOf(el: Element | undefined): string {
  const lang = el?.closest('[lang]')?.getAttribute('lang') ?? '';
  return /^(az|el|lt|tr)\b/i.exec(lang)?.[0] ?? 'en';
}

/** Gives the text of a counter: all its levels with a separator, or the innermost without one. */
export type Count = (name: string, separator: string | undefined, style: string) => string;

const parts =
  /"(?:[^"\\]|\\.)*"|\/|([a-z-]+)\(((?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^()"])*)\)|[^\s"/()]+/gi;

/** Reads the value of `content`: strings, attr(), counters and quotes, and the alternative text after a slash. */
export function generatedText(content: string, el?: Element, count?: Count): string {
  let text = '';
  for (const [part, call, inner] of content.matchAll(parts)) {
    // What stands after the slash stands for all before it.
    if (part === '/') text = '';
    else if (part.startsWith('"')) text += unquoted(part);
    else if (call === 'attr') text += attribute(inner ?? '', el);
    else if (call === 'counter' || call === 'counters') text += counted(call, inner ?? '', count);
    else if (part === 'open-quote' || part === 'close-quote') text += quoteOf(part, el);
  }
  return text;
}

/** Whether a value of `content` has an alternative text, after a slash. */
export function hasAlternative(content: string): boolean {
  return content.includes('/') && [...content.matchAll(parts)].some(([part]) => part === '/');
}

function attribute(inner: string, el: Element | undefined): string {
  const [, name = '', fallback] = /^\s*([^\s,]+)[^,]*(?:,(.*))?$/s.exec(inner) ?? [];
  return el?.getAttribute(name) ?? (fallback === undefined ? '' : generatedText(fallback));
}

function counted(call: string, inner: string, count: Count | undefined): string {
  if (!count) return '';
  const [name = '', ...rest] = inner.match(/"(?:[^"\\]|\\.)*"|[^\s,]+/g) ?? [];
  const separator = call === 'counters' ? unquoted(rest.shift() ?? '""') : undefined;
  return count(name, separator, rest[0] ?? 'decimal');
}

function quoteOf(which: string, el: Element | undefined): string {
  if (!el) return '';
  const { quotes } = getComputedStyle(el);
  if (quotes === 'none') return '';
  const pairs = quotes.match(/"(?:[^"\\]|\\.)*"/g)?.map(unquoted);
  const marks = pairs && pairs.length > 1 ? pairs : ['“', '”', '‘', '’'];
  let depth = 0;
  for (let at = el.parentElement?.closest('q'); at; at = at.parentElement?.closest('q')) depth += 1;
  const level = Math.min(depth, Math.floor(marks.length / 2) - 1);
  return marks[level * 2 + (which === 'close-quote' ? 1 : 0)] ?? '';
}

function unquoted(part: string): string {
  return part
    .slice(1, -1)
    .replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, code: string | undefined, char: string) =>
      code === undefined ? char : String.fromCodePoint(parseInt(code, 16)),
    );
}
