import type { PanelEvent, TerminalID } from '$ui/protocol/protocol';
import { EarlyTerminal } from './earlyterminal';
import type { Clock } from '../core/clock';
import { Connection, type ConnectionConfig, type Link } from './connection';

/** Who is told what the connection hears. */
export interface Listener {
  readonly onLink: (link: Link) => void;
  readonly onEvent: (event: PanelEvent) => void;
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

  readonly #clock: Clock;

  constructor(config: Omit<ConnectionConfig, keyof Listener>) {
    this.#clock = config.clock;
    this.connection = new Connection({
      ...config,
      onLink: (link) => {
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

  /** The first state names the terminal that the panel will show. */
  #attach(event: PanelEvent): void {
    if (event.type !== 'hello' || event.attach === undefined) return;
    const { attach, session } = event;
    const info = session.terminals.find(({ id }) => id === attach.terminal);
    if (info === undefined || this.#begun) return;
    this.#begun = true;
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
