function () {
  /* secretFunction */
  const words = (el) => el.localName + (el.id ? `#${el.id}` : '') + [...el.classList].slice(0, 4).map((c) => `.${c}`).join('');
  const cut = (s, n) => (s.length > n ? `${s.slice(0, n - 1)}…` : s);
  const style = getComputedStyle(this);
  const rect = this.getBoundingClientRect();
  const sides = (name, tail = '') => ['top', 'right', 'bottom', 'left'].map((s) => parseFloat(style.getPropertyValue(`${name}-${s}${tail}`)) || 0);
  const attributes = {};
  for (const { name, value } of this.attributes) attributes[name] = name === 'value' && this instanceof HTMLInputElement && secret(this) ? '••••' : cut(value, 500);
  const styles = {};
  for (const name of ['display', 'position', 'visibility', 'opacity', 'z-index', 'overflow', 'color', 'background-color', 'background-image',
    'font-family', 'font-size', 'font-weight', 'line-height', 'text-align', 'cursor', 'pointer-events', 'transform', 'box-shadow', 'border-radius',
    'flex', 'gap', 'grid-template-columns', 'justify-content', 'align-items']) {
    const value = style.getPropertyValue(name);
    const idle = { 'z-index': 'auto', overflow: 'visible', 'background-image': 'none', transform: 'none', 'box-shadow': 'none', 'border-radius': '0px',
      flex: '0 1 auto', gap: 'normal', 'grid-template-columns': 'none', 'justify-content': 'normal', 'align-items': 'normal', 'pointer-events': 'auto',
      cursor: 'auto', opacity: '1', visibility: 'visible', position: 'static', 'text-align': 'start', 'background-color': 'rgba(0, 0, 0, 0)' }[name];
    if (value !== '' && value !== idle) styles[name] = cut(value, 200);
  }
  return {
    element: words(this), role: '', name: '', attributes, styles,
    box: { x: rect.x + scrollX, y: rect.y + scrollY, width: rect.width, height: rect.height },
    margin: sides('margin'), padding: sides('padding'), border: sides('border', '-width'),
    text: cut((this.innerText ?? this.textContent ?? '').trim().replace(/\s+/g, ' '), 300),
  };
}
