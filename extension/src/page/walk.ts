import { asBoard } from './cells.js';
import { embeddedRole, imageName, isEmbedding } from './embedded.js';
import { nextOf } from './flat.js';
import { type Area, isEmpty, meet, overflowing, type Rects, touches } from './geometry.js';
import {
  count,
  editable,
  hostless,
  hushedMark,
  isClosed,
  isDrawing,
  isPageRoot,
  isSaidByControl,
  leastDrawn,
  markup,
  mayOperate,
  ownWord,
  plays,
  saysAll,
  showsPicker,
  skipped,
  structured,
} from './kinds.js';
import { mapOf } from './imagemaps.js';
import { printedName } from './normal.js';
import { isLong, nearItems, textItems } from './prose.js';
import { isWidget, namedByContent } from './role.js';
import { isOperable, levelOf, statesOf, targetOf } from './state.js';
import { isLabelled, limitDepth, shape, structural, unnamed } from './structure.js';
import { breaks, clippedAway } from './styles.js';
import type { Item } from './types.js';
import { isEditingHost, shownValue } from './value.js';
import { around, nowhere, type WalkConfig, type Way } from './way.js';

/** Adds items to others, of which there may be more than a call can have arguments. */
function append(out: Item[], items: readonly Item[]): void {
  for (const item of items) out.push(item);
}

/** An element whose children are being visited, and what follows when they have been. */
interface Open {
  el: Element;
  /** The next child, or an iterator over the children where they are not the element's own. */
  next: Node | null;
  others: Iterator<Node> | undefined;
  way: Way;
  out: Item[];
  /** Its own text is not shown. */
  quiet: boolean;
  /** Only its summary is shown. */
  shut: boolean;
  done: (() => void) | undefined;
}

/**
 * One pass over the page in reading order. It never changes the page. It does not recurse, because
 * elements may be nested thousands of levels deep.
 */
export class Walk {
  readonly #at: WalkConfig;
  readonly #rects: Rects;
  readonly #front: Item[] = [];
  readonly #open: Open[] = [];
  readonly #taken = new Set<Element>();
  readonly #focused: Element | null;
  /** Where the page begins, in viewport coordinates. */
  readonly #first: { x: number; y: number };
  /** Whether a control may be in a fieldset, which can disable it. */
  #fieldsets = true;
  #text = '';
  #textOf: Element | null = null;

  constructor(config: WalkConfig) {
    this.#at = config;
    this.#rects = config.rects;
    this.#focused = config.tree.focused();
    const rtl = getComputedStyle(document.documentElement).direction === 'rtl';
    this.#first = { x: rtl ? -Infinity : -scrollX, y: -scrollY };
  }

  /** Walks a part of the page. Content of the top layer comes first. */
  run(root: Element): Item[] {
    const out: Item[] = [];
    this.#fieldsets = root.closest('fieldset') !== null;
    this.#visit(
      root,
      {
        ...nowhere,
        clip: null,
        abs: null,
        region: this.#at.region,
        view: this.#at.view,
        scroll: undefined,
      },
      out,
    );
    for (let top = this.#open.at(-1); top; top = this.#open.at(-1)) this.#step(top);
    this.#flush(out);
    const all = this.#front.concat(out);
    limitDepth(all);
    return all;
  }

  /** Visits the next child of an element, or finishes the element. */
  #step(at: Open): void {
    const child = at.others ? nextOf(at.others) : at.next;
    if (!at.others) at.next = child?.nextSibling ?? null;
    if (!child) {
      this.#open.pop();
      at.done?.();
    } else if (child.nodeType === 1) {
      if (!at.shut || (child as Element).localName === 'summary')
        this.#visit(child as Element, at.way, at.out);
    } else if (child.nodeType === 3 && !at.quiet && !at.shut) this.#say(child as Text, at);
  }

  #say(text: Text, { el, way, out }: Open): void {
    if (isLong(text)) {
      this.#flush(out);
      append(out, nearItems(el, text, way.region, way.view));
      return;
    }
    this.#text += text.data;
    this.#textOf ??= el;
  }

  /** Does something after the content of an element that is visited next. */
  #after(el: Element, way: Way, out: Item[], done: () => void): void {
    this.#open.push({
      el,
      next: null,
      others: undefined,
      way,
      out,
      quiet: true,
      shut: false,
      done,
    });
  }

  #visit(el: Element, way: Way, out: Item[]): void {
    const tag = el.localName;
    if (skipped.has(tag)) return;
    const { styles, names, region } = this.#at;
    // Most of a long page is skipped here, before anything else is computed.
    if (region !== null && this.#far(el, region)) return;
    const attributes = el.hasAttributes();
    if (attributes && el.hasAttribute('inert')) return;
    if (tag === 'fieldset') this.#fieldsets = true;
    const style = styles.of(el);
    const display = style.display;
    if (display === 'none') {
      this.#at.turned?.(el);
      return;
    }
    if (tag === 'br') {
      this.#text += ' ';
      return;
    }
    let next = around(this.#at, el, style, way);
    if (!next) {
      this.#at.turned?.(el);
      return;
    }
    if (attributes && !next.hushed && el.getAttribute('aria-hidden') === 'true')
      next = { ...next, hushed: true, mute: true };
    const apart = breaks(display);
    const visible = style.visibility === 'visible' && !next.faint;
    if (!visible) this.#at.turned?.(el);
    const shows = isEmbedding(el) ? embeddedRole(el) : undefined;
    if (shows !== undefined) names.assume(el, shows);
    const role = names.role(el);
    if (apart) this.#flush(out);
    if (this.#isTop(el)) {
      const before = this.#front.length;
      const own: Item[] = [];
      this.#after(el, next, own, () => {
        this.#flush(own);
        const after = this.#front.splice(before);
        append(this.#front, own);
        append(this.#front, after);
      });
      this.#enter(el, role, style, visible, next, own);
      return;
    }
    if (apart)
      this.#after(el, next, out, () => {
        this.#flush(out);
      });
    this.#enter(el, role, style, visible, next, out);
  }

  // Whether an element and all that overflows it is outside the wanted area. Of an inline
  // element, the boxes in it are checked.
  #far(el: Element, region: Area): boolean {
    const asked = [el];
    for (let at = asked.pop(); at; at = asked.pop()) {
      const is = this.#lies(at, region);
      if (is === 'near' && (at === el || !this.#boxless(at))) return false;
      if (is !== 'inside') continue;
      for (let child = at.lastElementChild; child; child = child.previousElementSibling)
        asked.push(child);
    }
    return true;
  }

  /** Whether an element is near or far by its own box, or only the boxes in it tell. */
  #lies(el: Element, region: Area): 'near' | 'far' | 'inside' {
    const rect = el.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1 || touches(rect, region)) {
      this.#rects.know(el, rect);
      return 'near';
    }
    if (el === document.body || el === document.documentElement) return 'near';
    if (this.#at.escaped.has(el)) return 'near';
    const inner = el.firstElementChild;
    if (inner === null && hostless.test(el.localName)) return 'far';
    const others = this.#at.tree.others(el);
    if (inner === null && others === undefined) return 'far';
    const { scrollWidth, scrollHeight } = el;
    if (scrollWidth > 0 || scrollHeight > 0)
      return touches(overflowing(rect, scrollWidth, scrollHeight), region) ? 'near' : 'far';
    return others === undefined ? 'inside' : 'near';
  }

  #boxless(el: Element): boolean {
    if (skipped.has(el.localName) || el.localName === 'br') return true;
    const rect = this.#rects.own(el);
    return rect.width === 0 && rect.height === 0 && this.#at.styles.of(el).display === 'none';
  }

  #isTop(el: Element): boolean {
    if (el.hasAttribute('popover')) return el.matches(':popover-open');
    return el.localName === 'dialog' && el.matches(':modal');
  }

  #enter(
    el: Element,
    given: string,
    style: CSSStyleDeclaration,
    visible: boolean,
    way: Way,
    out: Item[],
  ): void {
    if (el.localName === 'label') this.#label(el as HTMLLabelElement, way, out);
    const pointer = style.cursor === 'pointer' && !way.pointer;
    let role = given;
    let widget = isWidget(el, role) || role === 'frame' || plays(el, role, style);
    let operable = widget;
    if (!widget && mayOperate(el) && (pointer || isOperable(el, this.#at.listens))) {
      operable = pointer || !isPageRoot(el, this.#rects, this.#at.view);
      const own = ownWord(el, role);
      if (own !== undefined) {
        widget = true;
        role = own;
        this.#at.names.assume(el, own);
      }
    }
    if (operable && this.#offer(el, role, widget, style, visible, pointer, way, out)) return;
    if (way.faint && editable.test(el.localName)) return;
    if (visible && !way.hushed && this.#draw(el, role, way, out)) return;
    const inside = style.cursor === 'pointer' ? { ...way, pointer: true } : way;
    if (!visible || way.mute || !structural(el, role)) {
      const scroll = visible && !way.mute ? way.scroll : undefined;
      if (scroll === undefined) {
        this.#children(el, visible, inside, out);
        return;
      }
      this.#container(el, 'scroll', [scroll], visible, inside, out);
      return;
    }
    const scroll = way.scroll === undefined ? [] : [way.scroll];
    this.#container(el, role === 'generic' ? 'group' : role, scroll, visible, inside, out);
  }

  /** Shows a canvas, chart or other drawing with its box, and its named or operable parts. */
  #draw(el: Element, role: string, way: Way, out: Item[]): boolean {
    const { localName } = el;
    if (way.drawn) {
      const part = role === 'graphics-symbol' || (role === 'group' && el instanceof SVGElement);
      if (!part || this.#at.names.of(el) === '') return false;
    } else if (way.mute || (localName !== 'canvas' && localName !== 'svg')) return false;
    const rect = this.#rects.of(el);
    const seen = this.#reachable(el, rect, this.#at.styles.of(el), way);
    const least = way.drawn ? 1 : leastDrawn(localName);
    if (!seen || rect.width < least || rect.height < least) return false;
    this.#flush(out);
    const canvas = localName === 'canvas';
    const word = role === 'generic' ? localName : role;
    const item = this.#item(el, word, way.disabled, true);
    Object.assign(item, { rect, view: way.view, inView: this.#rects.lies(el, rect, way.view) });
    item.drawn = true;
    item.offered = canvas;
    const inner = { ...way, drawn: true, mute: way.mute || saysAll(el, role) };
    this.#children(el, true, inner, item.children, () => {
      this.#flush(item.children);
      const speaks = item.name !== '' || item.children.some((child) => child.drawn === true);
      append(out, canvas || speaks ? [item] : item.children);
    });
    return true;
  }

  #container(
    el: Element,
    role: string,
    states: string[],
    visible: boolean,
    way: Way,
    out: Item[],
  ): void {
    this.#flush(out);
    const item = this.#item(el, role, way.disabled);
    item.states.push(...states);
    if (states.length > 0) item.offered = true;
    const mute = way.mute || role === 'heading' || saysAll(el, role);
    this.#children(el, visible, mute === way.mute ? way : { ...way, mute }, item.children, () => {
      this.#flush(item.children);
      append(out, shape(item));
    });
  }

  #item(el: Element, role: string, disabled: boolean, offered = false): Item {
    const item: Item = {
      el,
      role,
      // An element that is only on the path to the target needs no name.
      name: this.#at.passed?.has(el) ? '' : this.#nameOf(el, role, offered),
      states: statesOf(el, role, { disabled, focused: this.#focused, fieldsets: this.#fieldsets }),
      offered,
      num: 0,
      inView: true,
      children: [],
    };
    if (item.name === '' && role === 'img' && isEmbedding(el)) item.name = imageName(el);
    const value = shownValue(el, role);
    if (value !== undefined) item.value = value;
    const level = levelOf(el, role);
    if (level !== undefined) item.level = level;
    const href = role === 'link' ? targetOf(el) : undefined;
    if (href !== undefined) item.href = href;
    return item;
  }

  /** The name of an item. Of some roles only the label of an author is a name. */
  #nameOf(el: Element, role: string, offered: boolean): string {
    if (!unnamed.has(role) || offered) return this.#at.names.printed(el);
    if (!isLabelled(el)) return '';
    // The name of a cell is its content, and a title only describes it.
    const title = namedByContent.has(role) ? el.getAttribute('title') : null;
    const said = el.hasAttribute('aria-label') || el.hasAttribute('aria-labelledby');
    return said || title === null ? this.#at.names.printed(el) : printedName(title);
  }

  /** Adds an item that can be acted on; returns false when no user could reach it. */
  #offer(
    el: Element,
    role: string,
    widget: boolean,
    style: CSSStyleDeclaration,
    visible: boolean,
    pointer: boolean,
    way: Way,
    out: Item[],
  ): boolean {
    if (this.#taken.has(el)) return true;
    const native = editable.test(el.localName);
    if (native && (el as HTMLInputElement).type === 'hidden') return true;
    const touchable = style.pointerEvents !== 'none';
    const rect = this.#rects.of(el);
    const seen = this.#reachable(el, rect, style, way);
    if (!seen) this.#at.turned?.(el);
    // An invisible native control over a drawn one is what a pointer hits.
    const over = native && way.faint && touchable && style.visibility === 'visible';
    const big = (): boolean =>
      rect.width >= 4 && rect.height >= 4 && !clippedAway(style, style.position);
    if (native && !(seen && (visible || (over && big())))) {
      const label = this.#at.names.labels.drawn(el as HTMLInputElement);
      if (!label) return true;
      this.#push(el, role, this.#rects.of(label), label, way, out);
      return true;
    }
    if (!seen || (!visible && !over) || (!touchable && !widget)) return false;
    // An element that is hidden from screen readers and does not look like a control is decoration.
    if (way.hushed && (!widget || !visible || role === 'frame')) return false;
    const item = this.#push(el, role, rect, undefined, way, out);
    if (!touchable) item.states.push('not clickable');
    if (native && role !== 'listbox') {
      if (el instanceof HTMLSelectElement && showsPicker(el, style)) this.#options(item, way);
      return true;
    }
    this.#inside(item, widget, pointer, visible, way, out);
    return true;
  }

  /** The options of a select whose open picker is part of the page. */
  #options(item: Item, way: Way): void {
    const options = [...item.el.children].filter(({ localName }) => localName !== 'button');
    this.#open.push({
      el: item.el,
      next: null,
      others: options.values(),
      way: { ...way, pointer: true },
      out: item.children,
      quiet: true,
      shut: false,
      done: undefined,
    });
  }

  #inside(
    item: Item,
    widget: boolean,
    pointer: boolean,
    visible: boolean,
    way: Way,
    out: Item[],
  ): void {
    const { el, role } = item;
    const drawing = isDrawing(el, item.rect);
    if (drawing) item.drawn = true;
    if (el.localName === 'canvas' && markup.has(role)) item.role = 'canvas';
    if (isClosed(el)) return;
    if (isEditingHost(el) && item.value !== undefined) {
      if (el.getAttribute('role') !== null || !el.querySelector(structured)) return;
      // An editor without a role that has more than lines of text is shown with its content.
      delete item.value;
    }
    const named = namedByContent.has(role) && widget;
    const next = { ...way, pointer: true, mute: way.mute || named, drawn: way.drawn || drawing };
    if (way.scroll !== undefined) item.states.push(way.scroll);
    this.#children(el, visible, next, item.children, () => {
      this.#flush(item.children);
      this.#filled(item, widget, pointer, out);
    });
  }

  /** Gives an item that can be acted on its final form, when its content has been visited. */
  #filled(item: Item, widget: boolean, pointer: boolean, out: Item[]): void {
    const { el, role } = item;
    if (widget) {
      // The text of a list that is no field is its value.
      const [only] = item.children;
      if (item.value === only?.name && only?.role === 'text' && item.children.length === 1)
        item.children = [];
      return;
    }
    if (asBoard(item, this.#rects, (cell) => this.#at.names.content(cell))) return;
    const texts = item.children.every((child) => child.role === 'text' || child.role === 'img');
    if (texts && item.name === '' && item.children.length <= 3) {
      if (!this.#at.passed?.has(el)) item.name = this.#at.names.content(el);
      item.children = [];
    }
    // A name from the content, as that of a cell, says all of it.
    if (texts && item.children.length > 0 && namedByContent.has(role))
      if (item.name === this.#at.names.content(el)) item.children = [];
    if (role === 'row' && item.name === '' && !this.#at.passed?.has(el))
      item.name = this.#at.names.content(el);
    if (markup.has(role)) item.role = 'click';
    // A wrapper that only listens for bubbling events is not an item of its own.
    const inner = count(item.children);
    const rect = item.rect;
    const view = this.#at.view;
    const huge =
      rect !== undefined &&
      rect.width * rect.height > ((view.right - view.left) * (view.bottom - view.top)) / 2;
    if (!pointer && !el.hasAttribute('tabindex') && inner > 0 && (huge || inner > 8)) {
      out.splice(out.indexOf(item), 1, ...item.children);
    }
  }

  #push(
    el: Element,
    role: string,
    rect: DOMRect,
    hit: Element | undefined,
    way: Way,
    out: Item[],
  ): Item {
    this.#flush(out);
    this.#taken.add(el);
    const item = this.#item(el, role, way.disabled, true);
    item.rect = rect;
    item.view = way.view;
    item.inView = this.#rects.lies(el, rect, way.view);
    if (way.hushed) item.states.push(hushedMark);
    if (way.drawn) item.drawn = true;
    if (hit) item.hit = hit;
    out.push(item);
    return item;
  }

  #reachable(el: Element, rect: DOMRect, style: CSSStyleDeclaration, way: Way): boolean {
    if (rect.width < 1 || rect.height < 1) return false;
    if (way.clip && isEmpty(meet(rect, way.clip))) return false;
    if (way.region && !this.#rects.lies(el, rect, way.region)) return false;
    if (style.position === 'fixed') return touches(rect, this.#at.view);
    // Nobody can scroll to content left of or above the page's origin.
    return rect.bottom > this.#first.y && rect.right > this.#first.x;
  }

  #label(label: HTMLLabelElement, way: Way, out: Item[]): void {
    const control = label.control;
    if (!control || this.#taken.has(control) || way.faint || way.mute) return;
    if (!editable.test(control.localName) || control.checkVisibility()) return;
    if ((control as HTMLInputElement).type === 'hidden' || control.inert) return;
    const stand = this.#at.names.labels.drawn(control as HTMLInputElement);
    if (stand)
      this.#push(control, this.#at.names.role(control), this.#rects.of(stand), stand, way, out);
  }

  /** Visits the content of an element next, and then calls `done`. */
  #children(el: Element, visible: boolean, way: Way, out: Item[], done?: () => void): void {
    if (el.localName === 'img') this.#areas(el as HTMLImageElement, way, out);
    if (isClosed(el) || this.#at.styles.of(el).contentVisibility === 'hidden') {
      done?.();
      return;
    }
    const shut = el.localName === 'details' && !(el as HTMLDetailsElement).open;
    const cut = way.clip !== null && isEmpty(way.clip);
    const quiet = !visible || cut || way.mute || isSaidByControl(el, this.#at.names);
    const inner = quiet && visible && !way.mute ? { ...way, mute: true } : way;
    const others = this.#at.only?.get(el) ?? this.#at.tree.others(el);
    this.#open.push({
      el,
      next: el.firstChild,
      others: others?.[Symbol.iterator](),
      way: inner,
      out,
      quiet,
      shut,
      done,
    });
  }

  #areas(img: HTMLImageElement, way: Way, out: Item[]): void {
    for (const area of mapOf(img)?.querySelectorAll('area[href]') ?? []) {
      const rect = this.#rects.of(area);
      if (this.#reachable(area, rect, this.#at.styles.of(img), way))
        this.#push(area, 'link', rect, undefined, way, out);
    }
  }

  #flush(out: Item[]): void {
    if (this.#text === '') return;
    const text = this.#text;
    const el = this.#textOf;
    this.#text = '';
    this.#textOf = null;
    if (el) append(out, textItems(el, text));
  }
}
