/** Controls that the browser itself is asked about; an index of all labels costs as much as these. */
const askedMost = 4;

/**
 * Which labels stand for which control, of one look. The browser's own
 * `labels` searches the whole tree once for each control, which makes a page
 * of a thousand fields slow the first time: only the first few are asked that way.
 */
export class Labels {
  #asked = 0;
  readonly #roots = new Map<Node, Map<Element, HTMLLabelElement[]>>();

  /** The labels of an element in document order. */
  of(el: Element): readonly HTMLLabelElement[] {
    // A custom element can have labels and does not tell.
    if (!el.localName.includes('-')) {
      const { labels } = el as HTMLInputElement;
      if (!labels) return [];
      if (this.#asked++ < askedMost) return [...labels];
    }
    const root = el.getRootNode();
    let labels = this.#roots.get(root);
    if (!labels) {
      labels = new Map();
      this.#roots.set(root, labels);
      if (root instanceof Document || root instanceof ShadowRoot)
        for (const label of root.querySelectorAll('label')) {
          const { control } = label;
          if (!control) continue;
          const list = labels.get(control);
          if (list) list.push(label);
          else labels.set(control, [label]);
        }
    }
    return labels.get(el) ?? [];
  }
}
