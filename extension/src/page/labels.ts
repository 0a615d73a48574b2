/**
 * For so many controls the browser is asked directly. An index of all labels costs as much as these.
 */
const askedMost = 4;

/**
 * The labels of controls during one snapshot. The browser's own `labels` searches the whole tree
 * once for each control, which makes the first snapshot of a page with a thousand fields slow. So
 * only the first few controls are asked that way.
 */
export class Labels {
  #asked = 0;
  readonly #roots = new Map<Node, Map<Element, HTMLLabelElement[]>>();

  /** The labels of an element in document order. */
  of(el: Element): readonly HTMLLabelElement[] {
    // A custom element can have labels but does not always expose them.
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

  /** The label that a user sees and clicks in place of a control that is not drawn. */
  drawn(control: HTMLInputElement): Element | undefined {
    return this.of(control).find((label) => {
      const seen = label.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      const { width, height } = label.getBoundingClientRect();
      return seen && width >= 1 && height >= 1 && !label.closest('[inert]');
    });
  }
}
