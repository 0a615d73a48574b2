import {
  CloseGone,
  CloseTakenOver,
  ControlAttach,
  ControlBell,
  ControlEpoch,
  ControlExit,
  ControlPing,
  ControlReady,
  ControlReplayed,
  ControlResize,
  ControlSeen,
  ControlShown,
  ControlSnapshot,
  ControlState,
  ControlTitle,
  type Exit,
  type TerminalControl,
  type TerminalInfo,
  type ViewerControl,
} from '$ui/protocol/protocol';
import { terminalControlSchema } from '$ui/protocol/schemas/terminal';
import * as v from 'valibot';
import type { Clock } from './clock';
import { Drawing, type Screen } from './drawing';
import { LastingSocket, type Socket, type SocketEvents } from './lastingsocket';
import { isReply } from './replies';
import { INPUT_ATTEMPTS, INPUT_PIECE, INPUT_WAITING } from './timing';

/** Thrown by `dial` when further attempts are useless. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/**
 * The state of a viewer. Besides attaching, replaying and live:
 * - waiting: waits before the next attempt
 * - taken: another viewer has the terminal
 * - ended: the terminal's process has ended
 * - gone: the terminal no longer exists
 * - closed: this panel is not attached
 */
export type StreamState =
  'attaching' | 'replaying' | 'live' | 'waiting' | 'taken' | 'ended' | 'gone' | 'closed';

export interface StreamConfig {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly random: () => number;
  readonly encode: (text: string) => Uint8Array;
  /** Opens a socket with a new attach token. The socket must be open when the promise resolves. */
  readonly dial: (size: { cols: number; rows: number }, events: SocketEvents) => Promise<Socket>;
  /** Whether an attempt can succeed. If not, the stream waits for `wake`. */
  readonly online: () => boolean;
  /** Whether the user has the panel before them; call `look` after a change. */
  readonly looked: () => boolean;
  readonly onState: (state: StreamState) => void;
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onExit: (exit: Exit | undefined) => void;
  readonly onTitle: (title: string) => void;
  readonly onBell: () => void;
  /** Called when the first output of this attachment is on the screen. */
  readonly onPainted: () => void;
}

/**
 * One viewer of one terminal. It attaches, attaches again when the socket is lost,
 * and draws the output. Input typed while it is not attached is queued.
 */
export class Stream {
  readonly #config: StreamConfig;
  readonly #socket: LastingSocket;
  readonly #drawing: Drawing;

  #state: StreamState = 'closed';
  /**
   * Counts attaches and disconnects, so that a late draw callback of an earlier
   * attachment is ignored.
   */
  #attachment = 0;
  #replaying = false;
  /** When the user chose this terminal, in milliseconds since 1970; 0 while it is not in view. */
  #shown = 0;
  /** Whether the backend was notified that the user has the terminal before them. */
  #seen = false;
  #exited = false;
  #painted = false;
  /** The first half of a surrogate pair that was typed; the second half follows at once. */
  #half = '';
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(config: StreamConfig) {
    this.#config = config;
    this.#drawing = new Drawing({
      screen: config.screen,
      clock: config.clock,
      encode: config.encode,
      heard: () => this.#socket.open,
      live: () => !this.#replaying,
      say: (message) => {
        this.#control(message);
      },
      onDrawn: () => {
        if (!this.#replaying) this.#paint();
      },
    });
    this.#socket = new LastingSocket({
      clock: config.clock,
      random: config.random,
      ping: (id) => {
        this.#control({ type: ControlPing, id });
      },
      dead: () => {
        this.#lost();
      },
    });
  }

  get state(): StreamState {
    return this.#state;
  }

  /**
   * Whether the output being drawn is old: its queries were answered and its
   * requests were carried out already.
   */
  get replaying(): boolean {
    return this.#replaying;
  }

  /** Attaches. Does nothing if the stream is attached or attaching. */
  attach(): void {
    if (this.#socket.open || this.#state === 'attaching') return;
    void this.#open();
  }

  /**
   * Attaches again at once if the stream waits, or if its process ended and a newer
   * epoch has begun.
   */
  wake(epoch = 0): void {
    if (this.#state === 'waiting') this.attach();
    else if (this.#state === 'ended' && epoch > this.#drawing.epoch) this.attach();
  }

  /** Sends input of the user and answers of the terminal. */
  input(text: string): void {
    if (this.#replaying && isReply(text)) return;
    // xterm reports a typed character beyond 16 bits, such as an emoji, in two halves.
    const whole = this.#half + text;
    const last = whole.charCodeAt(whole.length - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? whole.length - 1 : whole.length;
    this.#half = whole.slice(end);
    if (end > 0) this.#bytes(this.#config.encode(whole.slice(0, end)));
  }

  /** Sends bytes that are not text, such as the mouse reports of older programs. */
  binary(text: string): void {
    this.#bytes(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  }

  /**
   * Whether the screen may change its size now. Output that is about to be replayed
   * was written for the terminal's size at that time; `fit` follows when it is
   * drawn.
   */
  get sizable(): boolean {
    if (this.#drawing.epoch === 0) return true;
    return !this.#replaying && this.#state !== 'attaching' && this.#state !== 'waiting';
  }

  /**
   * Sends the screen's new size for the program, and the output offset at which the
   * screen changed.
   */
  resize(cols: number, rows: number): void {
    if (this.#replaying) return;
    const { epoch, drawn } = this.#drawing;
    this.#control({ type: ControlResize, epoch, offset: drawn, cols, rows });
  }

  /**
   * Acknowledges what is drawn without waiting for more output. The rest of the
   * app's start waits for the first acknowledgement.
   */
  acknowledge(): void {
    this.#drawing.acknowledge();
  }

  /**
   * Whether the terminal is in view. The next panel starts with the terminal that
   * was in view last.
   */
  set shown(shown: boolean) {
    if (shown === this.#shown > 0) return;
    this.#shown = shown ? Date.now() : 0;
    this.#tellShown();
    this.look();
  }

  /** Tells the backend when the user begins or ceases to have the terminal before them. */
  look(): void {
    const seen = this.#shown > 0 && this.#config.looked();
    if (seen === this.#seen || !this.#socket.open) return;
    this.#seen = seen;
    this.#control({ type: ControlSeen, seen });
  }

  /** Disconnects. The terminal continues without this viewer. */
  close(): void {
    this.#disconnect();
    this.#set('closed');
  }

  #set(state: StreamState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#config.onState(state);
  }

  async #open(): Promise<void> {
    if (!this.#config.online()) {
      this.#set('waiting');
      return;
    }
    this.#attachment += 1;
    this.#set('attaching');
    try {
      const size = this.#config.screen.size();
      await this.#socket.dial((events) => this.#config.dial(size, events), {
        opened: () => {
          this.#opened();
        },
        message: (data) => {
          this.#message(data);
        },
        closed: (code) => {
          this.#closed(code);
        },
      });
    } catch (error) {
      if (error instanceof GoneError) this.#set('gone');
      else this.#wait();
    }
  }

  #opened(): void {
    this.#exited = false;
    this.#painted = false;
    this.#control({
      type: ControlAttach,
      epoch: this.#drawing.epoch,
      offset: this.#drawing.received,
      ...this.#config.screen.size(),
    });
  }

  #wait(): void {
    if (this.#socket.failures >= INPUT_ATTEMPTS) this.#dropInput();
    this.#set('waiting');
    if (!this.#config.online()) return;
    this.#socket.later(() => {
      void this.#open();
    });
  }

  #disconnect(): void {
    this.#attachment += 1;
    this.#drawing.rest();
    this.#socket.drop();
  }

  /** Handles a socket that is lost or useless. Missing output comes with the next socket. */
  #lost(): void {
    this.#disconnect();
    this.#wait();
  }

  #closed(code: number): void {
    this.#disconnect();
    if (code === CloseGone) this.#set('gone');
    else if (code === CloseTakenOver) this.#set('taken');
    else if (this.#exited) this.#set('ended');
    else this.#wait();
  }

  /** The received output is invalid: discards the screen and requests it again. */
  #resynchronise(): void {
    this.#drawing.clear(0, 0);
    this.#lost();
  }

  #message(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      if (!this.#drawing.output(data)) this.#resynchronise();
      return;
    }
    let control: TerminalControl | undefined;
    if (typeof data === 'string') {
      try {
        const parsed = v.safeParse(terminalControlSchema, JSON.parse(data));
        if (parsed.success) control = parsed.output;
      } catch {
        // Not JSON: ignored, like an unknown message.
      }
    }
    // Ignore a message type that only a newer backend knows.
    if (control !== undefined) this.#obey(control);
  }

  #obey(control: TerminalControl): void {
    switch (control.type) {
      case ControlReady:
        this.#ready(control);
        break;
      case ControlSnapshot:
        this.#drawing.snapshot(control);
        break;
      case ControlResize:
        if (control.cols !== undefined && control.rows !== undefined)
          this.#drawing.resize(control.cols, control.rows);
        break;
      case ControlReplayed:
        this.#replayed();
        break;
      case ControlEpoch:
        this.#dropInput();
        this.#drawing.clear(control.epoch ?? this.#drawing.epoch + 1, control.offset ?? 0);
        this.#exited = false;
        // Nothing of the previous process is replayed any more.
        this.#replayed();
        break;
      case ControlExit:
        this.#exited = true;
        this.#config.onExit(control.exit);
        break;
      case ControlState:
        if (control.terminal !== undefined) this.#config.onTerminal(control.terminal);
        break;
      case ControlTitle:
        this.#config.onTitle(control.title ?? '');
        break;
      case ControlBell:
        if (!this.#replaying) this.#config.onBell();
        break;
      default:
        // A pong needs no action: the heartbeat already noted it. The other types are
        // only sent by the panel.
        break;
    }
  }

  #ready(control: TerminalControl): void {
    const drawing = this.#drawing;
    const epoch = control.epoch ?? control.terminal?.epoch ?? drawing.epoch;
    const offset = control.offset ?? 0;
    if (epoch !== drawing.epoch) {
      // The queued input was typed for a process that has ended.
      if (drawing.epoch !== 0) this.#dropInput();
      drawing.clear(epoch, offset);
    } else if (offset > drawing.received) {
      // The backend no longer has the output in between, so this viewer cannot show it.
      drawing.clear(epoch, offset);
    }
    this.#replaying = true;
    this.#set('replaying');
    if (control.terminal !== undefined) this.#config.onTerminal(control.terminal);
    this.#tellShown();
    this.#seen = false; // what a new viewer is to the backend
    this.look();
    this.#flushInput();
  }

  #replayed(): void {
    const attachment = this.#attachment;
    this.#config.screen.fit();
    // The stream becomes live when the replay is drawn, not when it is received:
    // everything not drawn yet belongs to the replay.
    this.#config.screen.write('', () => {
      if (this.#attachment !== attachment) return;
      this.#replaying = false;
      this.#socket.reached();
      this.#set('live');
      this.#paint();
      const { cols, rows } = this.#config.screen.dimensions();
      this.resize(cols, rows);
    });
  }

  #paint(): void {
    if (this.#painted) return;
    this.#painted = true;
    this.#config.onPainted();
  }

  #tellShown(): void {
    if (this.#shown > 0) this.#control({ type: ControlShown, at: this.#shown });
  }

  #control(message: ViewerControl): void {
    this.#socket.send(JSON.stringify(message));
  }

  #bytes(data: Uint8Array): void {
    if (this.#socket.open && (this.#state === 'live' || this.#state === 'replaying')) {
      for (let from = 0; from < data.length; from += INPUT_PIECE)
        this.#socket.send(data.subarray(from, from + INPUT_PIECE));
      return;
    }
    const coming = this.#state === 'attaching' || this.#state === 'waiting';
    if (!coming || this.#socket.failures > INPUT_ATTEMPTS) return;
    if (this.#waitingBytes + data.length > INPUT_WAITING) return;
    this.#waiting.push(data);
    this.#waitingBytes += data.length;
  }

  #flushInput(): void {
    const waiting = this.#waiting;
    this.#dropInput();
    for (const data of waiting) this.#bytes(data);
  }

  #dropInput(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
