// What every page of the zoo shares: it writes down what was really hit, and
// points its frames at the other origin (?other=http://…).
window.__hits = [];

window.zoo = {
  /** Records the events of a document or shadow root with the marked element that they met. */
  watch(root) {
    const types = 'click dblclick contextmenu auxclick input change keydown drop'.split(' ');
    for (const type of types) {
      root.addEventListener(
        type,
        (event) => {
          const met = event.composedPath().find((at) => at.dataset?.hit);
          // A root inside another is watched by itself.
          if (met && met.getRootNode() === root)
            window.__hits.push({ id: met.dataset.hit, type, isTrusted: event.isTrusted });
        },
        { capture: true },
      );
    }
  },
  /** Fills a closed shadow root. */
  closed(id, html) {
    const root = document.getElementById(id).attachShadow({ mode: 'closed' });
    root.innerHTML = html;
    return root;
  },
};

zoo.watch(document);
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) {
  const root = attach.call(this, init);
  if (init.mode === 'open') zoo.watch(root);
  return root;
};
addEventListener('DOMContentLoaded', () => {
  const other = new URLSearchParams(location.search).get('other');
  for (const frame of document.querySelectorAll('iframe[data-other]'))
    if (other) frame.src = `${other}/${frame.dataset.other}`;
});
