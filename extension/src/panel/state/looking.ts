/**
 * Whether the user has the panel before them: its window is the one that they use, and
 * the panel is not hidden. A panel beside which the user works in another program does
 * not count, even if it can be seen there.
 */
export class Looking {
  #focused = false;
  #now = false;
  /** Called after each change of `now`. */
  onchange: () => void = () => undefined;

  get now(): boolean {
    return this.#now;
  }

  /** Follows the browser's events about a window until `signal` aborts. */
  run(window: number | undefined, focused: boolean, signal: AbortSignal): void {
    const decide = (): void => {
      this.#decide();
    };
    const moved = (to: number): void => {
      this.#focused = to === window;
      decide();
    };
    document.addEventListener('visibilitychange', decide, { signal });
    chrome.windows.onFocusChanged.addListener(moved);
    signal.addEventListener('abort', () => {
      chrome.windows.onFocusChanged.removeListener(moved);
    });
    this.#focused = focused;
    decide();
  }

  #decide(): void {
    const now = this.#focused && document.visibilityState === 'visible';
    if (now === this.#now) return;
    this.#now = now;
    this.onchange();
  }
}
