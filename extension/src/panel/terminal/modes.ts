import type { IDisposable, Terminal } from '@xterm/xterm';

/** Private modes that the serialiser leaves out, and how they stand after a reset. */
const forgotten = new Map([
  [25, true], // the cursor is visible
  [1006, false], // mouse reports with decimal numbers
  [1016, false], // … in pixels
]);

/**
 * Remembers what addon-serialize leaves out of a screen: some modes, which it
 * can add, and scroll regions and character sets, in whose presence a screen
 * cannot be told whole.
 */
export class ModeMemory {
  readonly #modes = new Map(forgotten);
  #cursorStyle = 0;
  #margins = false;
  readonly #charsets = new Set<string>();
  readonly #handlers: IDisposable[];

  constructor(terminal: Terminal) {
    const { parser } = terminal;
    // Every handler returns false: xterm's own one still runs.
    this.#handlers = [
      parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => this.#set(params, true)),
      parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => this.#set(params, false)),
      parser.registerCsiHandler({ intermediates: ' ', final: 'q' }, ([style]) => {
        this.#cursorStyle = typeof style === 'number' ? style : 0;
        return false;
      }),
      parser.registerCsiHandler({ final: 'r' }, ([top, bottom]) => {
        const first = typeof top !== 'number' || top <= 1;
        const last = typeof bottom !== 'number' || bottom === 0 || bottom >= terminal.rows;
        this.#margins = !(first && last);
        return false;
      }),
      parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => this.#reset()),
      parser.registerEscHandler({ final: 'c' }, () => this.#reset()),
      ...['(', ')', '*', '+'].flatMap((slot) =>
        ['0', 'A', 'B', '4'].map((set) =>
          parser.registerEscHandler({ intermediates: slot, final: set }, () => {
            if (set === 'B') this.#charsets.delete(slot);
            else this.#charsets.add(slot);
            return false;
          }),
        ),
      ),
    ];
  }

  /** Whether the serialised screen and `suffix` are all there is. */
  get whole(): boolean {
    return !this.#margins && this.#charsets.size === 0;
  }

  /** What has to be written after the serialised screen. */
  get suffix(): string {
    let text = '';
    for (const [mode, on] of this.#modes) {
      if (on !== forgotten.get(mode)) text += `\x1b[?${String(mode)}${on ? 'h' : 'l'}`;
    }
    if (this.#cursorStyle !== 0) text += `\x1b[${String(this.#cursorStyle)} q`;
    return text;
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose();
  }

  #set(params: (number | number[])[], on: boolean): boolean {
    for (const mode of params) {
      if (typeof mode === 'number' && this.#modes.has(mode)) this.#modes.set(mode, on);
    }
    return false;
  }

  #reset(): boolean {
    for (const [mode, on] of forgotten) this.#modes.set(mode, on);
    this.#cursorStyle = 0;
    this.#margins = false;
    this.#charsets.clear();
    return false;
  }
}
