import type { FlatTree } from './flat.js';
import { ariaGrid, columns, gridOf, headRows, isLayout, type Row } from './grid.js';
import { Names } from './name.js';
import { printedName } from './normal.js';
import type { Refs } from './refs.js';
import { Styles } from './styles.js';
import { plainText } from './text.js';
import { isDisabled } from './state.js';
import { shownValue } from './value.js';

/** A visible link. */
export interface LinkData {
  ref: string;
  text: string;
  url: string;
}

/** A field of a form. Its value is masked when it is secret. */
export interface FieldData {
  ref: string;
  role: string;
  label: string;
  name: string;
  type: string;
  value: string;
  required: boolean;
  disabled: boolean;
  checked?: boolean;
  options?: string[];
}

/** A form, or the fields that are outside of any form. */
export interface FormData {
  name: string;
  action: string;
  method: string;
  fields: FieldData[];
}

/** A table as rows of text. */
export interface TableData {
  caption: string;
  head: string[];
  rows: string[][];
}

/** An image, a video or an audio element. */
export interface MediaData {
  kind: 'image' | 'video' | 'audio';
  url: string;
  text: string;
  width: number;
  height: number;
}

/** The page's metadata. */
export interface MetaData {
  title: string;
  url: string;
  language: string;
  canonical?: string;
  meta: Record<string, string>;
  openGraph: Record<string, string>;
  jsonLd: unknown[];
}

const native = /^(input|select|textarea|button)$/;

/** HTML's form fields, submit buttons, and elements that ARIA makes a field. */
const fieldSelector =
  'input,select,textarea,button,[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only],' +
  [
    'textbox',
    'searchbox',
    'combobox',
    'listbox',
    'checkbox',
    'radio',
    'switch',
    'slider',
    'spinbutton',
  ]
    .map((role) => `[role=${role}]`)
    .join();

/** Reads data from the page. It never changes the page. */
export class Extract {
  readonly #tree: FlatTree;
  readonly #refs: Refs;

  constructor(tree: FlatTree, refs: Refs) {
    this.#tree = tree;
    this.#refs = refs;
  }

  /** Every visible link, in order. */
  links(): LinkData[] {
    const names = new Names(this.#tree, new Styles());
    const out: LinkData[] = [];
    for (const el of this.#all('a[href],area[href]')) {
      const { href } = el as HTMLAnchorElement;
      if (typeof href !== 'string' || !this.#seen(el)) continue;
      out.push({ ref: this.#ref(el), text: names.printed(el), url: href });
    }
    return out;
  }

  /** Every form with its visible fields; fields without a form come last. */
  forms(): FormData[] {
    const names = new Names(this.#tree, new Styles());
    const forms = new Map<HTMLFormElement | null, FormData>();
    for (const el of this.#all(fieldSelector)) {
      const field = el as HTMLInputElement;
      const own = native.test(el.localName);
      if (field.type === 'hidden' || (!this.#seen(field) && !this.#labelled(field, names)))
        continue;
      const form = own ? field.form : el.closest('form');
      // Only submit buttons count as fields.
      if (el.localName === 'button' && (form === null || field.type !== 'submit')) continue;
      // An editable element inside a field is part of that field.
      if (!own && el.parentElement?.closest('[contenteditable]') && !el.hasAttribute('role'))
        continue;
      let data = forms.get(form);
      if (!data) {
        data = {
          name: form ? (form.getAttribute('name') ?? names.printed(form)) : '',
          // `form.action` may be a field named "action", so read the attribute.
          action: form ? new URL(form.getAttribute('action') ?? '', document.baseURI).href : '',
          method: form?.getAttribute('method')?.toLowerCase() ?? 'get',
          fields: [],
        };
        forms.set(form, data);
      }
      data.fields.push(this.#field(field, names));
    }
    const loose = forms.get(null);
    forms.delete(null);
    return loose ? [...forms.values(), loose] : [...forms.values()];
  }

  #field(el: HTMLInputElement, names: Names): FieldData {
    // An editable element has a role only where the page sets one.
    const plain = !native.test(el.localName) && !el.hasAttribute('role');
    const role = plain ? 'textbox' : names.role(el);
    const data: FieldData = {
      ref: this.#ref(el),
      role,
      label: names.printed(el) || printedName(el.getAttribute('aria-label') ?? ''),
      name: el.getAttribute('name') ?? '',
      type: native.test(el.localName) ? el.type : '',
      value: shownValue(el, role) ?? '',
      required: el.matches(':required,[aria-required=true]'),
      disabled: isDisabled(el),
    };
    if (el.type === 'checkbox' || el.type === 'radio') data.checked = el.checked;
    else if (/^(checkbox|radio|switch)$/.test(role))
      data.checked = el.getAttribute('aria-checked') === 'true';
    if (el instanceof HTMLSelectElement)
      data.options = [...el.options].map(({ label }) => printedName(label));
    return data;
  }

  /** Every visible table, except layout tables. */
  tables(): TableData[] {
    const out: TableData[] = [];
    for (const el of this.#all('table,[role=table],[role=grid],[role=treegrid]')) {
      if (!this.#seen(el)) continue;
      if (!(el instanceof HTMLTableElement)) {
        const caption = el.getAttribute('aria-label') ?? '';
        out.push(this.#table(caption, ariaGrid(this.#tree, el)));
      } else if (!isLayout(el)) {
        const caption = el.caption ? plainText(this.#tree, el.caption) : '';
        out.push(this.#table(caption || (el.getAttribute('aria-label') ?? ''), gridOf(el)));
      }
    }
    return out.filter(({ head, rows }) => head.length > 0 || rows.length > 0);
  }

  #table(caption: string, rows: Row[]): TableData {
    const text = (el: Element): string => plainText(this.#tree, el);
    const heads = headRows(rows);
    return {
      caption,
      head: columns(rows.slice(0, heads), text),
      rows: rows.slice(heads).map(({ cells }) => {
        // A cell that spans the whole row is listed once. Other spanning cells are repeated in each
        // of their columns.
        const whole = new Set(cells.map(({ el }) => el)).size === 1;
        return cells.map(({ el, again }) => (el === null || (whole && again) ? '' : text(el)));
      }),
    };
  }

  /** Every visible image, video and audio element. */
  media(): MediaData[] {
    const out: MediaData[] = [];
    for (const el of this.#all('img,video,audio')) {
      if (!this.#seen(el) && el.localName !== 'audio') continue;
      const { width, height } = el.getBoundingClientRect();
      const source = el as HTMLImageElement;
      out.push({
        kind: el.localName === 'img' ? 'image' : (el.localName as 'video' | 'audio'),
        url: source.currentSrc || source.src,
        text: el.getAttribute('alt') ?? el.getAttribute('aria-label') ?? '',
        width: Math.round(width),
        height: Math.round(height),
      });
    }
    return out;
  }

  /** JSON-LD, Open Graph and meta elements. */
  meta(): MetaData {
    const meta: Record<string, string> = {};
    const openGraph: Record<string, string> = {};
    for (const el of document.querySelectorAll<HTMLMetaElement>('meta[content]')) {
      const key = el.getAttribute('property') ?? el.getAttribute('name');
      if (key === null || key === '') continue;
      const into = /^(og|article|product|twitter):/.test(key) ? openGraph : meta;
      const before = into[key];
      // A page may have several values of one key, such as images or authors.
      into[key] = before === undefined ? el.content : `${before}, ${el.content}`;
    }
    const jsonLd: unknown[] = [];
    for (const el of document.querySelectorAll('script[type="application/ld+json"]')) {
      const text = el.textContent;
      try {
        jsonLd.push(JSON.parse(text));
      } catch {
        jsonLd.push({ invalid: text });
      }
    }
    const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href;
    return {
      title: document.title,
      url: location.href,
      language: document.documentElement.lang,
      ...(canonical === undefined ? {} : { canonical }),
      meta,
      openGraph,
      jsonLd,
    };
  }

  *#all(selector: string): Generator<Element> {
    for (const el of this.#tree.all(document)) if (el.matches(selector)) yield el;
  }

  #seen(el: Element): boolean {
    if (el.localName === 'area') return true;
    return el.checkVisibility({ visibilityProperty: true });
  }

  #labelled(el: HTMLInputElement, names: Names): boolean {
    return names.labels.of(el).some((label) => this.#seen(label));
  }

  #ref(el: Element): string {
    return this.#refs.format(this.#refs.number(el));
  }
}
