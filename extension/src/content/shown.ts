/** A ref where a line begins, behind what an answer puts before it; never one that a page has written. */
const ref = /^\s*(?:[+~-] )?(f0\d*e\d+)(?= |$)/gm;

/**
 * Which refs whom was shown in this document. Numbers begin anew with a document,
 * and several tasks may look at it: what one was shown in the document before may
 * be another element here.
 */
export class Shown {
  readonly #by = new Map<string, Set<string>>();

  /** Takes in what somebody is told. */
  note(caller: string, text: string): void {
    const own = this.#by.get(caller) ?? new Set();
    for (const [, one = ''] of text.matchAll(ref)) own.add(one);
    this.#by.set(caller, own);
  }

  /** Whether somebody was shown a ref here. */
  has(caller: string, one: string): boolean {
    return this.#by.get(caller)?.has(one.replace(/^@/, '')) === true;
  }
}
