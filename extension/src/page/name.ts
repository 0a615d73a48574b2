import { type FlatTree, nextOf } from './flat.js';
import type { Effects } from './generated.js';
import { Labels } from './labels.js';
import { collapse, isBlank, printedName } from './normal.js';
import { mayFocus, namedByContent, roleOf } from './role.js';
import type { Styles } from './styles.js';
import { embeddedValue, isEditingHost } from './value.js';

interface Pass {
  /** Elements on the path to here: a name never contains itself. */
  seen: Set<Element>;
  /** Inside the target of aria-labelledby: hidden content counts. */
  hidden: boolean;
  /** Inside a label or other content: a control contributes its value. */
  within: boolean;
  /** Already inside a reference: further references are not followed. */
  referred: boolean;
  /** The element that the reference points to: its content counts, whatever its role. */
  referredTo?: Element;
  /** Only visible content counts, without what has faded out. */
  drawn?: true;
}

/** The content of an element that a name is made of, while it is read. */
interface Content {
  el: Element;
  pass: Pass;
  /** The element's own text counts, not only that of what is in it. */
  own: boolean;
  effects: Effects;
  nodes: Iterator<Node>;
  /** What it owns by aria-owns follows its own content. */
  owned: Element[];
  text: string;
  /** Makes the text of all of it what the element contributes. */
  finish: (text: string) => string;
}

/** A text, or the content that it is still to be read from. */
type Said = string | Content;

/** How many references may lead from one to the next: labels, captions, headings, `use`. */
const deepest = 40;

/** Accessible names (accname 1.2, html-aam), each computed once per snapshot. */
export class Names {
  /** The labels of this snapshot. */
  readonly labels = new Labels();
  readonly #tree: FlatTree;
  readonly #styles: Styles;
  readonly #cache = new Map<Element, string>();
  readonly #roles = new Map<Element, string>();
  #depth = 0;

  constructor(tree: FlatTree, styles: Styles) {
    this.#tree = tree;
    this.#styles = styles;
  }

  /** The role, cached for this snapshot. */
  role(el: Element): string {
    let role = this.#roles.get(el);
    if (role === undefined) {
      role = roleOf(el);
      this.#roles.set(el, role);
    }
    return role;
  }

  /** Sets the role of an element to the author's, where the walk knows better than roleOf. */
  assume(el: Element, role: string): void {
    this.#roles.set(el, role);
    this.#cache.delete(el);
  }

  /** The accessible name. */
  of(el: Element): string {
    let name = this.#cache.get(el);
    if (name === undefined) {
      const pass = { seen: new Set<Element>(), hidden: false, within: false, referred: false };
      name = collapse(this.#text(el, pass));
      this.#cache.set(el, name);
    }
    return name;
  }

  /** The accessible name as it is printed. */
  printed(el: Element): string {
    return printedName(this.of(el));
  }

  /**
   * The text inside an element as a name would contain it, whatever its role, as it is printed;
   * without what has faded out.
   */
  content(el: Element): string {
    const seen = new Set([el]);
    const pass: Pass = { seen, hidden: false, within: true, referred: false, drawn: true };
    return printedName(this.#read(this.#content(el, pass)));
  }

  /** What an element says. References recurse up to a limit; nested elements do not. */
  #text(el: Element, pass: Pass): string {
    if (this.#depth === deepest) return '';
    this.#depth += 1;
    const text = this.#read(this.#said(el, pass));
    this.#depth -= 1;
    return text;
  }

  /** Reads content with all that is in it. Elements may be nested thousands of levels deep. */
  #read(said: Said): string {
    if (typeof said === 'string') return said;
    const open = [said];
    for (;;) {
      const top = open.at(-1) as Content;
      const next = this.#next(top);
      if (typeof next === 'string') top.text += next;
      else if (next) open.push(next);
      else {
        open.pop();
        const text = top.finish(top.text);
        const up = open.at(-1);
        if (!up) return text;
        up.text += text;
      }
    }
  }

  /** The next part of some content; undefined at its end. */
  #next({ el, pass, own, effects, nodes, owned }: Content): Said | undefined {
    const child = nextOf(nodes);
    if (child) {
      if (child.nodeType !== 3) return this.#piece(child, pass);
      return own ? this.#styles.text(child as Text, el, effects) : '';
    }
    const other = owned.shift();
    return other && then(this.#said(other, { ...pass, within: true }), (text) => ` ${text}`);
  }

  #said(el: Element, pass: Pass): Said {
    if (pass.seen.has(el)) return '';
    pass.seen.add(el);
    const attributes = el.hasAttributes();
    // In the middle of a text, what does not flow with the text is a word of its own.
    const word = (text: string): string => (pass.within ? ` ${text} ` : text);
    if (attributes && !pass.referred) {
      const referred = this.#referred(el, pass);
      if (!isBlank(referred)) return word(referred);
    }
    const role = this.role(el);
    if (pass.within) {
      const value = embeddedValue(el, role);
      if (value !== undefined) return word(value);
    }
    const label = attributes ? el.getAttribute('aria-label') : null;
    if (label !== null && !isBlank(label) && el.localName !== 'slot') return word(label);
    const native = role === 'none' ? '' : this.#native(el, pass);
    if (!isBlank(native)) return word(native);
    // What is blank is not a name when there is any other, but white space separates two words.
    const or = (content: string): string => {
      const tip = attributes || role === 'summary' ? this.#tooltip(el, role, pass) : '';
      return tip === '' ? content : word(tip);
    };
    if (this.#spoken(el, role, pass)) {
      // No-break spaces at the ends of a name come from the layout of the page.
      const ends = (text: string): string => (pass.within ? text : text.trim());
      const said = then(this.#content(el, pass), (text) =>
        isBlank(text) ? or(ends(native + text)) : ends(text),
      );
      return wordlike.has(role) ? then(said, word) : said;
    }
    if (headed.has(role) && !pass.within) {
      const heading = this.#heading(el);
      if (heading) return this.#text(heading, { ...pass, within: true });
    }
    return or(native);
  }

  /** Whether an element's content is its name, or a part of the requested name. */
  #spoken(el: Element, role: string, pass: Pass): boolean {
    if (pass.within || pass.referred)
      return pass.referredTo === el || !(apart.has(role) || isBranch(el, role));
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
    // What an element refers to may be or contain itself: its text counts there, its value does not.
    if (embeddedValue(el, this.role(el)) === undefined) pass.seen.delete(el);
    for (const target of this.#targets(el, ids)) {
      // Content that was already added is not added again, unless it was asked for.
      if (target === el) pass.seen.delete(el);
      const part = this.#text(target, {
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
    // When a script has set the reference, the attribute is empty and only the browser knows the
    // elements.
    if (ids === '') return el.ariaLabelledByElements ?? [];
    const root = el.getRootNode() as Document | ShadowRoot;
    const out: Element[] = [];
    for (const id of ids.trim().split(/[\t\n\f\r ]+/)) {
      const target = id === '' ? null : root.getElementById(id);
      if (target && !out.includes(target)) out.push(target);
    }
    return out;
  }

  // Whether an element is hidden from screen readers.
  #silenced(el: Element): boolean {
    return el.closest('[aria-hidden=true]') !== null;
  }

  /** The name that HTML and SVG give an element. */
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
      case 'optgroup': {
        // A legend is drawn in place of the attribute.
        const legend = el.querySelector(':scope > legend')?.textContent ?? '';
        return isBlank(legend) ? (el.getAttribute('label') ?? '') : legend;
      }
      case 'fieldset':
        return this.#firstChild(el, 'legend', pass);
      case 'table':
        return this.#firstChild(el, 'caption', pass);
      default:
        if (el instanceof SVGElement) return this.#svgTitle(el);
        return el.hasAttribute('contenteditable') && isEditingHost(el) ? this.#near(el, pass) : '';
    }
  }

  // HTML does not allow a label for an editor, but authors use one anyway.
  #near(el: Element, pass: Pass): string {
    const root = el.getRootNode() as Document | ShadowRoot;
    const label =
      (el.id === '' ? null : root.querySelector(`label[for="${CSS.escape(el.id)}"]`)) ??
      el.closest('label');
    if (!label || pass.seen.has(label)) return el.getAttribute('data-placeholder') ?? '';
    const hidden = !this.#shown(label);
    return this.#text(label, {
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
    return this.#text(child, { ...pass, within: true, referredTo: child });
  }

  #labels(el: Element, pass: Pass): string {
    const labels = this.labels.of(el);
    if (labels.length === 0 || (pass.referred && pass.referredTo !== el)) return '';
    const parts: string[] = [];
    for (const label of labels)
      parts.push(
        collapse(
          this.#text(label, {
            seen: new Set(pass.seen),
            hidden: !this.#shown(label) || this.#silenced(label),
            within: true,
            referred: true,
            referredTo: label,
          }),
        ),
      );
    const all = collapse(parts.join(' '));
    return isBlank(all) ? '' : all;
  }

  #tooltip(el: Element, role: string, pass: Pass): string {
    if (role === 'none') return '';
    const title = el.getAttribute('title') ?? '';
    if (!isBlank(title)) return title;
    if (pass.within) return '';
    if (role === 'summary') return 'Details';
    const hint = el.getAttribute('placeholder') ?? el.getAttribute('aria-placeholder');
    return hint !== null && /^(textbox|searchbox|spinbutton|combobox)$/.test(role) ? hint : '';
  }

  #content(el: Element, pass: Pass): Said {
    const effects = this.#styles.effects(el);
    const replaced = effects.replaces ? this.#styles.replaced(el) : undefined;
    if (replaced !== undefined) return replaced;
    if (contentless.has(el.localName)) return '';
    if (el.localName === 'use') return this.#used(el, pass);
    const first = el.firstChild;
    const own = pass.hidden || this.#visible(el);
    // A reference to a list item includes its marker; the item's own name does not.
    let text = pass.referredTo === el ? this.#styles.marker(el) : '';
    if (own) text += this.#styles.generated(el, '::before', effects);
    const finish = (all: string): string =>
      own ? all + this.#styles.generated(el, '::after', effects) : all;
    const owned = this.#owned(el, pass);
    if (first?.nodeType === 3 && !first.nextSibling && owned.length === 0 && !this.#tree.rootOf(el))
      return finish(own ? text + this.#styles.text(first as Text, el, effects) : text);
    const folded = el.localName === 'details' && !(el as HTMLDetailsElement).open && !pass.hidden;
    const children = folded
      ? [...el.children].filter(({ localName }) => localName === 'summary')
      : this.#tree.children(el);
    return { el, pass, own, effects, nodes: children[Symbol.iterator](), owned, text, finish };
  }

  /** What a `use` element draws: a symbol of a sprite names the icon. */
  #used(el: Element, pass: Pass): string {
    const href = el.getAttribute('href') ?? el.getAttribute('xlink:href') ?? '';
    const root = el.getRootNode() as Document | ShadowRoot;
    const target = href.startsWith('#') ? root.getElementById(href.slice(1)) : null;
    // The same symbol may be drawn several times.
    return target ? this.#text(target, { ...pass, seen: new Set(pass.seen), within: true }) : '';
  }

  #piece(child: Node, pass: Pass): Said {
    if (!(child instanceof Element)) return '';
    if (silent.has(child.localName)) return '';
    if (child.localName === 'br') return ' ';
    if (!pass.hidden && (!this.#shown(child, true) || this.#shut(child))) return '';
    if (pass.drawn && this.#styles.of(child).opacity === '0') return '';
    if (child.getAttribute('aria-hidden') === 'true' && !pass.hidden) return '';
    // An invisible child may contain visible descendants.
    const own = this.#visible(child) || pass.hidden;
    const said = own
      ? this.#said(child, pass.within ? pass : { ...pass, within: true })
      : this.#content(child, pass);
    return this.#styles.breaks(child) ? then(said, (text) => ` ${text} `) : said;
  }

  /** What an element owns by aria-owns, as far as it counts. */
  #owned(el: Element, pass: Pass): Element[] {
    const ids = el.getAttribute('aria-owns');
    if (ids === null) return [];
    const root = el.getRootNode() as Document | ShadowRoot;
    return ids
      .trim()
      .split(/[\t\n\f\r ]+/)
      .flatMap((id) => {
        const owned = id === '' ? null : root.getElementById(id);
        if (!owned || owned.getAttribute('aria-hidden') === 'true') return [];
        return pass.hidden || this.#shown(owned) ? [owned] : [];
      });
  }

  /** Whether an element's content is not drawn, or nobody can use it. */
  #shut(el: Element): boolean {
    if (el.hasAttribute('inert')) return true;
    // The content of an inline box is drawn in any case.
    return this.#styles.of(el).contentVisibility === 'hidden' && this.#styles.breaks(el);
  }

  #visible(el: Element): boolean {
    return this.#styles.of(el).visibility === 'visible';
  }

  /** Whether an element counts for names; with `box`, only whether it is rendered at all. */
  #shown(el: Element, box = false): boolean {
    const style = this.#styles.of(el);
    if (style.display === 'none') return false;
    if (box) return true;
    if (style.visibility !== 'visible') return false;
    return el.checkVisibility() || style.display === 'contents';
  }
}

/** Changes what a text becomes, now or when it has been read. */
function then(said: Said, change: (text: string) => string): Said {
  if (typeof said === 'string') return change(said);
  const { finish } = said;
  said.finish = (text) => change(finish(text));
  return said;
}

const silent = new Set(
  'script style template noscript datalist title desc metadata symbol defs clipPath mask rt rp'.split(
    ' ',
  ),
);
/** Elements that draw no content of the page: no children, and no generated text as their name. */
const contentless = new Set(['input', 'img', 'video', 'audio', 'iframe']);

/** Roles whose content does not flow with the text around them: controls, except links. */
const wordlike = new Set(
  'button checkbox radio switch tab option menuitem menuitemcheckbox menuitemradio treeitem'.split(
    ' ',
  ),
);

/** Whether an element is the branch of a tree item: its items have names of their own. */
function isBranch(el: Element, role: string): boolean {
  return role === 'group' && el.parentElement?.closest('[role=treeitem]') != null;
}

// A row has a name where the user can move from row to row.
function namedRow(el: Element): boolean {
  return mayFocus(el) || el.closest('[role=grid],[role=treegrid]') !== null;
}

/** Roles that take their name from a heading inside when nothing else names them. */
const headed = new Set(['alertdialog', 'article', 'dialog']);
/** How deep that heading may be. */
const headingDepth = 8;

/** Composite widgets: in the middle of a text, their content is left out. */
const apart = new Set(
  'grid menu menubar radiogroup tablist tabpanel toolbar tree treegrid'.split(' '),
);

function buttonText(input: HTMLInputElement): string {
  const value = input.getAttribute('value');
  if (value !== null) return value;
  return input.type === 'submit' ? 'Submit' : input.type === 'reset' ? 'Reset' : '';
}
