/** One small page of the corpus, with what the element marked `t` in it is and is called. */
export interface NameCase {
  html: string;
  role?: string;
  name?: string;
}

/** A case: its HTML with `t` on the element that is meant; `$` stands for a part of an id that no other case has. */
export function one(html: string, role?: string, name?: string): NameCase {
  return { html, ...(role === undefined ? {} : { role }), ...(name === undefined ? {} : { name }) };
}
