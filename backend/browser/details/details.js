// Describes an element for the Inspector: what it is, where it is, and how it can be
// named. Returns null when it is gone.
(page, { ref }) => {
  /* secretFunction */
  const el = page.element(ref);
  if (!el) return null;
  const cut = (s, n) => (s.length > n ? `${s.slice(0, n - 1)}…` : s);
  const words = (e) => cut(e.localName + (e.id ? `#${e.id}` : '') + [...e.classList].slice(0, 4).map((c) => `.${c}`).join(''), 120);
  const up = (e) => e.parentElement ?? e.getRootNode().host ?? null;
  const root = el.getRootNode();
  const count = (selector) => {
    try {
      return root.querySelectorAll(selector).length;
    } catch {
      return 0;
    }
  };

  const selectors = [];
  const offer = (selector) => {
    if (selector.length > 300 || selectors.some((s) => s.selector === selector)) return 0;
    const matches = count(selector);
    if (matches > 0) selectors.push({ selector, matches });
    return matches;
  };
  const tag = CSS.escape(el.localName);
  const quote = (s) => `"${s.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
  if (el.id) offer(`#${CSS.escape(el.id)}`);
  for (const name of ['data-testid', 'data-test', 'data-cy', 'data-qa', 'name', 'aria-label', 'for', 'placeholder', 'title', 'alt', 'href', 'type', 'role']) {
    const value = el.getAttribute(name);
    if (value && value.length <= 80) offer(`${tag}[${name}=${quote(value)}]`);
  }
  const classes = [...el.classList].slice(0, 6).map((c) => `.${CSS.escape(c)}`);
  for (const c of classes) offer(tag + c);
  if (classes.length > 1) offer(tag + classes.join(''));
  offer(tag);
  // The shortest path that matches nothing else.
  let path = '';
  for (let at = el, depth = 0; at && depth < 12; at = at.parentElement, depth++) {
    const own = at.id ? `#${CSS.escape(at.id)}` : CSS.escape(at.localName);
    const twins = at.id || !at.parentElement ? [] : [...at.parentElement.children].filter((c) => c.localName === at.localName);
    const step = twins.length > 1 ? `${own}:nth-of-type(${twins.indexOf(at) + 1})` : own;
    path = path === '' ? step : `${step} > ${path}`;
    if (count(path) === 1) break;
  }
  if (path) offer(path);
  selectors.sort((a, b) => a.matches - b.matches || a.selector.length - b.selector.length);

  const steps = [];
  for (let at = el; at && steps.length < 30; at = up(at)) steps.unshift({ ref: page.refOf(at), element: words(at) });
  const near = [];
  if (up(el)) near.push('parent');
  if (page.rootOf(el)?.firstElementChild ?? el.firstElementChild ?? (el.localName === 'iframe' || el.localName === 'frame')) near.push('child');
  if (el.nextElementSibling) near.push('next');
  if (el.previousElementSibling) near.push('previous');

  const around = [];
  for (let at = up(el), n = 0; at && n < 40; at = up(at), n++) {
    const { role, name } = page.aria(at);
    if (role && role !== 'generic' && role !== 'none') around.unshift(name ? `${role} ${cut(name, 100)}` : role);
  }

  const style = getComputedStyle(el);
  const rect = el.getBoundingClientRect();
  const sides = (name, tail = '') => ['top', 'right', 'bottom', 'left'].map((s) => parseFloat(style.getPropertyValue(`${name}-${s}${tail}`)) || 0);
  const attributes = [];
  for (const { name, value } of el.attributes) {
    if (attributes.length === 100) break;
    const masked = name === 'value' && secret(el);
    attributes.push({ name: cut(name, 100), value: masked ? '••••' : cut(value, 1000), ...(masked ? { masked } : {}) });
  }
  const secretText = secret(el) || el.localName === 'script' || el.localName === 'style';
  return {
    url: location.href,
    ref: page.refOf(el),
    element: words(el),
    tag: el.localName,
    path: steps,
    near,
    selectors: selectors.slice(0, 12),
    box: {
      x: rect.x + scrollX,
      y: rect.y + scrollY,
      width: rect.width,
      height: rect.height,
      margin: sides('margin'),
      border: sides('border', '-width'),
      padding: sides('padding'),
    },
    attributes,
    text: secretText ? '' : cut((el.innerText ?? el.textContent ?? '').trim().replace(/\s+/g, ' '), 300),
    access: { role: '', name: '', path: around },
    leaf: el.childElementCount === 0 && el.localName !== 'textarea' && !secretText,
    ...(root instanceof ShadowRoot ? { shadow: root.mode } : {}),
    ...(el.attributes.length > 100 ? { cut: ['attributes'] } : {}),
  };
}
