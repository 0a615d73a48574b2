/**
 * Sends the newest of quick requests: while one is on its way, only the last one waits. A user who
 * moves over a list asks for more highlights than a page can draw.
 */
export class Newest<T> {
  readonly #send: (what: T) => Promise<unknown>;
  #waits: { what: T } | undefined;
  #busy = false;

  constructor(send: (what: T) => Promise<unknown>) {
    this.#send = send;
  }

  put(what: T): void {
    this.#waits = { what };
    if (!this.#busy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#waits) {
      const { what } = this.#waits;
      this.#waits = undefined;
      await this.#send(what);
    }
    this.#busy = false;
  }
}
