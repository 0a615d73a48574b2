/**
 * The roles inside which a role is valid. ARIA has roles that are valid only inside others
 * (core-aam: outside of its context a role is ignored).
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

/** The role of a tag when it is the context of another role. */
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

/** Whether a role is valid only inside another one. */
export function needsContext(role: string): boolean {
  return Object.hasOwn(contexts, role);
}

/** Whether an element is inside a context in which the role is valid. */
export function inContext(el: Element, role: string): boolean {
  const wanted = contexts[role];
  if (!wanted) return true;
  for (let at = parentOf(el); at; at = parentOf(at)) if (means(at, wanted)) return true;
  const owner = ownerOf(el);
  return owner !== null && means(owner, wanted);
}

/** The element that owns another one by aria-owns. */
export function ownerOf(el: Element): Element | null {
  if (el.id === '') return null;
  const root = el.getRootNode() as Document | ShadowRoot;
  const owner = root.querySelector(`[aria-owns~="${CSS.escape(el.id)}"]`);
  return owner === el ? null : owner;
}

/** The parent in the flat tree, as far as the page itself can see it (no closed shadow roots). */
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
