/**
 * Where a role counts: ARIA has roles that mean something only inside others
 * (core-aam: one without its context is as if it had not been written).
 */
const contexts: Readonly<Record<string, ReadonlySet<string>>> = (() => {
  const table = ['grid', 'table', 'treegrid'];
  const row = new Set([...table, 'row', 'rowgroup']);
  const menu = new Set(['group', 'menu', 'menubar', 'radiogroup']);
  return {
    cell: row,
    columnheader: row,
    gridcell: row,
    listitem: new Set(['directory', 'list']),
    menuitem: menu,
    menuitemcheckbox: menu,
    menuitemradio: menu,
    option: new Set(['group', 'listbox']),
    row: new Set([...table, 'rowgroup']),
    rowgroup: new Set(table),
    rowheader: row,
    tab: new Set(['tablist']),
    treeitem: new Set(['group', 'tree']),
  };
})();

/** What tags mean as the context of a role. */
const tags: Readonly<Record<string, string>> = {
  address: 'group',
  datalist: 'listbox',
  details: 'group',
  dir: 'list',
  fieldset: 'group',
  menu: 'list',
  ol: 'list',
  optgroup: 'group',
  select: 'listbox',
  table: 'table',
  tbody: 'rowgroup',
  tfoot: 'rowgroup',
  thead: 'rowgroup',
  tr: 'row',
  ul: 'list',
};

/** Whether a role counts only inside another one. */
export function needsContext(role: string): boolean {
  return Object.hasOwn(contexts, role);
}

/** Whether an element stands where its role counts. */
export function inContext(el: Element, role: string): boolean {
  const wanted = contexts[role];
  if (!wanted) return true;
  for (let at = parentOf(el); at; at = parentOf(at)) if (means(at, wanted)) return true;
  const owner = ownerOf(el);
  return owner !== null && means(owner, wanted);
}

/** The element that takes another one in by aria-owns. */
export function ownerOf(el: Element): Element | null {
  if (el.id === '') return null;
  const root = el.getRootNode() as Document | ShadowRoot;
  const owner = root.querySelector(`[aria-owns~="${CSS.escape(el.id)}"]`);
  return owner === el ? null : owner;
}

/** The parent as it is drawn, as far as the page itself may know it. */
export function parentOf(el: Element): Element | null {
  if (el.assignedSlot) return el.assignedSlot;
  const up = el.parentNode;
  return up instanceof ShadowRoot ? up.host : up instanceof Element ? up : null;
}

function means(el: Element, wanted: ReadonlySet<string>): boolean {
  const given = el.getAttribute('role');
  if (given === null) return wanted.has(tags[el.localName] ?? '');
  return given
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .some((token) => wanted.has(token));
}
