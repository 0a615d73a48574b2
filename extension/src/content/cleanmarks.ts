/** The changes that Clean up made to elements, so that each can be undone exactly. */

/** One property of an element's own style, as it was. */
interface Mark {
  readonly element: HTMLElement;
  readonly property: string;
  readonly value: string;
  readonly priority: string;
}

const marks: Mark[] = [];
/** The style attributes as the page wrote them. */
const attributes = new Map<HTMLElement, string | null>();
const inert: HTMLElement[] = [];
const dialogs: HTMLDialogElement[] = [];

/** Sets a property of an element's own style, above the page's rules. */
export function setStyle(element: HTMLElement, property: string, value: string): void {
  if (
    element.style.getPropertyPriority(property) === 'important' &&
    element.style.getPropertyValue(property) === value
  )
    return;
  if (!attributes.has(element)) attributes.set(element, element.getAttribute('style'));
  if (!marks.some((one) => one.element === element && one.property === property))
    marks.push({
      element,
      property,
      value: element.style.getPropertyValue(property),
      priority: element.style.getPropertyPriority(property),
    });
  element.style.setProperty(property, value, 'important');
}

/** Hides an element; a modal dialog is closed, because it blocks the page while it is hidden. */
export function takeAway(element: HTMLElement, what: 'shown' | 'inert' = 'shown'): void {
  if (what === 'inert') {
    element.inert = false;
    inert.push(element);
  } else if (element instanceof HTMLDialogElement && element.matches(':modal')) {
    element.close();
    dialogs.push(element);
  } else {
    setStyle(element, 'display', 'none');
  }
}

/** Undoes all changes. What the page itself changed since stays as the page wants it. */
export function clearMarks(): void {
  for (const { element, property, value, priority } of marks.splice(0).reverse()) {
    if (value === '') element.style.removeProperty(property);
    else element.style.setProperty(property, value, priority);
  }
  for (const [element, before] of attributes) {
    // The browser writes a style in its own words; the page's own text comes back.
    const same = document.createElement('i');
    same.setAttribute('style', before ?? '');
    if (same.style.cssText !== element.style.cssText) continue;
    if (before === null) element.removeAttribute('style');
    else element.setAttribute('style', before);
  }
  attributes.clear();
  for (const element of inert.splice(0)) element.inert = true;
  for (const dialog of dialogs.splice(0))
    if (dialog.isConnected && !dialog.open) dialog.showModal();
}
