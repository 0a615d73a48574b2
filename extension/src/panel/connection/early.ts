import type { PanelEvent } from '$ui/protocol/protocol';
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

  constructor(config: Omit<ConnectionConfig, keyof Listener>) {
    this.connection = new Connection({
      ...config,
      onLink: (link) => {
        this.#tell((listener) => {
          listener.onLink(link);
        });
      },
      onEvent: (event) => {
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

  #tell(tell: (listener: Listener) => void): void {
    if (this.#listener === undefined) this.#kept.push(tell);
    else tell(this.#listener);
  }
}
