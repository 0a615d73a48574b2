import {
  CloseGone,
  CloseTakenOver,
  ControlAck,
  ControlAttach,
  ControlBell,
  ControlCheckpoint,
  ControlEpoch,
  ControlExit,
  ControlPing,
  ControlReady,
  ControlReplayed,
  ControlResize,
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
import { backoff } from './backoff';
import { checkpointParts, overScreen } from './checkpoint';
import type { Cancel, Clock } from './clock';
import { parseFrame } from './frame';
import { GroundTracker } from './ground';
import { Heartbeat } from './heartbeat';
import { isReply } from './replies';
import {
  ACK_EVERY,
  CHECKPOINT_EVERY,
  CHECKPOINT_QUIET,
  CHECKPOINT_WORTH,
  INPUT_ATTEMPTS,
  INPUT_PIECE,
  INPUT_WAITING,
  MAX_CHECKPOINT,
} from './timing';

/** What a stream draws on. */
export interface Screen {
  /** Draws bytes after all that was given before; `drawn` is called when it has. */
  write(data: Uint8Array | string, drawn: () => void): void;
  /** Clears everything, in order with what is written. */
  reset(): void;
  /** Takes a size for what is written next. */
  resize(cols: number, rows: number): void;
  /** Takes the size of the place it is shown in, in order with what is written. */
  fit(): void;
  /** The size that fits the place it is shown in. */
  size(): { cols: number; rows: number };
  /** Holds back what follows until what was written is seen, or cannot be. */
  paint(): void;
  /** The screen as text that draws it again; undefined when it cannot be told whole. */
  serialize(): string | undefined;
}

/** An open socket of a terminal. Binary messages come as ArrayBuffer. */
export interface Socket {
  send(data: string | Uint8Array): void;
  close(): void;
}

/** What a socket tells the stream. */
export interface SocketEvents {
  message(data: unknown): void;
  closed(code: number): void;
}

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
 * One viewer of one terminal: it draws each byte of the stream once, in order,
 * across lost sockets; acknowledges what is drawn; and hands over checkpoints.
 */
export class Stream {
  readonly #config: StreamConfig;
  readonly #heartbeat: Heartbeat;
  readonly #ground = new GroundTracker();

  #state: StreamState = 'closed';
  #socket: Socket | undefined;
  /** Counts attempts to attach: what a former one still reports is not heard. */
  #attempt = 0;
  #failures = 0;
  #retry: Cancel = () => undefined;
  #quiet: Cancel = () => undefined;

  #epoch = 0;
  /** Every byte of the epoch below this offset is here, drawn or about to be. */
  #received = 0;
  #drawn = 0;
  #acked = 0;
  #checkpoint = 0;
  /** Counts resets: a write callback of an earlier screen says nothing about this one. */
  #generation = 0;
  #replaying = false;
  #exited = false;
  #painted = false;
  /** Something was written since the screen was cleared. */
  #written = false;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(config: StreamConfig) {
    this.#config = config;
    this.#heartbeat = new Heartbeat(
      config.clock,
      (id) => {
        this.#control({ type: ControlPing, id });
      },
      () => {
        this.#lost();
      },
    );
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
    if (this.#socket !== undefined || this.#state === 'attaching') return;
    this.#retry();
    void this.#open();
  }

  /** Attaches again at once if it waits, or if the process it saw end was followed by another. */
  wake(epoch = 0): void {
    if (this.#state === 'waiting') this.attach();
    else if (this.#state === 'ended' && epoch > this.#epoch) this.attach();
  }

  /** Sends typing of the person and answers of the terminal. */
  input(text: string): void {
    if (this.#replaying && isReply(text)) return;
    this.#bytes(this.#config.encode(text));
  }

  /** Sends bytes that are no text, such as the mouse reports of old programs. */
  binary(text: string): void {
    this.#bytes(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  }

  /** Tells the program its size; a size that belongs to a replay is not its own. */
  resize(cols: number, rows: number): void {
    if (this.#replaying) return;
    this.#control({ type: ControlResize, cols, rows });
  }

  /** Lets the terminal go on without this viewer. */
  close(): void {
    this.#disconnect();
    this.#retry();
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
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#set('attaching');
    const current = (): boolean => this.#attempt === attempt;
    try {
      const size = this.#config.screen.size();
      const socket = await this.#config.dial(size, {
        message: (data) => {
          if (current()) this.#message(data);
        },
        closed: (code) => {
          if (current()) this.#closed(code);
        },
      });
      if (!current()) {
        socket.close();
        return;
      }
      this.#socket = socket;
      this.#exited = false;
      this.#painted = false;
      this.#heartbeat.start();
      this.#control({
        type: ControlAttach,
        epoch: this.#epoch,
        offset: this.#received,
        ...this.#config.screen.size(),
      });
    } catch (error) {
      if (!current()) return;
      if (error instanceof GoneError) this.#set('gone');
      else this.#wait();
    }
  }

  #wait(): void {
    if (this.#failures >= INPUT_ATTEMPTS) this.#dropInput();
    this.#set('waiting');
    if (!this.#config.online()) return;
    this.#retry();
    this.#retry = this.#config.clock.after(backoff(this.#failures, this.#config.random), () => {
      void this.#open();
    });
    this.#failures += 1;
  }

  #disconnect(): void {
    this.#attempt += 1;
    this.#heartbeat.stop();
    this.#quiet();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
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
    this.#clear(0, 0);
    this.#lost();
  }

  #message(data: unknown): void {
    this.#heartbeat.heard();
    if (data instanceof ArrayBuffer) {
      this.#output(data);
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
        this.#snapshot(control);
        break;
      case ControlReplayed:
        this.#replayed();
        break;
      case ControlEpoch:
        this.#dropInput();
        this.#clear(control.epoch ?? this.#epoch + 1, control.offset ?? 0);
        this.#exited = false;
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
    const epoch = control.epoch ?? control.terminal?.epoch ?? this.#epoch;
    const offset = control.offset ?? 0;
    if (epoch !== this.#epoch) {
      // Typed for a process that is over.
      if (this.#epoch !== 0) this.#dropInput();
      this.#clear(epoch, offset);
    } else if (offset > this.#received) {
      // Older output than the backend keeps is lost to this viewer.
      this.#clear(epoch, offset);
    }
    this.#replaying = true;
    this.#set('replaying');
    if (control.terminal !== undefined) this.#config.onTerminal(control.terminal);
    this.#flushInput();
  }

  #snapshot(control: TerminalControl): void {
    this.#clear(control.epoch ?? this.#epoch, control.offset ?? 0);
    const { screen } = this.#config;
    // The text was made for this size; its lines would break elsewhere in ours.
    if (control.cols !== undefined && control.rows !== undefined)
      screen.resize(control.cols, control.rows);
    this.#written = true;
    const parts = checkpointParts(control.data ?? '');
    const { cols, rows } = screen.size();
    // In another size it would be seen to jump.
    if (parts.screen === undefined || control.cols !== cols || control.rows !== rows) {
      screen.write(parts.whole, () => undefined);
      return;
    }
    screen.write(parts.screen, () => undefined);
    screen.paint();
    screen.write(overScreen(parts.whole), () => undefined);
  }

  #replayed(): void {
    const attempt = this.#attempt;
    this.#config.screen.fit();
    // Live begins on the screen, not on the wire: what is still to be drawn
    // belongs to the replay.
    this.#config.screen.write('', () => {
      if (this.#attempt !== attempt) return;
      this.#replaying = false;
      this.#failures = 0;
      this.#set('live');
      this.#paint();
      const { cols, rows } = this.#config.screen.size();
      this.resize(cols, rows);
    });
  }

  #output(message: ArrayBuffer): void {
    const frame = parseFrame(message);
    if (frame === undefined || frame.offset > this.#received) {
      this.#resynchronise();
      return;
    }
    const known = this.#received - frame.offset;
    if (known >= frame.data.length) return;
    const data = known === 0 ? frame.data : frame.data.subarray(known);
    this.#received += data.length;
    this.#ground.feed(data);

    const end = this.#received;
    const ground = this.#ground.ground;
    const generation = this.#generation;
    this.#written = true;
    this.#config.screen.write(data, () => {
      if (generation === this.#generation) this.#wasDrawn(end, ground);
    });
  }

  #wasDrawn(end: number, ground: boolean): void {
    this.#drawn = end;
    if (!this.#replaying) this.#paint();
    if (this.#drawn - this.#acked >= ACK_EVERY) this.#ack();
    if (ground && this.#drawn - this.#checkpoint >= CHECKPOINT_EVERY) this.#sendCheckpoint();
    this.#quiet();
    if (this.#drawn === this.#received) {
      const generation = this.#generation;
      this.#quiet = this.#config.clock.after(CHECKPOINT_QUIET, () => {
        if (generation !== this.#generation || this.#drawn !== this.#received) return;
        this.acknowledge();
        const worth = this.#drawn - this.#checkpoint >= CHECKPOINT_WORTH;
        if (worth && this.#ground.ground) this.#sendCheckpoint();
      });
    }
  }

  /** Says how far was drawn, without waiting for more: the first time, the rest of a start waits for it. */
  acknowledge(): void {
    if (this.#drawn > this.#acked) this.#ack();
  }

  #paint(): void {
    if (this.#painted) return;
    this.#painted = true;
    this.#config.onPainted();
  }

  #ack(): void {
    if (this.#socket === undefined) return;
    this.#acked = this.#drawn;
    this.#control({ type: ControlAck, offset: this.#drawn });
  }

  #sendCheckpoint(): void {
    if (this.#socket === undefined) return;
    const data = this.#config.screen.serialize();
    if (data === undefined || this.#config.encode(data).length > MAX_CHECKPOINT) return;
    this.#checkpoint = this.#drawn;
    const { cols, rows } = this.#config.screen.size();
    this.#control({
      type: ControlCheckpoint,
      epoch: this.#epoch,
      offset: this.#drawn,
      cols,
      rows,
      data,
    });
  }

  #clear(epoch: number, offset: number): void {
    this.#generation += 1;
    this.#quiet();
    // A new screen is clear, and clearing it takes time before its first picture.
    if (this.#written) this.#config.screen.reset();
    this.#written = false;
    this.#ground.reset();
    this.#epoch = epoch;
    this.#received = offset;
    this.#drawn = offset;
    this.#acked = offset;
    this.#checkpoint = offset;
  }

  #control(message: ViewerControl): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #bytes(data: Uint8Array): void {
    if (this.#socket !== undefined && (this.#state === 'live' || this.#state === 'replaying')) {
      for (let from = 0; from < data.length; from += INPUT_PIECE)
        this.#socket.send(data.subarray(from, from + INPUT_PIECE));
      return;
    }
    const coming = this.#state === 'attaching' || this.#state === 'waiting';
    if (!coming || this.#failures > INPUT_ATTEMPTS) return;
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
