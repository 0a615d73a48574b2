import { TokenSubprotocol, Version } from '$ui/protocol/protocol';
import { REQUEST_TIMEOUT } from '../core/timing';
import type { SocketEvents, Socket } from '../core/stream';
import { systemClock } from './clock';

/**
 * Opens a WebSocket with a token in its second subprotocol, where neither a URL
 * nor a log sees it. It is open when this resolves; afterwards `closed` is
 * called once, unless `close` was.
 */
export function openSocket(url: string, token: string, events: SocketEvents): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [Version, TokenSubprotocol + token]);
    socket.binaryType = 'arraybuffer';
    const deaf = (): void => {
      socket.onopen = socket.onmessage = socket.onclose = null;
    };
    const cancel = systemClock.after(REQUEST_TIMEOUT, () => {
      deaf();
      socket.close();
      reject(new Error('the socket was not opened in time'));
    });
    socket.onopen = () => {
      cancel();
      socket.onclose = (event) => {
        deaf();
        events.closed(event.code);
      };
      resolve({
        send(data) {
          // A socket that is closing takes nothing more; `closed` follows.
          if (socket.readyState === WebSocket.OPEN)
            socket.send(typeof data === 'string' ? data : new Uint8Array(data));
        },
        close() {
          deaf();
          socket.close(1000);
        },
      });
    };
    socket.onmessage = (event) => {
      events.message(event.data);
    };
    socket.onclose = (event) => {
      cancel();
      deaf();
      reject(new ClosedError(event.code));
    };
  });
}

/** A socket that was closed before it was open. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
  readonly code: number;
  constructor(code: number) {
    super(`the socket was closed with ${String(code)}`);
    this.code = code;
  }
}
