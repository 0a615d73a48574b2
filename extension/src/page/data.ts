import type { FlatTree } from './flat.js';
import { Names } from './name.js';
import type { Refs } from './refs.js';
import { Styles } from './styles.js';
import { plainText } from './text.js';
import { isDisabled } from './state.js';
import { shownValue } from './value.js';

/** A link that can be seen. */
export interface LinkData {
  ref: string;
  text: string;
  url: string;
}

/** A field of a form, its value masked when secret. */
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

/** A form, or the fields that stand outside of any. */
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

/** A picture, film or sound. */
export interface MediaData {
  kind: 'image' | 'video' | 'audio';
  url: string;
  text: string;
  width: number;
  height: number;
}

/** What the page says about itself to machines. */
export interface MetaData {
  title: string;
  url: string;
  language: string;
  canonical?: string;
  meta: Record<string, string>;
  openGraph: Record<string, string>;
  jsonLd: unknown[];
}

/** Reads data from the page; writes nothing. */
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
      out.push({ ref: this.#ref(el), text: names.of(el), url: href });
    }
    return out;
  }

  /** Every form with its visible fields; fields without a form come last. */
  forms(): FormData[] {
    const names = new Names(this.#tree, new Styles());
    const forms = new Map<HTMLFormElement | null, FormData>();
    for (const el of this.#all('input,select,textarea')) {
      const field = el as HTMLInputElement;
      if (field.type === 'hidden' || (!this.#seen(field) && !this.#labelled(field, names)))
        continue;
      const form = field.form;
      let data = forms.get(form);
      if (!data) {
        data = {
          name: form ? (form.getAttribute('name') ?? names.of(form)) : '',
          // A field may be named "action": the attribute says what the form does.
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
    const role = names.role(el);
    const data: FieldData = {
      ref: this.#ref(el),
      role,
      label: names.of(el),
      name: el.name,
      type: el.type,
      value: shownValue(el, role) ?? '',
      required: el.required,
      disabled: isDisabled(el),
    };
    if (el.type === 'checkbox' || el.type === 'radio') data.checked = el.checked;
    if (el instanceof HTMLSelectElement) data.options = [...el.options].map(({ label }) => label);
    return data;
  }

  /** Every visible table that is not only there for layout. */
  tables(): TableData[] {
    const out: TableData[] = [];
    for (const el of this.#all('table')) {
      const table = el as HTMLTableElement;
      if (!this.#seen(table) || /^(none|presentation)$/.test(table.getAttribute('role') ?? ''))
        continue;
      const rows = [...table.rows].filter((row) => this.#seen(row));
      const text = (row: HTMLTableRowElement): string[] =>
        [...row.cells].map((cell) => plainText(this.#tree, cell));
      const head = rows.find((row) => [...row.cells].every((cell) => cell.localName === 'th'));
      out.push({
        caption: table.caption ? plainText(this.#tree, table.caption) : '',
        head: head ? text(head) : [],
        rows: rows.filter((row) => row !== head).map(text),
      });
    }
    return out;
  }

  /** Every visible picture, film and sound. */
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
      (/^(og|article|product|twitter):/.test(key) ? openGraph : meta)[key] = el.content;
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
