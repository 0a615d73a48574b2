interface Known {
  node: WeakRef<Element>;
  /** Role and name when it was last shown: what a caller believes it to be. */
  said: string;
}

/**
 * The refs of one document. A node keeps its number for life, a number is
 * never given to another node; the caller carries `next` from one document of
 * a frame to the following one.
 */
export class Refs {
  readonly #numbers = new WeakMap<Element, number>();
  readonly #known = new Map<number, Known>();
  #prefix = 'e';
  #next = 1;

  /** Sets the frame's prefix (letters and digits that end in a letter) and the first free number. */
  configure(prefix: string, base: number): void {
    this.#prefix = prefix;
    this.#next = Math.max(this.#next, base);
  }

  /** The next free number. */
  get next(): number {
    return this.#next;
  }

  /** The number of a node, given now if it has none. */
  number(el: Element): number {
    let num = this.#numbers.get(el);
    if (num === undefined) {
      num = this.#next++;
      this.#numbers.set(el, num);
      this.#known.set(num, { node: new WeakRef(el), said: '' });
    }
    return num;
  }

  /** Remembers what a node said when it was shown. */
  shown(num: number, said: string): void {
    const known = this.#known.get(num);
    if (known) known.said = said;
  }

  /** How a number is written. */
  format(num: number): string {
    return this.#prefix + String(num);
  }

  /** The number that a ref means in this frame; undefined for another frame's or no ref. */
  parse(ref: string): number | undefined {
    const plain = ref.replace(/^@/, '');
    if (!plain.startsWith(this.#prefix)) return undefined;
    const digits = plain.slice(this.#prefix.length);
    return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
  }

  /** What is known of a number: undefined when it was never given, node null when that is gone. */
  get(num: number): { node: Element | null; said: string } | undefined {
    const known = this.#known.get(num);
    if (!known) return undefined;
    const node = known.node.deref();
    return { node: node?.isConnected ? node : null, said: known.said };
  }
}
