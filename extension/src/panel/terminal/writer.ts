import type { Terminal } from '@xterm/xterm';
import type { Cancel, Clock } from '../core/clock';
import { PAINT_WAIT } from '../core/timing';

/** Hands what a stream does to its terminal, in order, and lets a first picture be painted before the rest. */
export class Writer {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  /** What waits for the picture; undefined while nothing waits. */
  #held: (() => void)[] | undefined;
  #stop: Cancel = () => undefined;

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  /** Does something to the terminal after all that was done before. */
  do(action: () => void): void {
    if (this.#held === undefined) action();
    else this.#held.push(action);
  }

  /** Holds back what follows until what was written is on the screen. */
  paint(): void {
    this.do(() => {
      this.#held = [];
      this.#terminal.write('', () => {
        this.#awaitPicture();
      });
    });
  }

  /** Drops what waits. */
  dispose(): void {
    this.#stop();
    this.#held = [];
  }

  #awaitPicture(): void {
    // A terminal that is out of sight renders nothing.
    const expire = this.#clock.after(PAINT_WAIT, () => {
      this.#release();
    });
    let turn: Cancel = () => undefined;
    const rendering = this.#terminal.onRender(() => {
      rendering.dispose();
      // The browser paints at the end of this frame.
      turn = this.#clock.after(0, () => {
        this.#release();
      });
    });
    this.#stop = () => {
      expire();
      turn();
      rendering.dispose();
    };
    this.#terminal.refresh(0, this.#terminal.rows - 1);
  }

  #release(): void {
    this.#stop();
    const held = this.#held ?? [];
    this.#held = undefined;
    // One of them may hold back the others again.
    for (const action of held) this.do(action);
  }
}
