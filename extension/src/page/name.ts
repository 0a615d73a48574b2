import type { FlatTree } from './flat.js';
import { Labels } from './labels.js';
import { mayFocus, namedByContent, roleOf } from './role.js';
import type { Styles } from './styles.js';
import { embeddedValue, isEditingHost } from './value.js';

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
  /** What the reference leads to: its own content counts, whatever its role. */
  referredTo?: Element;
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

  /** Takes an element for what its author calls it, where the walk knows better than its place. */
  assume(el: Element, role: string): void {
    this.#roles.set(el, role);
    this.#cache.delete(el);
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
    const attributes = el.hasAttributes();
    if (attributes && !pass.referred) {
      const referred = this.#referred(el, pass);
      if (referred !== '') return referred;
    }
    const role = this.role(el);
    if (pass.within) {
      const value = embeddedValue(el, role);
      if (value !== undefined) return value;
    }
    const label = attributes ? el.getAttribute('aria-label') : null;
    if (label !== null && collapse(label) !== '' && el.localName !== 'slot') return label;
    if (role !== 'none') {
      const native = this.#native(el, pass);
      if (native !== '') return native;
    }
    let content = '';
    if (this.#spoken(el, role, pass)) {
      content = this.#content(el, pass);
      if (collapse(content) !== '') return content;
    } else if (headed.has(role) && !pass.within) {
      const heading = this.#heading(el);
      if (heading) return this.#compute(heading, { ...pass, within: true });
    }
    // White space alone is no name, and yet it keeps two words apart.
    return (
      (attributes || el.localName === 'summary' ? this.#tooltip(el, role, pass) : '') || content
    );
  }

  /** Whether what is inside an element is its name, or a part of the one that is asked for. */
  #spoken(el: Element, role: string, pass: Pass): boolean {
    if (pass.within || pass.referred) return pass.referredTo === el || !apart.has(role);
    return namedByContent.has(role) || (role === 'row' && namedRow(el));
  }

  /** The heading that names a dialog or an article: the highest in the tree, then the first. */
  #heading(el: Element): Element | undefined {
    let level: Element[] = [el];
    for (let depth = 0; depth < headingDepth && level.length > 0; depth++) {
      const next: Element[] = [];
      for (const at of level)
        for (const child of this.#tree.children(at)) {
          if (!(child instanceof Element) || silent.has(child.localName)) continue;
          if (this.role(child) === 'heading' && this.#shown(child)) return child;
          next.push(child);
        }
      level = next;
    }
    return undefined;
  }

  #referred(el: Element, pass: Pass): string {
    const ids = el.getAttribute('aria-labelledby') ?? el.getAttribute('aria-labeledby');
    if (ids === null) return '';
    const parts: string[] = [];
    for (const target of this.#targets(el, ids)) {
      // An element may refer to itself; what was said already is not said again.
      if (target === el) pass.seen.delete(el);
      const part = this.#compute(target, {
        seen: pass.seen,
        hidden: !this.#shown(target) || this.#silenced(target),
        within: target !== el,
        referred: true,
        referredTo: target,
      });
      parts.push(collapse(part));
    }
    return collapse(parts.join(' '));
  }

  #targets(el: Element, ids: string): readonly Element[] {
    // Set by a script, the attribute is empty and the elements are known to the browser alone.
    if (ids === '') return el.ariaLabelledByElements ?? [];
    const root = el.getRootNode() as Document | ShadowRoot;
    const out: Element[] = [];
    for (const id of ids.trim().split(/[\t\n\f\r ]+/)) {
      const target = id === '' ? null : root.getElementById(id);
      if (target && !out.includes(target)) out.push(target);
    }
    return out;
  }

  // Whether a person who listens hears nothing of it.
  #silenced(el: Element): boolean {
    return el.closest('[aria-hidden=true]') !== null;
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
        if (el instanceof SVGElement) return this.#svgTitle(el);
        return el.hasAttribute('contenteditable') && isEditingHost(el) ? this.#near(el, pass) : '';
    }
  }

  // HTML lets no label stand for an editor; authors write them all the same.
  #near(el: Element, pass: Pass): string {
    const root = el.getRootNode() as Document | ShadowRoot;
    const label =
      (el.id === '' ? null : root.querySelector(`label[for="${CSS.escape(el.id)}"]`)) ??
      el.closest('label');
    if (!label || pass.seen.has(label)) return el.getAttribute('data-placeholder') ?? '';
    const hidden = !this.#shown(label);
    return this.#compute(label, {
      ...pass,
      hidden,
      within: true,
      referred: true,
      referredTo: label,
    });
  }

  #svgTitle(el: SVGElement): string {
    return el.querySelector(':scope > title')?.textContent ?? el.getAttribute('xlink:title') ?? '';
  }

  #firstChild(el: Element, tag: string, pass: Pass): string {
    const child = el.querySelector(`:scope > ${tag}`);
    if (!child || !this.#shown(child)) return '';
    return this.#compute(child, { ...pass, within: true, referredTo: child });
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
            hidden: !this.#shown(label) || this.#silenced(label),
            within: true,
            referred: true,
            referredTo: label,
          }),
        ),
      );
    return collapse(parts.join(' '));
  }

  #tooltip(el: Element, role: string, pass: Pass): string {
    if (role === 'none') return '';
    const title = el.getAttribute('title') ?? '';
    if (collapse(title) !== '') return title;
    if (pass.within) return '';
    if (el.localName === 'summary') return 'Details';
    const hint = el.getAttribute('placeholder') ?? el.getAttribute('aria-placeholder');
    return hint !== null && /^(textbox|searchbox|spinbutton|combobox)$/.test(role) ? hint : '';
  }

  #content(el: Element, pass: Pass): string {
    const effects = this.#styles.effects(el);
    const replaced = effects.replaces ? this.#styles.replaced(el) : undefined;
    if (replaced !== undefined) return replaced;
    const first = el.firstChild;
    const own = pass.hidden || this.#visible(el);
    // A reader of an item hears which one it is; the item itself is not called by that.
    let text = pass.referredTo === el ? this.#styles.marker(el) : '';
    if (own) text += this.#styles.generated(el, '::before', effects);
    if (first && !first.nextSibling && first.nodeType === 3 && !this.#tree.rootOf(el)) {
      if (own) text += this.#styles.text(first as Text, el, effects);
    } else {
      for (const child of this.#tree.children(el))
        if (child.nodeType !== 3) text += this.#piece(child, pass);
        else if (own) text += this.#styles.text(child as Text, el, effects);
    }
    text += this.#owned(el, pass);
    return own ? text + this.#styles.generated(el, '::after', effects) : text;
  }

  #piece(child: Node, pass: Pass): string {
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
    for (const id of ids.trim().split(/[\t\n\f\r ]+/)) {
      const owned = id === '' ? null : root.getElementById(id);
      if (!owned || owned.getAttribute('aria-hidden') === 'true') continue;
      if (pass.hidden || this.#shown(owned))
        text += ` ${this.#compute(owned, { ...pass, within: true })}`;
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

const silent = new Set('script style template noscript datalist title desc rt rp'.split(' '));

// A row speaks as one where one can move from row to row.
function namedRow(el: Element): boolean {
  return mayFocus(el) || el.closest('[role=grid],[role=treegrid]') !== null;
}

/** Roles that a heading inside of them names when nothing else does. */
const headed = new Set(['alertdialog', 'article', 'dialog']);
/** How far down such a heading is looked for. */
const headingDepth = 8;

/** What stands for itself in the middle of a text, and says nothing of what is in it. */
const apart = new Set(
  'grid menu menubar radiogroup tablist tabpanel toolbar tree treegrid'.split(' '),
);

function buttonText(input: HTMLInputElement): string {
  const value = input.getAttribute('value');
  if (value !== null) return value;
  return input.type === 'submit' ? 'Submit' : input.type === 'reset' ? 'Reset' : '';
}
