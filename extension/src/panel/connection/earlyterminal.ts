import { ControlAttach, type TerminalID, type TerminalInfo } from '$ui/protocol/protocol';
import type { Cancel, Clock } from '../core/clock';
import type { Socket, SocketEvents } from '../core/lastingsocket';
import { EARLY_WAIT } from '../core/timing';
import { ClosedError } from './socket';

/** The code of a socket that is closed on purpose (RFC 6455, section 7.4.1). */
const normalClosure = 1000;

/**
 * A viewer's socket that attaches to a terminal before its screen exists. Messages
 * that arrive before then are kept for the stream that adopts the socket.
 */
export class EarlyTerminal {
  readonly id: TerminalID;
  readonly #opening: Promise<Socket>;
  readonly #expire: Cancel;
  #kept: unknown[] = [];
  #closed: number | undefined;
  #events: SocketEvents | undefined;

  constructor(info: TerminalInfo, dial: (events: SocketEvents) => Promise<Socket>, clock: Clock) {
    this.id = info.id;
    this.#opening = dial({
      message: (data) => {
        if (this.#events === undefined) this.#kept.push(data);
        else this.#events.message(data);
      },
      closed: (code) => {
        this.#closed = code;
        this.#events?.closed(code);
      },
    }).then((socket) => {
      // Who waited for it no longer has attached by another socket, which this must not end.
      if (this.#closed !== undefined) return socket;
      // Attach with the terminal's current size. The screen that adopts it sends the
      // size that fits.
      const { cols, rows } = info;
      socket.send(JSON.stringify({ type: ControlAttach, epoch: 0, offset: 0, cols, rows }));
      return socket;
    });
    const leave = (): void => {
      // The browser reports the closing later; nobody may adopt the socket before.
      this.#closed ??= normalClosure;
      this.#opening.then(
        (socket) => {
          socket.close();
        },
        () => undefined,
      );
    };
    this.#expire = clock.after(EARLY_WAIT, leave);
    this.#opening.catch(() => undefined);
  }

  /**
   * Gives the socket to a stream that has drawn nothing yet. The stream's first
   * message is its attach. That was sent already, so it is not sent again; it
   * starts the delivery of the kept messages.
   */
  async adopt(events: SocketEvents): Promise<Socket> {
    this.#expire();
    const socket = await this.#opening;
    if (this.#closed !== undefined) throw new ClosedError(this.#closed);
    return {
      send: (data) => {
        if (this.#events !== undefined) {
          socket.send(data);
          return;
        }
        this.#events = events;
        for (const message of this.#kept.splice(0)) events.message(message);
      },
      close: () => {
        socket.close();
      },
    };
  }
}
