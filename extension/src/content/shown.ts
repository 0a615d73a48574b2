/**
 * Matches a ref at the start of a line, after the mark that an answer may put there. Text of the page
 * cannot match.
 */
const ref = /^\s*(?:[+~-] )?(f0\d*e\d+)(?= |$)/gm;

/**
 * Records which refs each caller was shown in this document. Numbers start again with a new
 * document, and several tasks may read it: a ref from the document before may be another element
 * here.
 */
export class Shown {
  readonly #by = new Map<string, Set<string>>();

  /** Records the refs in a text that a caller receives. */
  note(caller: string, text: string): void {
    const own = this.#by.get(caller) ?? new Set();
    for (const [, one = ''] of text.matchAll(ref)) own.add(one);
    this.#by.set(caller, own);
  }

  /** Whether a caller was shown a ref in this document. */
  has(caller: string, one: string): boolean {
    return this.#by.get(caller)?.has(one.replace(/^@/, '')) === true;
  }
}
