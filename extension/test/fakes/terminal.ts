import type { TerminalControl, TerminalInfo, ViewerControl } from '$ui/protocol/protocol';
import type { WebSocket } from 'ws';

const escape = '\x1b';

/** A terminal of the fake backend: an output stream with offsets, and at most one viewer. */
export class FakeTerminal {
  info: TerminalInfo;
  /** All output of this epoch. */
  output = Buffer.alloc(0);
  /** All input that arrived. */
  input = Buffer.alloc(0);
  readonly controls: ViewerControl[] = [];
  /** The checkpoint that a viewer sent: a new viewer receives it first. */
  checkpoint: ViewerControl | undefined;
  readonly #changed: (info: TerminalInfo) => void;
  #viewer: WebSocket | undefined;
  #waiters: (() => void)[] = [];

  constructor(info: TerminalInfo, changed: (info: TerminalInfo) => void) {
    this.info = info;
    this.#changed = changed;
  }

  /** Prints text as the program inside would. */
  print(text: string): void {
    const data = Buffer.from(text);
    const offset = this.output.length;
    this.output = Buffer.concat([this.output, data]);
    this.#frame(offset, data);
  }

  /** Prints text to a panel that is live, and resolves when the panel has drawn it. */
  async draw(text: string): Promise<void> {
    const report = new RegExp(`${escape}\\[\\d+;\\d+R`);
    // The answer to a question about the cursor comes after what was printed before it.
    this.print(`${text}${escape}[6n`);
    await this.until(() => report.test(this.input.toString('latin1')));
    this.input = Buffer.from(this.input.toString('latin1').replace(report, ''), 'latin1');
  }

  /** Serves a socket whose first message must be attach. */
  serve(socket: WebSocket): void {
    socket.binaryType = 'nodebuffer';
    socket.once('message', (first: Buffer) => {
      const attach = JSON.parse(first.toString()) as ViewerControl;
      if (attach.type !== 'attach') {
        socket.close(1002);
        return;
      }
      this.#viewer?.close(4409);
      this.#viewer = socket;
      this.change({ viewers: 1 });
      this.#note(attach);
      let from = attach.epoch === this.info.epoch ? (attach.offset ?? 0) : 0;
      const ready = { type: 'ready', terminal: this.info, epoch: this.info.epoch } as const;
      const { checkpoint } = this;
      if (checkpoint !== undefined && from === 0) from = checkpoint.offset ?? 0;
      this.control({ ...ready, offset: from });
      if (checkpoint !== undefined && from === checkpoint.offset)
        this.control({ ...checkpoint, type: 'snapshot' });
      this.#frame(from, this.output.subarray(from));
      this.control({ type: 'replayed', offset: this.output.length });
      if (this.info.exit !== undefined) this.control({ type: 'exit', exit: this.info.exit });
      socket.on('message', (data: Buffer, binary: boolean) => {
        if (binary) this.input = Buffer.concat([this.input, data]);
        else this.#note(JSON.parse(data.toString()) as ViewerControl);
        this.#wake();
      });
      this.#wake();
    });
    socket.on('close', () => {
      if (this.#viewer !== socket) return;
      this.#viewer = undefined;
      this.change({ viewers: 0 });
    });
  }

  control(message: TerminalControl): void {
    this.#viewer?.send(JSON.stringify(message));
  }

  /** Changes the terminal's info and publishes it. */
  change(part: Partial<TerminalInfo>): void {
    this.info = { ...this.info, ...part };
    this.#changed(this.info);
  }

  /** Ends the program. */
  exit(code: number, signal?: string): void {
    const exit = { code, ...(signal !== undefined && { signal }) };
    this.control({ type: 'exit', exit });
    this.change({ state: 'ended', status: 'ended', exit });
  }

  /** Starts the next process under the same id. */
  restart(agent: Partial<TerminalInfo>): void {
    this.output = Buffer.alloc(0);
    this.input = Buffer.alloc(0);
    const info = { ...this.info };
    delete info.exit;
    this.info = { ...info, ...agent, epoch: info.epoch + 1, state: 'live', status: 'idle' };
    this.control({ type: 'epoch', epoch: this.info.epoch });
    this.#changed(this.info);
  }

  /** Closes the viewer's socket, like a network failure. */
  drop(code = 1011): void {
    this.#viewer?.close(code);
  }

  /** Resolves once `done` returns true; it is checked after every message of the viewer. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #note(control: ViewerControl): void {
    this.controls.push(control);
    if (control.type === 'ping') this.control({ type: 'pong', id: control.id ?? 0 });
  }

  #frame(offset: number, data: Buffer): void {
    if (data.length === 0) return;
    const header = Buffer.alloc(8);
    header.writeBigUInt64BE(BigInt(offset));
    this.#viewer?.send(Buffer.concat([header, data]));
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
