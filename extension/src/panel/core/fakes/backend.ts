import type { Screen } from '../drawing';
import { MARK, type Snapshot } from '../emulator/snapshot';
import type { Socket, SocketEvents } from '../lastingsocket';
import type { TerminalControl, ViewerControl } from '$ui/protocol/protocol';

/** A screen that draws only when the test calls `draw`. Like xterm it draws later and in order. */
export class FakeScreen implements Screen {
  /** The text on the screen: everything written since the last reset. */
  text = '';
  cols = 80;
  rows = 24;
  resizes: string[] = [];
  serialisable = true;
  readonly #queue: (() => void)[] = [];
  readonly #decoder = new TextDecoder();

  write(data: Uint8Array | string, drawn: () => void): void {
    this.#queue.push(() => {
      this.text += typeof data === 'string' ? data : this.#decoder.decode(data, { stream: true });
      drawn();
    });
  }
  reset(): void {
    this.#queue.push(() => {
      this.text = '';
    });
  }
  resize(cols: number, rows: number): void {
    this.#queue.push(() => this.resizes.push(`${String(cols)}x${String(rows)}`));
  }
  fit(): void {
    this.#queue.push(() => this.resizes.push('fit'));
  }
  size(): { cols: number; rows: number } {
    return { cols: this.cols, rows: this.rows };
  }
  dimensions(): { cols: number; rows: number } {
    return this.size();
  }
  snapshot(): Snapshot | undefined {
    if (!this.serialisable) return undefined;
    return { data: MARK + this.text, ...this.size() };
  }
  restore(snapshot: string): void {
    this.#queue.push(() => {
      this.text = snapshot.slice(MARK.length);
    });
  }
  /** Draws everything that is queued. */
  draw(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next();
  }
}

/** The backend's end of one terminal socket, in the real wire format. */
export class FakeSocket implements Socket {
  readonly controls: ViewerControl[] = [];
  readonly input: Uint8Array[] = [];
  open = true;
  readonly events: SocketEvents;

  constructor(events: SocketEvents) {
    this.events = events;
  }
  send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.controls.push(JSON.parse(data) as ViewerControl);
    else this.input.push(data.slice());
  }
  close(): void {
    this.open = false;
  }
  /** The input that arrived, as text. */
  get typed(): string {
    return new TextDecoder().decode(Buffer.concat(this.input));
  }
  /** The control messages of one type that arrived. */
  of(type: ViewerControl['type']): ViewerControl[] {
    return this.controls.filter((control) => control.type === type);
  }
  control(message: TerminalControl): void {
    this.events.message(JSON.stringify(message));
  }
  output(offset: number, data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const frame = new ArrayBuffer(8 + bytes.length);
    new DataView(frame).setBigUint64(0, BigInt(offset));
    new Uint8Array(frame, 8).set(bytes);
    this.events.message(frame);
  }
  /** The backend, or the network, closes the socket. */
  drop(code = 1006): void {
    this.open = false;
    this.events.closed(code);
  }
}
