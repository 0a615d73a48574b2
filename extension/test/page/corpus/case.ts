/** One small page of the corpus, with the role and name of the element marked `t`. */
export interface NameCase {
  html: string;
  role?: string;
  name?: string;
}

/**
 * A case: its HTML with `t` on the element to check; `$` is replaced by a part of an id that is unique to the case.
 */
export function one(html: string, role?: string, name?: string): NameCase {
  return { html, ...(role === undefined ? {} : { role }), ...(name === undefined ? {} : { name }) };
}
