import type { FlatTree } from './flat.js';
import { Labels } from './labels.js';
import { mayFocus, namedByContent, roleOf } from './role.js';
import type { Styles } from './styles.js';
import { chosen, shownValue } from './value.js';

/** White space as the standards mean it; a no-break space is a letter. */
export function collapse(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}

interface Pass {
  /** Nodes on the way here: a name never contains itself. */
  seen: Set<Element>;
  /** Inside something that aria-labelledby named: hidden things count. */
  hidden: boolean;
  /** Inside a label or a content: a control stands for its value. */
  within: boolean;
  /** Already following a reference: references are not followed again. */
  referred: boolean;
  /** Only what can be seen counts: what has faded away says nothing. */
  drawn?: true;
}

/** Accessible names (accname 1.2, html-aam), each computed once in a look. */
export class Names {
  /** The labels of this look. */
  readonly labels = new Labels();
  readonly #tree: FlatTree;
  readonly #styles: Styles;
  readonly #cache = new Map<Element, string>();
  readonly #roles = new Map<Element, string>();

  constructor(tree: FlatTree, styles: Styles) {
    this.#tree = tree;
    this.#styles = styles;
  }

  /** The role, remembered for this look. */
  role(el: Element): string {
    let role = this.#roles.get(el);
    if (role === undefined) {
      role = roleOf(el);
      this.#roles.set(el, role);
    }
    return role;
  }

  /** The accessible name. */
  of(el: Element): string {
    let name = this.#cache.get(el);
    if (name === undefined) {
      const pass = { seen: new Set<Element>(), hidden: false, within: false, referred: false };
      name = collapse(this.#compute(el, pass));
      this.#cache.set(el, name);
    }
    return name;
  }

  /** The text inside an element as a name would have it, whatever its role; what has faded away is no part of it. */
  content(el: Element): string {
    const seen = new Set([el]);
    const pass: Pass = { seen, hidden: false, within: true, referred: false, drawn: true };
    return collapse(this.#content(el, pass));
  }

  #compute(el: Element, pass: Pass): string {
    if (pass.seen.has(el)) return '';
    pass.seen.add(el);
    if (!pass.referred) {
      const referred = this.#referred(el);
      if (referred !== '') return referred;
    }
    const role = this.role(el);
    if (pass.within) {
      const value = this.#embedded(el, role);
      if (value !== undefined) return value;
    }
    const label = el.getAttribute('aria-label');
    if (label !== null && collapse(label) !== '' && (pass.within || mayBeNamed(role))) return label;
    if (role !== 'none') {
      const native = this.#native(el, pass);
      if (native !== '') return native;
    }
    if (
      namedByContent.has(role) ||
      (role === 'row' && namedRow(el)) ||
      pass.within ||
      pass.referred
    ) {
      const content = this.#content(el, pass);
      if (collapse(content) !== '') return content;
    }
    return this.#tooltip(el, role, pass);
  }

  #referred(el: Element): string {
    const ids = el.getAttribute('aria-labelledby');
    if (ids === null) return '';
    const root = el.getRootNode() as Document | ShadowRoot;
    const parts: string[] = [];
    for (const id of ids.trim().split(/\s+/)) {
      const target = id === '' ? null : root.getElementById(id);
      if (!target) continue;
      const hidden = !this.#shown(target);
      const part = this.#compute(target, {
        seen: new Set<Element>(),
        hidden,
        within: target !== el,
        referred: true,
      });
      parts.push(collapse(part));
    }
    return collapse(parts.join(' '));
  }

  /** What a control says when it stands in the middle of a text. */
  #embedded(el: Element, role: string): string | undefined {
    switch (role) {
      case 'textbox':
      case 'searchbox':
        return shownValue(el, role) ?? '';
      case 'combobox':
      case 'listbox':
        return chosen(el) ?? '';
      case 'slider':
      case 'spinbutton':
      case 'progressbar':
      case 'meter':
      case 'scrollbar':
        return shownValue(el, role) ?? '';
      default:
        return undefined;
    }
  }

  /** What HTML and SVG name an element by. */
  #native(el: Element, pass: Pass): string {
    switch (el.localName) {
      case 'input': {
        const input = el as HTMLInputElement;
        switch (input.type) {
          case 'hidden':
            return '';
          case 'submit':
          case 'reset':
          case 'button':
            return this.#labels(el, pass) || buttonText(input);
          case 'image':
            return (
              this.#labels(el, pass) ||
              input.alt ||
              input.getAttribute('value') ||
              input.title ||
              'Submit'
            );
          default:
            return this.#labels(el, pass);
        }
      }
      case 'button':
      case 'meter':
      case 'output':
      case 'progress':
      case 'select':
      case 'textarea':
        return this.#labels(el, pass);
      case 'img':
      case 'area':
        return el.getAttribute('alt') ?? '';
      case 'option':
        return (el.getAttribute('label') ?? '') || el.textContent;
      case 'optgroup':
        return el.getAttribute('label') ?? '';
      case 'fieldset':
        return this.#firstChild(el, 'legend', pass);
      case 'table':
        return this.#firstChild(el, 'caption', pass);
      default:
        return el instanceof SVGElement ? this.#svgTitle(el) : '';
    }
  }

  #svgTitle(el: SVGElement): string {
    return el.querySelector(':scope > title')?.textContent ?? el.getAttribute('xlink:title') ?? '';
  }

  #firstChild(el: Element, tag: string, pass: Pass): string {
    const child = el.querySelector(`:scope > ${tag}`);
    if (!child || !this.#shown(child)) return '';
    return this.#compute(child, { ...pass, within: true });
  }

  #labels(el: Element, pass: Pass): string {
    const labels = this.labels.of(el);
    if (labels.length === 0 || pass.referred) return '';
    const parts: string[] = [];
    for (const label of labels)
      parts.push(
        collapse(
          this.#compute(label, {
            seen: new Set(pass.seen),
            hidden: !this.#shown(label),
            within: true,
            referred: true,
          }),
        ),
      );
    return collapse(parts.join(' '));
  }

  #tooltip(el: Element, role: string, pass: Pass): string {
    if (role === 'none' || (pass.within && role === 'generic')) {
      return pass.within ? (el.getAttribute('title') ?? '') : '';
    }
    const title = mayBeNamed(role) ? (el.getAttribute('title') ?? '') : '';
    if (collapse(title) !== '') return title;
    if (el.localName === 'summary' && !pass.within) return 'Details';
    if (pass.within) return '';
    const hint = el.getAttribute('placeholder') ?? el.getAttribute('aria-placeholder');
    return hint !== null && /^(textbox|searchbox|spinbutton|combobox)$/.test(role) ? hint : '';
  }

  #content(el: Element, pass: Pass): string {
    const first = el.firstChild;
    const own = pass.hidden || this.#visible(el);
    let text = own ? this.#styles.generated(el, '::before') : '';
    if (first && !first.nextSibling && first.nodeType === 3 && !this.#tree.rootOf(el)) {
      if (own) text += (first as Text).data;
    } else {
      for (const child of this.#tree.children(el))
        if (own || child.nodeType !== 3) text += this.#piece(child, pass);
    }
    text += this.#owned(el, pass);
    return own ? text + this.#styles.generated(el, '::after') : text;
  }

  #piece(child: Node, pass: Pass): string {
    if (child.nodeType === 3) return (child as Text).data;
    if (!(child instanceof Element)) return '';
    if (silent.has(child.localName)) return '';
    if (child.localName === 'br') return ' ';
    if (!pass.hidden && !this.#shown(child, true)) return '';
    if (pass.drawn && this.#styles.of(child).opacity === '0') return '';
    if (child.getAttribute('aria-hidden') === 'true' && !pass.hidden) return '';
    // A child that is itself invisible may hold something visible.
    const own = this.#visible(child) || pass.hidden;
    const text = own
      ? this.#compute(child, { ...pass, within: true, referred: pass.referred })
      : this.#content(child, pass);
    return this.#styles.breaks(child) ? ` ${text} ` : text;
  }

  #owned(el: Element, pass: Pass): string {
    const ids = el.getAttribute('aria-owns');
    if (ids === null) return '';
    const root = el.getRootNode() as Document | ShadowRoot;
    let text = '';
    for (const id of ids.trim().split(/\s+/)) {
      const owned = id === '' ? null : root.getElementById(id);
      if (owned) text += ` ${this.#compute(owned, { ...pass, within: true })}`;
    }
    return text;
  }

  #visible(el: Element): boolean {
    return this.#styles.of(el).visibility === 'visible';
  }

  /** Whether an element counts for names; `box` looks only at whether it is drawn at all. */
  #shown(el: Element, box = false): boolean {
    const style = this.#styles.of(el);
    if (style.display === 'none') return false;
    if (box) return true;
    if (style.visibility !== 'visible') return false;
    return el.checkVisibility() || style.display === 'contents';
  }
}

const silent = new Set(['script', 'style', 'template', 'noscript', 'datalist', 'title', 'desc']);

// A row speaks as one where one can move from row to row.
function namedRow(el: Element): boolean {
  return mayFocus(el) || el.closest('[role=grid],[role=treegrid]') !== null;
}

// ARIA forbids names for roles that only mark up text.
const nameless = new Set(
  (
    'caption code definition deletion emphasis generic insertion mark none paragraph strong ' +
    'subscript suggestion superscript term time-text'
  ).split(' '),
);

function mayBeNamed(role: string): boolean {
  return !nameless.has(role);
}

function buttonText(input: HTMLInputElement): string {
  const value = input.getAttribute('value');
  if (value !== null) return value;
  return input.type === 'submit' ? 'Submit' : input.type === 'reset' ? 'Reset' : '';
}
