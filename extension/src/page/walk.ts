import { asBoard } from './cells.js';
import { type Area, isEmpty, meet, overflowing, type Rects, touches } from './geometry.js';
import {
  closed,
  count,
  editable,
  hostless,
  hushedMark,
  isDrawing,
  isLabelled,
  isPageRoot,
  isSaidByControl,
  leastDrawn,
  markup,
  mayOperate,
  ownWord,
  plays,
  showsPicker,
  skipped,
  structured,
} from './kinds.js';
import { mapOf } from './imagemaps.js';
import { isLong, nearItems, textItems } from './prose.js';
import { isWidget, namedByContent } from './role.js';
import { isOperable, levelOf, statesOf, targetOf } from './state.js';
import { shape, structural, unnamed } from './structure.js';
import { breaks, clippedAway } from './styles.js';
import type { Item } from './types.js';
import { isEditingHost, shownValue } from './value.js';
import { around, nowhere, type WalkConfig, type Way } from './way.js';

/** One pass over the page in reading order. It never changes the page. */
export class Walk {
  readonly #at: WalkConfig;
  readonly #rects: Rects;
  readonly #front: Item[] = [];
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
    this.#flush(out);
    return [...this.#front, ...out];
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
    const role = names.role(el);
    if (apart) this.#flush(out);
    if (this.#isTop(el)) {
      const before = this.#front.length;
      const own: Item[] = [];
      this.#enter(el, role, style, visible, next, own);
      this.#flush(own);
      this.#front.splice(before, 0, ...own);
      return;
    }
    this.#enter(el, role, style, visible, next, out);
    if (apart) this.#flush(out);
  }

  // Whether an element and all that overflows it is outside the wanted area. Of an inline
  // element, the boxes in it are checked.
  #far(el: Element, region: Area): boolean {
    const rect = el.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1 || touches(rect, region)) {
      this.#rects.know(el, rect);
      return false;
    }
    if (el === document.body || el === document.documentElement) return false;
    if (this.#at.escaped.has(el)) return false;
    const inner = el.firstElementChild;
    if (inner === null && hostless.test(el.localName)) return true;
    const others = this.#at.tree.others(el);
    if (inner === null && others === undefined) return true;
    const { scrollWidth, scrollHeight } = el;
    if (scrollWidth > 0 || scrollHeight > 0)
      return !touches(overflowing(rect, scrollWidth, scrollHeight), region);
    if (others !== undefined) return false;
    for (let child = inner; child; child = child.nextElementSibling)
      if (!this.#far(child, region) && !this.#boxless(child)) return false;
    return true;
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
    this.#container(el, role, scroll, visible, inside, out);
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
    const inner = { ...way, drawn: true, mute: way.mute || role === 'img' };
    this.#children(el, true, inner, item.children);
    this.#flush(item.children);
    const speaks = item.name !== '' || item.children.some((child) => child.drawn === true);
    if (canvas || speaks) out.push(item);
    else out.push(...item.children);
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
    const mute = way.mute || role === 'heading' || role === 'img';
    this.#children(el, visible, mute === way.mute ? way : { ...way, mute }, item.children);
    this.#flush(item.children);
    out.push(...shape(item));
  }

  #item(el: Element, role: string, disabled: boolean, offered = false): Item {
    const item: Item = {
      el,
      role,
      // An element that is only on the path to the target needs no name.
      name:
        this.#at.passed?.has(el) || (unnamed.has(role) && !offered && !isLabelled(el))
          ? ''
          : this.#at.names.of(el),
      states: statesOf(el, role, { disabled, focused: this.#focused, fieldsets: this.#fieldsets }),
      offered,
      num: 0,
      inView: true,
      children: [],
    };
    const value = shownValue(el, role);
    if (value !== undefined) item.value = value;
    const level = levelOf(el, role);
    if (level !== undefined) item.level = level;
    const href = role === 'link' ? targetOf(el) : undefined;
    if (href !== undefined) item.href = href;
    return item;
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
    const next = { ...way, pointer: true };
    for (const child of item.el.children)
      if (child.localName !== 'button') this.#visit(child, next, item.children);
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
    if (closed.has(el.localName)) return;
    if (isEditingHost(el) && item.value !== undefined) {
      if (el.getAttribute('role') !== null || !el.querySelector(structured)) return;
      // An editor without a role that has more than lines of text is shown with its content.
      delete item.value;
    }
    const named = namedByContent.has(role) && widget;
    const next = { ...way, pointer: true, mute: way.mute || named, drawn: way.drawn || drawing };
    if (way.scroll !== undefined) item.states.push(way.scroll);
    this.#children(el, visible, next, item.children);
    this.#flush(item.children);
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

  #children(el: Element, visible: boolean, way: Way, out: Item[]): void {
    if (el.localName === 'img') this.#areas(el as HTMLImageElement, way, out);
    if (closed.has(el.localName)) return;
    const style = this.#at.styles.of(el);
    if (style.contentVisibility === 'hidden') return;
    const shut = el.localName === 'details' && !(el as HTMLDetailsElement).open;
    const cut = way.clip !== null && isEmpty(way.clip);
    const quiet = !visible || cut || way.mute || isSaidByControl(el, this.#at.names);
    const inner = quiet && visible && !way.mute ? { ...way, mute: true } : way;
    const take = (child: Node): void => {
      if (child.nodeType === 1) {
        if (!shut || (child as Element).localName === 'summary')
          this.#visit(child as Element, inner, out);
      } else if (child.nodeType === 3 && !quiet && !shut) {
        if (isLong(child as Text)) {
          this.#flush(out);
          out.push(...nearItems(el, child as Text, inner.region, inner.view));
          return;
        }
        this.#text += (child as Text).data;
        this.#textOf ??= el;
      }
    };
    const others = this.#at.only?.get(el) ?? this.#at.tree.others(el);
    if (others) for (const child of others) take(child);
    else for (let child = el.firstChild; child; child = child.nextSibling) take(child);
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
    if (el) out.push(...textItems(el, text));
  }
}
