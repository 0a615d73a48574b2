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
  ControlShown,
  ControlSnapshot,
  ControlState,
  ControlTitle,
  type Exit,
  type TerminalControl,
  type TerminalInfo,
  type ViewerControl,
} from '$ui/protocol/protocol';
import { terminalControlSchema } from '$ui/protocol/schema';
import * as v from 'valibot';
import type { Clock } from './clock';
import { Drawing, type Screen } from './drawing';
import { LastingSocket, type Socket, type SocketEvents } from './lastingsocket';
import { isReply } from './replies';
import { INPUT_ATTEMPTS, INPUT_PIECE, INPUT_WAITING } from './timing';

/** Thrown by a dialler when a further attempt is useless. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/**
 * Where a viewer is: `waiting` for the next attempt, `taken` by another viewer,
 * `ended` with a process that is over, `gone` with a terminal that is
 * forgotten, `closed` by this panel.
 */
export type StreamState =
  'attaching' | 'replaying' | 'live' | 'waiting' | 'taken' | 'ended' | 'gone' | 'closed';

export interface StreamConfig {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly random: () => number;
  readonly encode: (text: string) => Uint8Array;
  /** Opens a socket with a fresh attach token; it must be open when this resolves. */
  readonly dial: (size: { cols: number; rows: number }, events: SocketEvents) => Promise<Socket>;
  /** Whether an attempt has a chance; after false the stream waits for `wake`. */
  readonly online: () => boolean;
  readonly onState: (state: StreamState) => void;
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onExit: (exit: Exit | undefined) => void;
  readonly onTitle: (title: string) => void;
  readonly onBell: () => void;
  /** The first bytes of this attachment are on the screen. */
  readonly onPainted: () => void;
}

/**
 * One viewer of one terminal: it attaches, stays attached across lost sockets,
 * and has what comes drawn; what is typed meanwhile waits.
 */
export class Stream {
  readonly #config: StreamConfig;
  readonly #socket: LastingSocket;
  readonly #drawing: Drawing;

  #state: StreamState = 'closed';
  /** Counts what was attached and dropped: what is still drawn of a former one is not live. */
  #attachment = 0;
  #replaying = false;
  /** When the user turned to it, in milliseconds since 1970, while it is in view. */
  #shown = 0;
  #exited = false;
  #painted = false;
  /** The first half of a character that was typed; its second comes at once. */
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

  /** What is drawn now is old: its questions were answered, its wishes granted. */
  get replaying(): boolean {
    return this.#replaying;
  }

  /** Attaches; a stream that is attached, or about to be, is left alone. */
  attach(): void {
    if (this.#socket.open || this.#state === 'attaching') return;
    void this.#open();
  }

  /** Attaches again at once if it waits, or if the process it saw end was followed by another. */
  wake(epoch = 0): void {
    if (this.#state === 'waiting') this.attach();
    else if (this.#state === 'ended' && epoch > this.#drawing.epoch) this.attach();
  }

  /** Sends typing of the person and answers of the terminal. */
  input(text: string): void {
    if (this.#replaying && isReply(text)) return;
    // A key of a character beyond 16 bits, such as an emoji, comes as two halves.
    const whole = this.#half + text;
    const last = whole.charCodeAt(whole.length - 1);
    const end = last >= 0xd800 && last <= 0xdbff ? whole.length - 1 : whole.length;
    this.#half = whole.slice(end);
    if (end > 0) this.#bytes(this.#config.encode(whole.slice(0, end)));
  }

  /** Sends bytes that are no text, such as the mouse reports of old programs. */
  binary(text: string): void {
    this.#bytes(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  }

  /**
   * Whether the screen may take another size now. What is about to be replayed
   * was written for the size that it had; `fit` follows when that is drawn.
   */
  get sizable(): boolean {
    if (this.#drawing.epoch === 0) return true;
    return !this.#replaying && this.#state !== 'attaching' && this.#state !== 'waiting';
  }

  /** Tells the program the screen's new size, and the backend where in the output it was taken. */
  resize(cols: number, rows: number): void {
    if (this.#replaying) return;
    const { epoch, drawn } = this.#drawing;
    this.#control({ type: ControlResize, epoch, offset: drawn, cols, rows });
  }

  /** Says how far was drawn, without waiting for more: the first time, the rest of a start waits for it. */
  acknowledge(): void {
    this.#drawing.acknowledge();
  }

  /** Whether the user looks at it: the next panel begins with what was looked at last. */
  set shown(shown: boolean) {
    if (shown === this.#shown > 0) return;
    this.#shown = shown ? Date.now() : 0;
    this.#tellShown();
  }

  /** It looks different from here on, though nothing was written. */
  looks(): void {
    if (this.#state === 'live') this.#drawing.looks();
  }

  /** Lets the terminal go on without this viewer. */
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

  /** The socket is of no use any more, whoever says so; what is missing comes with the next one. */
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

  /** What arrived makes no sense: the screen is asked for anew. */
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
        // Not JSON: treated as below.
      }
    }
    // A message that a newer backend added is none of ours.
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
        // Nothing of the process before is replayed any more.
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
        // Pong is a sign of life, which was noted; the others are ours to send.
        break;
    }
  }

  #ready(control: TerminalControl): void {
    const drawing = this.#drawing;
    const epoch = control.epoch ?? control.terminal?.epoch ?? drawing.epoch;
    const offset = control.offset ?? 0;
    if (epoch !== drawing.epoch) {
      // Typed for a process that is over.
      if (drawing.epoch !== 0) this.#dropInput();
      drawing.clear(epoch, offset);
    } else if (offset > drawing.received) {
      // Older output than the backend keeps is lost to this viewer.
      drawing.clear(epoch, offset);
    }
    this.#replaying = true;
    this.#set('replaying');
    if (control.terminal !== undefined) this.#config.onTerminal(control.terminal);
    this.#tellShown();
    this.#flushInput();
  }

  #replayed(): void {
    const attachment = this.#attachment;
    this.#config.screen.fit();
    // Live begins on the screen, not on the wire: what is still to be drawn
    // belongs to the replay.
    this.#config.screen.write('', () => {
      if (this.#attachment !== attachment) return;
      this.#replaying = false;
      this.#socket.reached();
      this.#set('live');
      this.#paint();
      const { cols, rows } = this.#config.screen.dimensions();
      this.resize(cols, rows);
      this.looks();
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
