import type { PanelEvent, TerminalID } from '$ui/protocol/protocol';
import { EarlyTerminal } from './earlyterminal';
import type { Clock } from '../core/clock';
import { Connection, type ConnectionConfig, type Link } from './connection';

/** Receives what the connection reports. */
export interface Listener {
  readonly onLink: (link: Link) => void;
  readonly onEvent: (event: PanelEvent) => void;
}

/**
 * A connection that starts before the panel's components exist: the panel's code is
 * compiled while the backend answers. Events that arrive before there is a listener
 * are kept in order and then delivered to it.
 */
export class EarlyConnection {
  readonly connection: Connection;
  #listener: Listener | undefined;
  readonly #kept: ((listener: Listener) => void)[] = [];
  #terminal: EarlyTerminal | undefined;
  /** Whether the panel's first terminal has been attached. */
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

  /** Delivers all kept events to the listener, and each later event immediately. */
  listen(listener: Listener): void {
    this.#listener = listener;
    for (const tell of this.#kept.splice(0)) tell(listener);
  }

  /** The terminal that was attached before its screen existed. Returned only once. */
  terminal(id: TerminalID): EarlyTerminal | undefined {
    if (this.#terminal?.id !== id) return undefined;
    const terminal = this.#terminal;
    this.#terminal = undefined;
    return terminal;
  }

  /** Attaches to the terminal that the panel will show. The hello names it. */
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
