import type { Cell } from './fold';

/**
 * The texts of an answer that ends with an entry, as one; empty for an answer of a single text,
 * which has a button of its own.
 */
export function wholeAnswer(cells: readonly Cell[], end: string): string {
  const last = cells.findIndex(({ id }) => id === end);
  if (last < 0) return '';
  const first = cells.findLastIndex(({ entry }, at) => at < last && entry.kind === 'user');
  const texts = cells
    .slice(first + 1, last)
    .flatMap(({ entry }) => (entry.kind === 'text' && entry.text ? [entry.text.trim()] : []));
  return texts.length > 1 ? texts.join('\n\n') : '';
}
