// Describes a picked element for an agent: the control that it is a part of, its ref,
// and a short text. Returns null for an element of another document.
function (prefix, base, exact) {
  if (this.ownerDocument !== document) return null;
  const page = globalThis.pilotfishPage;
  page.configure({ prefix, base });
  const things = new Set(
    ('button link checkbox radio switch textbox searchbox combobox listbox option menuitem menuitemcheckbox ' +
      'menuitemradio tab treeitem slider spinbutton').split(' '),
  );
  const own = this.nodeType === 1 ? this : this.parentElement;
  // The pointer may be on the text of a button; the button is meant.
  let el = own;
  for (let at = exact ? null : own; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) {
    if (!things.has(page.aria(at).role)) continue;
    el = at;
    break;
  }
  const { role, name } = page.aria(el);
  const plain = role === '' || role === 'generic' || role === 'none';
  const label = el.id ? `#${el.id}` : el.classList[0] ? `.${el.classList[0]}` : '';
  const said = name || (el.innerText ?? el.textContent ?? '');
  return {
    ref: page.refOf(el),
    role: plain ? el.localName + label : role,
    name: said.replace(/\s+/g, ' ').trim().slice(0, 200),
    next: page.next(),
  };
}
