import type { Cancel, Clock } from '../clock';

interface Entry {
  at: number;
  run: () => void;
}

/** A clock that only moves when the test advances it. */
export class FakeClock implements Clock {
  now = 0;
  #entries: Entry[] = [];

  after(ms: number, run: () => void): Cancel {
    const entry = { at: this.now + ms, run };
    this.#entries.push(entry);
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }
  /** Advances the time and runs every timer that is due, in order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const due = this.#entries.filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#entries = this.#entries.filter((entry) => entry !== due);
      this.now = due.at;
      due.run();
    }
    this.now = end;
  }
  /** The number of pending timers. */
  get pending(): number {
    return this.#entries.length;
  }
}
