// What a picked element is to an agent: the thing that it is a part of, its ref,
// and a few words about it. Null when it is another document's.
function (prefix, base) {
  if (this.ownerDocument !== document) return null;
  const page = globalThis.pilotfishPage;
  page.configure({ prefix, base });
  const things = new Set(
    ('button link checkbox radio switch textbox searchbox combobox listbox option menuitem menuitemcheckbox ' +
      'menuitemradio tab treeitem slider spinbutton').split(' '),
  );
  const own = this.nodeType === 1 ? this : this.parentElement;
  // The pointer meets the letters of a button; what is meant is the button.
  let el = own;
  for (let at = own; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) {
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
