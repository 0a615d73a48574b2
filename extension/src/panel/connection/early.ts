import type { HelloEvent, PanelEvent, TerminalID } from '$ui/protocol/protocol';
import { EarlyTerminal } from './earlyterminal';
import type { Clock } from '../core/clock';
import { EARLY_WAIT } from '../core/timing';
import { Connection, type ConnectionConfig, type Link } from './connection';

/** Who is told what the connection hears. */
export interface Listener {
  readonly onLink: (link: Link) => void;
  readonly onEvent: (event: PanelEvent) => void;
}

/** What an early connection needs. */
export interface EarlyConfig extends Omit<ConnectionConfig, keyof Listener> {
  /** Draws what the first terminal shows; undefined where that cannot be told yet. */
  readonly draw: (hello: HelloEvent) => Picture | undefined;
}

/** What stands where a terminal will be. */
export interface Picture {
  /** Whether it is in the page; else it comes with the page's size. */
  readonly shown: boolean;
  remove(): void;
}

/**
 * A connection that is under way before there is a face to tell: the panel's
 * code is compiled while the backend answers. What it hears meanwhile is kept,
 * in order, for the listener that comes.
 */
export class EarlyConnection {
  readonly connection: Connection;
  #listener: Listener | undefined;
  readonly #kept: ((listener: Listener) => void)[] = [];
  #terminal: EarlyTerminal | undefined;
  /** The panel's first terminal was attached to. */
  #begun = false;

  /**
   * Resolves when the backend has said what the panel shows first, or it is plain
   * that it will not say so soon; with whether a picture of that was drawn.
   */
  readonly first: Promise<boolean>;
  #firstKnown!: (drawn: boolean) => void;
  #picture: { readonly of: TerminalID; readonly drawn: Picture } | undefined;

  readonly #clock: Clock;
  readonly #draw: EarlyConfig['draw'];

  constructor(config: EarlyConfig) {
    this.#clock = config.clock;
    this.#draw = config.draw;
    this.first = new Promise((resolve) => {
      this.#firstKnown = resolve;
    });
    this.connection = new Connection({
      ...config,
      onLink: (link) => {
        if (link !== 'connecting' && link !== 'unpaired') this.#firstKnown(false);
        this.#tell((listener) => {
          listener.onLink(link);
        });
      },
      onEvent: (event) => {
        this.#attach(event);
        this.#tell((listener) => {
          listener.onEvent(event);
        });
      },
    });
  }

  /** Hands over what was heard so far, and from now on everything at once. */
  listen(listener: Listener): void {
    this.#listener = listener;
    for (const tell of this.#kept.splice(0)) tell(listener);
  }

  /** The terminal that was attached to before there was a screen for it; once. */
  terminal(id: TerminalID): EarlyTerminal | undefined {
    if (this.#terminal?.id !== id) return undefined;
    const terminal = this.#terminal;
    this.#terminal = undefined;
    return terminal;
  }

  /** The terminal of which a picture stands in the page. */
  get pictured(): TerminalID | undefined {
    return this.#picture?.of;
  }

  /** Takes the picture away: the terminal is there, or something else is shown. */
  endPicture(): void {
    this.#picture?.drawn.remove();
    this.#picture = undefined;
  }

  /** The first state names the terminal that the panel will show. */
  #attach(event: PanelEvent): void {
    if (event.type !== 'hello' || event.attach === undefined) return;
    const { attach, session } = event;
    const info = session.terminals.find(({ id }) => id === attach.terminal);
    if (info === undefined || this.#begun) return;
    this.#begun = true;
    const drawn = this.#draw(event);
    if (drawn !== undefined) {
      this.#picture = { of: info.id, drawn };
      this.#clock.after(EARLY_WAIT, () => {
        this.endPicture();
      });
    }
    this.#firstKnown(drawn?.shown === true);
    this.#terminal = new EarlyTerminal(
      info,
      (events) => this.connection.dial('/ws', attach.token, events),
      this.#clock,
    );
  }

  #tell(tell: (listener: Listener) => void): void {
    if (this.#listener === undefined) this.#kept.push(tell);
    else tell(this.#listener);
  }
}
