import {
  ControlAck,
  ControlCheckpoint,
  ControlPicture,
  type TerminalControl,
  type ViewerControl,
} from '$ui/protocol/protocol';
import type { Cancel, Clock } from './clock';
import { isSnapshot, type Snapshot } from './emulator/snapshot';
import { parseFrame } from './frame';
import {
  ACK_EVERY,
  CHECKPOINT_EVERY,
  CHECKPOINT_QUIET,
  CHECKPOINT_WORTH,
  MAX_CHECKPOINT,
  MAX_PICTURE,
  PICTURE_QUIET,
} from './timing';
import { openCharacter } from './utf8';

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
  /** The size that it has. */
  dimensions(): { cols: number; rows: number };
  /** Everything that the screen knows, as text; undefined while a sequence is open. */
  snapshot(): Snapshot | undefined;
  /** Becomes what a snapshot of its size says, in order with what is written. */
  restore(snapshot: string): void;
  /** What the screen looks like, for a panel that cannot draw it yet; undefined when nobody sees it. */
  picture(): string | undefined;
}

export interface DrawingConfig {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly encode: (text: string) => Uint8Array;
  /** Whether somebody hears what is said. */
  readonly heard: () => boolean;
  /** Whether what is drawn is live: while it replays, the backend has what makes the screen. */
  readonly live: () => boolean;
  readonly say: (message: ViewerControl) => void;
  /** More of what was received is on the screen. */
  readonly onDrawn: () => void;
}

/**
 * How far one epoch of a terminal is drawn: each byte once, in order, whichever
 * socket it came by. It acknowledges what is drawn, and tells the screen now
 * and then, for the next viewer.
 */
export class Drawing {
  readonly #config: DrawingConfig;
  #quiet: Cancel = () => undefined;
  #still: Cancel = () => undefined;

  #epoch = 0;
  /** Every byte of the epoch below this offset is here, drawn or about to be. */
  #received = 0;
  #drawn = 0;
  #acked = 0;
  #checkpoint = 0;
  /** Counts resets: a write callback of an earlier screen says nothing about this one. */
  #generation = 0;
  /** Something was written since the screen was cleared. */
  #written = false;
  /** The beginning of a character whose end is still to come: half ones are not drawn. */
  #half: Uint8Array = new Uint8Array();

  constructor(config: DrawingConfig) {
    this.#config = config;
  }

  /** The epoch that is drawn; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The offset of the first byte that is not here. */
  get received(): number {
    return this.#received;
  }

  /** The offset of the first byte that is not on the screen. */
  get drawn(): number {
    return this.#drawn;
  }

  /** Begins anew, with a clear screen, at an offset of an epoch. */
  clear(epoch: number, offset: number): void {
    this.#generation += 1;
    this.rest();
    // A new screen is clear, and clearing it takes time before its first picture.
    if (this.#written) this.#config.screen.reset();
    this.#written = false;
    this.#half = new Uint8Array();
    this.#epoch = epoch;
    this.#received = offset;
    this.#drawn = offset;
    this.#acked = offset;
    this.#checkpoint = offset;
  }

  /** Draws a screen that an earlier viewer told. */
  snapshot(control: TerminalControl): void {
    this.clear(control.epoch ?? this.#epoch, control.offset ?? 0);
    const { screen } = this.#config;
    // The text was made for this size; its lines would break elsewhere in ours.
    if (control.cols !== undefined && control.rows !== undefined)
      screen.resize(control.cols, control.rows);
    const data = control.data ?? '';
    if (data === '') return;
    this.#written = true;
    if (isSnapshot(data)) screen.restore(data);
    else screen.write(data, () => undefined);
  }

  /** Takes the size that the terminal had from here on. */
  resize(cols: number, rows: number): void {
    this.#config.screen.resize(cols, rows);
  }

  /** Draws what is new in a frame of output; false if it makes no sense here. */
  output(message: ArrayBuffer): boolean {
    const frame = parseFrame(message);
    if (frame === undefined || frame.offset > this.#received) return false;
    const known = this.#received - frame.offset;
    if (known >= frame.data.length) return true;
    this.#received += frame.data.length - known;
    const data = joined(this.#half, frame.data.subarray(known));
    // xterm's decoder loses a character that comes in two pieces of which the
    // second begins with 0x80.
    const open = openCharacter(data);
    this.#half = data.slice(data.length - open);
    if (open === data.length) return true;

    const end = this.#received - open;
    const generation = this.#generation;
    this.#written = true;
    this.#config.screen.write(data.subarray(0, data.length - open), () => {
      if (generation === this.#generation) this.#wasDrawn(end);
    });
    return true;
  }

  /** Says how far was drawn, without waiting for more: the first time, the rest of a start waits for it. */
  acknowledge(): void {
    if (this.#drawn > this.#acked) this.#ack();
  }

  /** Says nothing by itself until more was drawn. */
  rest(): void {
    this.#quiet();
    this.#still();
  }

  /** It looks different from here on, though nothing was written. */
  looks(): void {
    this.#still();
    if (!this.#complete) return;
    const generation = this.#generation;
    this.#still = this.#config.clock.after(PICTURE_QUIET, () => {
      if (generation === this.#generation && this.#complete) this.#tellPicture();
    });
  }

  /** Whether all is drawn that can be. */
  get #complete(): boolean {
    return this.#drawn === this.#received - this.#half.length;
  }

  #wasDrawn(end: number): void {
    this.#drawn = end;
    this.#config.onDrawn();
    if (this.#drawn - this.#acked >= ACK_EVERY) this.#ack();
    if (this.#drawn - this.#checkpoint >= CHECKPOINT_EVERY) this.#sendCheckpoint();
    this.#quiet();
    this.looks();
    if (this.#complete) {
      const generation = this.#generation;
      this.#quiet = this.#config.clock.after(CHECKPOINT_QUIET, () => {
        if (generation !== this.#generation || !this.#complete) return;
        this.acknowledge();
        const worth = this.#drawn - this.#checkpoint >= CHECKPOINT_WORTH;
        if (worth) this.#sendCheckpoint();
      });
    }
  }

  #ack(): void {
    if (!this.#config.heard()) return;
    this.#acked = this.#drawn;
    this.#config.say({ type: ControlAck, offset: this.#drawn });
  }

  #tellPicture(): void {
    if (!this.#config.heard()) return;
    const data = this.#config.screen.picture();
    if (data === undefined || this.#config.encode(data).length > MAX_PICTURE) return;
    this.#config.say({ type: ControlPicture, epoch: this.#epoch, offset: this.#drawn, data });
  }

  #sendCheckpoint(): void {
    if (!this.#config.heard() || !this.#config.live()) return;
    const snapshot = this.#config.screen.snapshot();
    if (snapshot === undefined || this.#config.encode(snapshot.data).length > MAX_CHECKPOINT)
      return;
    this.#checkpoint = this.#drawn;
    this.#config.say({
      type: ControlCheckpoint,
      epoch: this.#epoch,
      offset: this.#drawn,
      ...snapshot,
    });
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
