import { createRoot } from 'react-dom/client';

/** Renders a form made of a library's components. */
export function show(form) {
  createRoot(document.getElementById('root')).render(form);
}

/** Shows the entered values on the page. */
export function Saved({ values }) {
  return values === undefined ? null : <p role="status">Saved: {values.join(', ')}</p>;
}
