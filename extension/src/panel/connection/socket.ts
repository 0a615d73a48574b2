import { TokenSubprotocol, Version } from '$ui/protocol/protocol';
import { REQUEST_TIMEOUT } from '../core/timing';
import type { SocketEvents, Socket } from '../core/lastingsocket';
import { systemClock } from './clock';

/**
 * Opens a WebSocket. The token is in the second subprotocol, so that it does not
 * appear in a URL or a log. The socket is open when the promise resolves. After
 * that, `closed` is called once, unless `close` was called.
 */
export function openSocket(url: string, token: string, events: SocketEvents): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [Version, TokenSubprotocol + token]);
    socket.binaryType = 'arraybuffer';
    const unlisten = (): void => {
      socket.onopen = socket.onmessage = socket.onclose = null;
    };
    const cancel = systemClock.after(REQUEST_TIMEOUT, () => {
      unlisten();
      socket.close();
      reject(new Error('the socket was not opened in time'));
    });
    socket.onopen = () => {
      cancel();
      socket.onclose = (event) => {
        unlisten();
        events.closed(event.code);
      };
      resolve({
        send(data) {
          // A socket that is closing sends nothing more; `closed` follows.
          if (socket.readyState === WebSocket.OPEN)
            socket.send(typeof data === 'string' ? data : new Uint8Array(data));
        },
        close() {
          unlisten();
          socket.close(1000);
        },
      });
    };
    socket.onmessage = (event) => {
      events.message(event.data);
    };
    socket.onclose = (event) => {
      cancel();
      unlisten();
      reject(new ClosedError(event.code));
    };
  });
}

/** The socket was closed before it was open. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
  readonly code: number;
  constructor(code: number) {
    super(`the socket was closed with ${String(code)}`);
    this.code = code;
  }
}
