import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal, type IDisposable } from '@xterm/xterm';
import { inputMethodTakes } from '$ui/inputmethod';
import type { Exit, TerminalInfo } from '$ui/protocol/protocol';
import { systemClock } from '../connection/clock';
import type { Screen } from '../core/drawing';
import { changedColours, resize, restore, setColours, take } from '../core/emulator/snapshot';
import { framed, needsConsent, sanitise } from '../core/paste';
import { written } from '../core/told';
import type { Socket, SocketEvents } from '../core/lastingsocket';
import { Stream, type StreamState } from '../core/stream';
import { MAX_COLS, MAX_ROWS, MIN_COLS, MIN_ROWS, RESIZE_QUIET, SCROLLBACK } from '../core/timing';
import { clipboardText } from './clipboard';
import { placeOf } from './firstpicture';
import { keyAction } from './keys';
import { opensLink, safeLink } from './links';
import { dark, light, matches } from './palette';
import { useGraphicsCard } from './renderer';
import { strokesOf } from './strokes';

/** A link under the mouse, or none. */
export interface HoveredLink {
  readonly url: string;
  readonly x: number;
  readonly y: number;
}

export interface ViewConfig {
  /** The size that its terminal has; where it is still the right one, nothing is laid out twice. */
  readonly cols?: number;
  readonly rows?: number;
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly dark: boolean;
  readonly mac: boolean;
  /** Whether to draw with WebGL; asked once the first frame is drawn. */
  readonly graphicsCard: () => boolean;
  readonly online: () => boolean;
  readonly dial: (size: { cols: number; rows: number }, events: SocketEvents) => Promise<Socket>;
  readonly onState: (state: StreamState) => void;
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onExit: (exit: Exit | undefined) => void;
  readonly onTitle: (title: string) => void;
  readonly onBell: () => void;
  readonly onFind: () => void;
  readonly onLeave: () => void;
  readonly onLink: (link: HoveredLink | undefined) => void;
  readonly onOpenLink: (url: string) => void;
  readonly onMatches: (index: number, count: number) => void;
  /** The first bytes are in the page. */
  readonly onPainted: () => void;
  /** Asks the person whether this text may be pasted. */
  readonly askPaste: (text: string) => Promise<boolean>;
}

/**
 * Makes an emulator as new, in order with what is written to it: a full reset, and
 * what xterm leaves out of one, a hidden cursor and changed colours. As bytes, so that
 * half a character before it is dropped.
 */
const reset = new TextEncoder().encode(
  '\x1bc\x1b[?25h\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07',
);

/** One terminal on the screen: xterm, its add-ons, and the stream that it shows. */
export class TerminalView {
  /** The element to put into the page. */
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

  /** The view opens in `parent`, which must be in the page. */
  constructor(parent: HTMLElement, config: ViewConfig) {
    this.#config = config;
    this.#dark = config.dark;
    this.element.className = 'terminal-view';
    // It has its place, and so its size, but is not seen before it is shown.
    this.element.style.visibility = 'hidden';
    parent.append(this.element);
    this.#terminal = new Terminal({
      allowProposedApi: true,
      ...(config.cols !== undefined && { cols: clamp(config.cols, MIN_COLS, MAX_COLS) }),
      ...(config.rows !== undefined && { rows: clamp(config.rows, MIN_ROWS, MAX_ROWS) }),
      cursorBlink: true,
      cursorInactiveStyle: 'outline',
      fontFamily: config.fontFamily,
      fontSize: config.fontSize,
      // More would tear the lines of boxes apart in the DOM renderer.
      lineHeight: 1,
      // Programs choose their greys for a dark ground; in the light they would vanish.
      minimumContrastRatio: 4.5,
      macOptionIsMeta: true,
      rightClickSelectsWord: false,
      overviewRuler: { width: 10 },
      scrollback: SCROLLBACK,
      theme: config.dark ? dark : light,
      // All off by default, said again because it matters: no program reads
      // titles or positions back.
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

  /** Brings the view to the front. */
  show(): void {
    const wasAway = this.element.hidden;
    this.#shown = true;
    this.stream.shown = true;
    this.element.hidden = false;
    this.element.style.visibility = '';
    if (wasAway) this.#takeSizeOnceSeen();
    else this.#takeSize();
    this.#terminal.refresh(0, this.#terminal.rows - 1);
    this.stream.looks();
  }

  /** Keeps the view alive out of sight. */
  hide(): void {
    this.#shown = false;
    this.stream.shown = false;
    this.element.hidden = true;
  }

  focus(): void {
    this.#terminal.focus();
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
    this.stream.looks();
  }

  setFontSize(size: number): void {
    if (this.#terminal.options.fontSize === size) return;
    this.#terminal.options.fontSize = size;
    this.#takeSize();
  }

  /** Selects the next match, or the one before; `typing` keeps the current one while it still fits. */
  find(text: string, direction: 'next' | 'previous', typing = false): void {
    if (text === '') {
      this.endFind();
      this.#config.onMatches(-1, 0);
      return;
    }
    // The current match is what is selected; while the find bar has the focus
    // that would be drawn in grey.
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

  /** What is selected, as a first word for the find bar. */
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
        // Handled in any case: a question for the clipboard gets no answer.
        return true;
      }),
    );
    terminal.attachCustomKeyEventHandler((event) => this.#key(event));
    const { signal } = this.#abort;
    // In the capture phase: xterm's own handler would send the text as it is.
    this.element.addEventListener('paste', (event) => void this.#paste(event), {
      capture: true,
      signal,
    });
    for (const type of ['dragover', 'drop'] as const) {
      this.element.addEventListener(
        type,
        (event) => {
          // A dropped text would be typed without having been looked at.
          event.preventDefault();
          event.stopPropagation();
        },
        { capture: true, signal },
      );
    }
    terminal.open(this.element);
    this.#takeSize();
  }

  /** What is written first is in the page, and seen with its next frame. */
  #painted(): void {
    // For whoever measures how long a person waits.
    performance.mark('pilotfish:painted');
    this.#config.onPainted();
    requestAnimationFrame(() => {
      systemClock.after(0, () => {
        if (this.#abort.signal.aborted) return;
        this.stream.acknowledge();
        this.#accelerate();
      });
    });
  }

  /** Draws with the graphics card from now on, where there is one: looking for it takes a while. */
  #accelerate(): void {
    if (this.#accelerated) return;
    this.#accelerated = true;
    requestIdleCallback(() => {
      // Without it the DOM goes on drawing.
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
      picture: () => this.#picture(),
    };
  }

  #picture(): string | undefined {
    if (!this.#shown) return undefined;
    const { fontFamily } = this.#config;
    const fontSize = this.#terminal.options.fontSize ?? this.#config.fontSize;
    return written({
      place: placeOf({ fontFamily, fontSize, dark: this.#dark }),
      top: this.element.getBoundingClientRect().top,
      lines: strokesOf(this.#terminal, this.#dark ? dark : light),
    });
  }

  #size(): { cols: number; rows: number } {
    const proposed = this.element.hidden ? undefined : this.#fit.proposeDimensions();
    if (proposed === undefined || !(proposed.cols > 0) || !(proposed.rows > 0))
      return { cols: this.#terminal.cols, rows: this.#terminal.rows };
    return {
      cols: clamp(proposed.cols, MIN_COLS, MAX_COLS),
      rows: clamp(proposed.rows, MIN_ROWS, MAX_ROWS),
    };
  }

  #setTheme(finding: boolean): void {
    // xterm forgets what a program has made of the colours.
    const changed = changedColours(this.#terminal);
    const theme = this.#dark ? dark : light;
    const current = (this.#dark ? matches.dark : matches.light).activeMatchBackground;
    this.#terminal.options.theme = finding
      ? { ...theme, selectionInactiveBackground: current }
      : theme;
    setColours(this.#terminal, changed);
  }

  /** Takes the size of its place, unless a replay is about to need another one. */
  #takeSize(): void {
    if (this.stream.sizable) this.#fitPlace();
    this.stream.looks(); // it may stand elsewhere
  }

  /**
   * Takes its size when xterm knows that it is in view again. Until then xterm keeps
   * the height that it had for its scroll position, which would end above the last
   * rows of a smaller size, and follow the output no more.
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
    // Neither ours nor the program's: xterm knows.
    if (inputMethodTakes(event)) return true;
    const action = keyAction(event, this.#terminal.hasSelection(), this.#config.mac);
    if (action === undefined) return true;
    event.preventDefault();
    if (event.type !== 'keydown') return false;
    switch (action) {
      case 'newline':
        // What agents read as a line break without sending.
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
      // The selection stays: that is what tells the person.
      () => undefined,
    );
  }

  async #paste(event: ClipboardEvent): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    const original = event.clipboardData?.getData('text/plain') ?? '';
    const text = sanitise(original);
    if (text === '') return;
    if (needsConsent(text, this.#terminal.modes.bracketedPasteMode)) {
      const consent = await this.#config.askPaste(original);
      this.focus();
      if (!consent) return;
    }
    // Asked again: the program may have changed its mind meanwhile.
    this.stream.input(framed(text, this.#terminal.modes.bracketedPasteMode));
    this.#terminal.scrollToBottom();
  }

  #toClipboard(data: string): void {
    // An old wish in a replay, or one of a terminal that nobody looks at.
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

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
