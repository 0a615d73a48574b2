import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal, type IDisposable } from '@xterm/xterm';
import { inputMethodTakes } from '$ui/inputmethod';
import { systemClock } from '../connection/clock';
import type { Screen } from '../core/drawing';
import { changedColours, resize, restore, setColours, take } from '../core/emulator/snapshot';
import { framed, needsConsent, sanitise } from '../core/paste';
import { Stream } from '../core/stream';
import { MAX_COLS, MAX_ROWS, MIN_COLS, MIN_ROWS, RESIZE_QUIET, SCROLLBACK } from '../core/timing';
import { clipboardText } from './clipboard';
import { exported, type Form } from './export';
import { isPanelKey, keyAction } from './keys';
import { opensLink, safeLink } from './links';
import { dark, light, matches } from './palette';
import { useGraphicsCard } from './renderer';
import { reset } from './reset';
import { clamp, type ViewConfig } from './viewconfig';

/** One terminal on the screen: xterm, its add-ons, and the stream that it draws. */
export class TerminalView {
  /** The element of the view. */
  readonly element = document.createElement('div');
  readonly stream: Stream;
  readonly #config: ViewConfig;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();
  readonly #abort = new AbortController();
  readonly #disposables: IDisposable[] = [];
  readonly #observer: ResizeObserver;
  #settled: () => void = () => undefined;
  #dark: boolean;
  #shown = false;
  #accelerated = false;

  /** Creates the view inside `parent`, which must be in the page. */
  constructor(parent: HTMLElement, config: ViewConfig) {
    this.#config = config;
    this.#dark = config.dark;
    this.element.className = 'terminal-view unpainted';
    // It takes up space, and so has a size, but is invisible until it is shown.
    this.element.style.visibility = 'hidden';
    parent.append(this.element);
    this.#terminal = new Terminal({
      allowProposedApi: true,
      ...(config.cols !== undefined && { cols: clamp(config.cols, MIN_COLS, MAX_COLS) }),
      ...(config.rows !== undefined && { rows: clamp(config.rows, MIN_ROWS, MAX_ROWS) }),
      cursorInactiveStyle: 'outline',
      fontFamily: config.fontFamily,
      fontSize: config.fontSize,
      // A larger value would leave gaps between box-drawing lines in the DOM renderer.
      lineHeight: 1,
      // Programs choose their greys for a dark background; on a light one they would
      // be invisible.
      minimumContrastRatio: 4.5,
      macOptionIsMeta: true,
      rightClickSelectsWord: false,
      overviewRuler: { width: 10 },
      scrollback: SCROLLBACK,
      theme: config.dark ? dark : light,
      // All options are off by default. They are stated here because it matters: no
      // program may read titles or positions.
      windowOptions: {},
      linkHandler: {
        allowNonHttpProtocols: false,
        activate: (event, text) => {
          this.#openLink(event, text);
        },
        hover: (event, text) => {
          this.#hoverLink(event, text);
        },
        leave: () => {
          config.onLink(undefined);
        },
      },
    });
    this.stream = new Stream({
      screen: this.#screen(),
      clock: systemClock,
      random: Math.random,
      encode: (text) => new TextEncoder().encode(text),
      dial: config.dial,
      online: config.online,
      looked: config.looked,
      onState: config.onState,
      onTerminal: config.onTerminal,
      onExit: config.onExit,
      onTitle: config.onTitle,
      onBell: config.onBell,
      onPainted: () => {
        this.#painted();
      },
    });
    this.#open();
    this.#observer = new ResizeObserver(() => {
      this.#settled();
      this.#settled = systemClock.after(RESIZE_QUIET, () => {
        this.#takeSize();
      });
    });
    this.#observer.observe(this.element);
  }

  /** Where in the panel the view is, and whether the toolbar is about it. */
  place(place: 'whole' | 'first' | 'second', chosen: boolean): void {
    this.element.dataset.place = place;
    this.element.dataset.chosen = String(chosen);
  }

  /** Shows the view. */
  show(): void {
    const wasAway = this.element.hidden;
    this.#shown = true;
    this.stream.shown = true;
    this.element.hidden = false;
    this.element.style.visibility = '';
    if (wasAway) this.#takeSizeOnceSeen();
    else this.#takeSize();
    this.#terminal.refresh(0, this.#terminal.rows - 1);
  }

  /** Hides the view and keeps it in memory. */
  hide(): void {
    this.#shown = false;
    this.stream.shown = false;
    this.element.hidden = true;
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** Types a text as a paste. Returns false if the user had to be asked and declined. */
  async paste(original: string): Promise<boolean> {
    const text = sanitise(original);
    if (text === '') return true;
    if (needsConsent(text, this.#terminal.modes.bracketedPasteMode)) {
      const consent = await this.#config.askPaste(original);
      this.focus();
      if (!consent) return false;
    }
    // Read the mode again: the program may have changed it meanwhile.
    this.stream.input(framed(text, this.#terminal.modes.bracketedPasteMode));
    this.#terminal.scrollToBottom();
    return true;
  }

  dispose(): void {
    this.#settled();
    this.#observer.disconnect();
    this.#abort.abort();
    this.stream.close();
    for (const disposable of this.#disposables) disposable.dispose();
    this.#terminal.dispose();
    this.element.remove();
  }

  setScheme(isDark: boolean): void {
    this.#dark = isDark;
    this.#setTheme(false);
  }

  setFontSize(size: number): void {
    if (this.#terminal.options.fontSize === size) return;
    this.#terminal.options.fontSize = size;
    this.#takeSize();
  }

  /**
   * Selects the next or the previous match. With `typing` the current match stays
   * selected while it still matches.
   */
  find(text: string, direction: 'next' | 'previous', typing = false): void {
    if (text === '') {
      this.endFind();
      this.#config.onMatches(-1, 0);
      return;
    }
    // The current match is the selection, which xterm would draw in grey while the
    // find bar has the focus.
    this.#setTheme(true);
    const options = { decorations: this.#dark ? matches.dark : matches.light, incremental: typing };
    if (direction === 'next') this.#search.findNext(text, options);
    else this.#search.findPrevious(text, options);
  }

  endFind(): void {
    this.#setTheme(false);
    this.#search.clearDecorations();
    this.#terminal.clearSelection();
  }

  exported = (form: Form): string => exported(this.#terminal, form, this.#dark ? dark : light);

  /** The selected text; the find bar starts with it. */
  get selection(): string {
    return this.#terminal.getSelection();
  }

  #open(): void {
    const terminal = this.#terminal;
    const config = this.#config;
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(this.#search);
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    terminal.loadAddon(
      new WebLinksAddon(
        (event, text) => {
          this.#openLink(event, text);
        },
        {
          hover: (event, text) => {
            this.#hoverLink(event, text);
          },
          leave: () => {
            config.onLink(undefined);
          },
        },
      ),
    );
    this.#disposables.push(
      terminal.onData((data) => {
        this.stream.input(data);
      }),
      terminal.onBinary((data) => {
        this.stream.binary(data);
      }),
      terminal.onResize(({ cols, rows }) => {
        this.stream.resize(cols, rows);
      }),
      this.#search.onDidChangeResults(({ resultIndex, resultCount }) => {
        config.onMatches(resultIndex, resultCount);
      }),
      terminal.parser.registerOscHandler(52, (data) => {
        this.#toClipboard(data);
        // Handled in every case: a query of the clipboard gets no answer.
        return true;
      }),
    );
    terminal.attachCustomKeyEventHandler((event) => this.#key(event));
    const { signal } = this.#abort;
    this.element.addEventListener('focusin', config.onFocus, { signal });
    // In the capture phase, because xterm's own handler would send the text unchanged.
    this.element.addEventListener('paste', (event) => void this.#paste(event), {
      capture: true,
      signal,
    });
    for (const type of ['dragover', 'drop'] as const) {
      this.element.addEventListener(
        type,
        (event) => {
          // A dropped text would be sent without the user having seen it.
          event.preventDefault();
          event.stopPropagation();
        },
        { capture: true, signal },
      );
    }
    terminal.open(this.element);
    this.#takeSize();
  }

  /** The first output is in the page and will be visible in the next frame. */
  #painted(): void {
    // For measurements of how long a user waits.
    performance.mark('pilotfish:painted');
    this.element.classList.remove('unpainted');
    requestAnimationFrame(() => {
      systemClock.after(0, () => {
        if (this.#abort.signal.aborted) return;
        this.stream.acknowledge();
        this.#accelerate();
      });
    });
  }

  /**
   * Draws with the graphics card, where there is one. It runs when idle, because
   * detecting the card takes a while.
   */
  #accelerate(): void {
    if (this.#accelerated) return;
    this.#accelerated = true;
    requestIdleCallback(() => {
      // On failure the DOM renderer continues.
      if (!this.#abort.signal.aborted && this.#config.graphicsCard())
        void useGraphicsCard(this.#terminal).catch(() => undefined);
    });
  }

  #screen(): Screen {
    const terminal = this.#terminal;
    const inOrder = (action: () => void): void => {
      terminal.write('', action);
    };
    return {
      write: (data, drawn) => {
        terminal.write(data, drawn);
      },
      reset: () => {
        terminal.write(reset);
      },
      resize: (cols, rows) => {
        inOrder(() => {
          resize(terminal, clamp(cols, MIN_COLS, MAX_COLS), clamp(rows, MIN_ROWS, MAX_ROWS));
        });
      },
      fit: () => {
        inOrder(() => {
          this.#fitPlace();
        });
      },
      size: () => this.#size(),
      dimensions: () => ({ cols: terminal.cols, rows: terminal.rows }),
      snapshot: () => take(terminal),
      restore: (snapshot) => {
        inOrder(() => {
          restore(terminal, snapshot);
        });
      },
    };
  }

  #size(): { cols: number; rows: number } {
    const proposed = this.element.hidden ? undefined : this.#fit.proposeDimensions();
    // The fit addon returns the minimum in a page that the browser has not laid out yet.
    if (proposed === undefined || !(proposed.cols > MIN_COLS) || !(proposed.rows > 0))
      return { cols: this.#terminal.cols, rows: this.#terminal.rows };
    return {
      cols: clamp(proposed.cols, MIN_COLS, MAX_COLS),
      rows: clamp(proposed.rows, MIN_ROWS, MAX_ROWS),
    };
  }

  #setTheme(finding: boolean): void {
    // xterm discards the colours that the program has changed.
    const changed = changedColours(this.#terminal);
    const theme = this.#dark ? dark : light;
    const current = (this.#dark ? matches.dark : matches.light).activeMatchBackground;
    this.#terminal.options.theme = finding
      ? { ...theme, selectionInactiveBackground: current }
      : theme;
    setColours(this.#terminal, changed);
  }

  /** Resizes to the container, unless a replay is about to need another size. */
  #takeSize(): void {
    if (this.stream.sizable) this.#fitPlace();
  }

  /**
   * Resizes to the container once xterm knows that it is visible again. Until then
   * xterm computes its scroll position with the old height. After a resize to a
   * smaller size it would stop above the last rows and no longer follow the output.
   */
  #takeSizeOnceSeen(): void {
    const screen = this.element.querySelector('.xterm-screen');
    if (screen === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      systemClock.after(0, () => {
        if (this.#shown) this.#takeSize();
      });
    });
    observer.observe(screen);
    this.#abort.signal.addEventListener('abort', () => {
      observer.disconnect();
    });
  }

  #fitPlace(): void {
    const { cols, rows } = this.#size();
    if (cols !== this.#terminal.cols || rows !== this.#terminal.rows)
      resize(this.#terminal, cols, rows);
  }

  #key(event: KeyboardEvent): boolean {
    // The input method handles the key; xterm knows how.
    if (inputMethodTakes(event)) return true;
    const action = keyAction(event, this.#terminal.hasSelection(), this.#config.mac);
    if (action === undefined) return true;
    if (isPanelKey(action)) {
      if (event.type !== 'keydown' || !this.#config.onKey(action)) return true;
      event.preventDefault();
      return false;
    }
    event.preventDefault();
    if (event.type !== 'keydown') return false;
    switch (action) {
      case 'newline':
        // Agents read this as a line break that does not send.
        this.stream.input('\x1b\r');
        break;
      case 'copy':
        this.#copy();
        break;
      case 'find':
        this.#config.onFind();
        break;
      case 'leave':
        this.#config.onLeave();
        break;
    }
    return false;
  }

  #copy(): void {
    const text = this.#terminal.getSelection();
    if (text === '') return;
    void navigator.clipboard.writeText(text).then(
      () => {
        this.#terminal.clearSelection();
      },
      // The selection stays, which shows the user that the text was not copied.
      () => undefined,
    );
  }

  async #paste(event: ClipboardEvent): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    await this.paste(event.clipboardData?.getData('text/plain') ?? '');
  }

  #toClipboard(data: string): void {
    // Ignore an old request in a replay, and a request of a terminal that is not in view.
    if (this.stream.replaying || !this.#shown || !document.hasFocus()) return;
    const text = clipboardText(data);
    if (text !== undefined) void navigator.clipboard.writeText(text).catch(() => undefined);
  }

  #hoverLink(event: MouseEvent, text: string): void {
    const url = safeLink(text);
    if (url !== null) this.#config.onLink({ url, x: event.clientX, y: event.clientY });
  }

  #openLink(event: MouseEvent, text: string): void {
    const url = safeLink(text);
    if (url === null || !opensLink(event, this.#config.mac)) return;
    this.#config.onLink(undefined);
    this.#config.onOpenLink(url);
  }
}
