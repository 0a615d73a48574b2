const key = 'pilotfish.console.history';
const most = 100;

/** The scripts that the user ran, newest last, until the panel's document ends. */
export class History {
  readonly #area: Pick<Storage, 'getItem' | 'setItem'>;
  #all: string[];
  #at: number;
  /** What was in the input before the user went back. */
  #draft = '';

  constructor(area: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#area = area;
    let kept: unknown;
    try {
      kept = JSON.parse(area.getItem(key) ?? '[]');
    } catch {
      kept = []; // of another version
    }
    this.#all = Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
    this.#at = this.#all.length;
  }

  add(script: string): void {
    this.#all = [...this.#all.filter((one) => one !== script), script].slice(-most);
    this.#at = this.#all.length;
    this.#area.setItem(key, JSON.stringify(this.#all));
  }

  /** The script before (-1) or after (1) the one in the input; undefined at the ends. */
  step(by: -1 | 1, now: string): string | undefined {
    const to = this.#at + by;
    if (to < 0 || to > this.#all.length) return undefined;
    if (this.#at === this.#all.length) this.#draft = now;
    this.#at = to;
    return to === this.#all.length ? this.#draft : this.#all[to];
  }
}
