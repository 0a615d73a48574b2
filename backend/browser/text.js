// The text that a person could read on this page: lines kept, what is hidden
// dropped, open shadow roots and frames of the same origin included. Runs in an
// isolated world; returns the first `limit` characters and the whole length.
((limit) => {
  const out = [];
  let line = '';
  let breaks = 0; // line breaks owed before the next word
  const block = /^(block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;
  const skip = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'IFRAME', 'OBJECT', 'CANVAS', 'VIDEO', 'AUDIO', 'SVG', 'svg']);
  const say = (text, keep) => {
    if (breaks > 0 && (line !== '' || out.length > 0)) {
      out.push(line.trimEnd());
      for (let i = 1; i < Math.min(breaks, 2); i++) out.push('');
      line = '';
    }
    if (breaks > 0 && !keep) text = text.replace(/^ +/, '');
    breaks = 0;
    line += line.endsWith(' ') && !keep ? text.replace(/^ +/, '') : text;
  };
  const owe = (n) => {
    if (line !== '' || out.length > 0) breaks = Math.max(breaks, n);
  };
  const keepsSpace = (style) => style.whiteSpaceCollapse === 'preserve' || style.whiteSpace.startsWith('pre');
  const walk = (node, style) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (style.visibility !== 'visible') return;
      if (keepsSpace(style)) {
        node.data.split('\n').forEach((part, i) => {
          if (i > 0) { if (line === '' && breaks === 0 && out.length > 0) out.push(''); owe(1); if (part === '') return; }
          if (part !== '') say(part, true);
        });
        return;
      }
      const text = node.data.replace(/[ \t\n\r\f]+/g, ' ');
      if (text !== '' && !(text === ' ' && (line === '' || breaks > 0))) say(text);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (node.localName === 'iframe') {
      let inner = null;
      try { inner = node.contentDocument; } catch { /* another origin */ }
      if (inner?.body && node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) {
        owe(1);
        walk(inner.body, inner.defaultView.getComputedStyle(inner.body));
        owe(1);
      }
      return;
    }
    if (skip.has(node.tagName)) return;
    const own = node.ownerDocument.defaultView.getComputedStyle(node);
    if (own.display === 'none' || own.opacity === '0' || own.contentVisibility === 'hidden') return;
    if (own.fontSize === '0px' && own.display === 'inline') return;
    if (node.localName === 'br') { owe(breaks + 1); return; }
    if (node.localName === 'input' || node.localName === 'textarea' || node.localName === 'select') {
      if (own.visibility === 'visible') {
        const shown = node.localName === 'select' ? node.selectedOptions[0]?.text
          : /^(password|hidden|checkbox|radio|file|range|color|image)$/.test(node.type) ? '' : node.value;
        if (shown) say(shown);
      }
      return;
    }
    const isBlock = block.test(own.display);
    const gap = isBlock ? (/^(P|H[1-6]|UL|OL|DL|PRE|BLOCKQUOTE|TABLE|FIGURE)$/.test(node.tagName) ? 2 : 1) : 0;
    if (gap) owe(gap);
    if (own.display === 'table-cell' && line !== '' && breaks === 0) say('\t');
    if (own.display === 'list-item' && own.listStyleType !== 'none' && own.listStyleType === 'disc') say('- ');
    const children = node.localName === 'slot' && node.assignedNodes({ flatten: true }).length > 0
      ? node.assignedNodes({ flatten: true })
      : (node.shadowRoot ?? node).childNodes;
    for (const child of children) {
      if (node.localName === 'details' && !node.open && child.localName !== 'summary') continue;
      walk(child, own);
    }
    if (gap) owe(gap);
  };
  const root = document.body ?? document.documentElement;
  if (root) walk(root, getComputedStyle(root));
  if (line !== '') out.push(line.trimEnd());
  const all = Array.from(out.join('\n').replace(/\n{3,}/g, '\n\n').trim());
  return { text: all.length > limit ? all.slice(0, limit).join('') : all.join(''), length: all.length, url: location.href, title: document.title };
})
