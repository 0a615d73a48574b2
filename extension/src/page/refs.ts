interface Known {
  node: WeakRef<Element>;
  /** Role and name when any caller was last shown it. */
  said: string;
}

/**
 * The number of callers whose shown items are remembered; the caller that was shown something longest ago is
 * dropped first.
 */
export const callersKept = 16;

/**
 * The refs of one document. A node keeps its number as long as it exists, and a number is never
 * given to another node. The caller passes `next` from one document of a frame to the following
 * one.
 */
export class Refs {
  readonly #numbers = new WeakMap<Element, number>();
  readonly #known = new Map<number, Known>();
  /** Role and name when a caller was last shown an item: what that caller believes it to be. */
  readonly #said = new Map<string, Map<number, string>>();
  #prefix = 'e';
  #next = 1;
  #caller = '';

  /**
   * Sets the frame's prefix (letters and digits, ending in a letter), the first free number and the caller.
   */
  configure(prefix: string, base: number, caller = this.#caller): void {
    this.#prefix = prefix;
    this.#next = Math.max(this.#next, base);
    this.#caller = caller;
  }

  /** The next free number. */
  get next(): number {
    return this.#next;
  }

  /** The number of a node, assigned now if it has none. */
  number(el: Element): number {
    let num = this.#numbers.get(el);
    if (num === undefined) {
      num = this.#next++;
      this.#numbers.set(el, num);
      this.#known.set(num, { node: new WeakRef(el), said: '' });
    }
    return num;
  }

  /** Records the role and name under which a node was shown to the caller. */
  shown(num: number, said: string): void {
    const known = this.#known.get(num);
    if (!known) return;
    known.said = said;
    const own = this.#said.get(this.#caller) ?? new Map<number, string>();
    own.set(num, said);
    this.#said.delete(this.#caller);
    this.#said.set(this.#caller, own);
    if (this.#said.size <= callersKept) return;
    for (const [oldest] of this.#said) {
      this.#said.delete(oldest);
      return;
    }
  }

  /** Formats a number as a ref. */
  format(num: number): string {
    return this.#prefix + String(num);
  }

  /** The number of a ref of this frame; undefined for another frame's ref or for no ref. */
  parse(ref: string): number | undefined {
    const plain = ref.replace(/^@/, '');
    if (!plain.startsWith(this.#prefix)) return undefined;
    const digits = plain.slice(this.#prefix.length);
    return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
  }

  /**
   * What is known of a number: undefined when it was never assigned; node is null when the node is
   * gone. said is what the caller was shown, empty when nothing.
   */
  get(num: number): { node: Element | null; said: string } | undefined {
    const known = this.#known.get(num);
    if (!known) return undefined;
    const own = this.#said.get(this.#caller)?.get(num) ?? '';
    const node = known.node.deref();
    return node?.isConnected ? { node, said: own } : { node: null, said: own || known.said };
  }
}
