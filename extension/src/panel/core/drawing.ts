import {
  ControlAck,
  ControlCheckpoint,
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
} from './timing';
import { openCharacter } from './utf8';

/** The screen that a stream draws on. */
export interface Screen {
  /** Writes bytes after all earlier writes. Calls `drawn` when they are on the screen. */
  write(data: Uint8Array | string, drawn: () => void): void;
  /** Clears the screen, in order with the writes. */
  reset(): void;
  /** Sets the size for the writes that follow. */
  resize(cols: number, rows: number): void;
  /** Sets the size that fits the screen's container, in order with the writes. */
  fit(): void;
  /** The size that fits the screen's container. */
  size(): { cols: number; rows: number };
  /** The current size. */
  dimensions(): { cols: number; rows: number };
  /** The whole state of the screen as text; undefined while an escape sequence is incomplete. */
  snapshot(): Snapshot | undefined;
  /** Restores a snapshot that has the screen's size, in order with the writes. */
  restore(snapshot: string): void;
}

export interface DrawingConfig {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly encode: (text: string) => Uint8Array;
  /** Whether messages reach the backend now. */
  readonly heard: () => boolean;
  /**
   * Whether the drawn output is live. During a replay the backend already has the
   * data of the screen.
   */
  readonly live: () => boolean;
  readonly say: (message: ViewerControl) => void;
  /** Called when more of the received output is on the screen. */
  readonly onDrawn: () => void;
}

/**
 * Draws one epoch of a terminal and records how far it got. Each byte is drawn
 * once, in order, whichever socket it came from. Drawing acknowledges what is
 * drawn, and sends a checkpoint of the screen from time to time for the next
 * viewer.
 */
export class Drawing {
  readonly #config: DrawingConfig;
  #quiet: Cancel = () => undefined;

  #epoch = 0;
  /** Every byte of the epoch below this offset was received; it is drawn or queued for drawing. */
  #received = 0;
  #drawn = 0;
  #acked = 0;
  #checkpoint = 0;
  /** Counts the resets, so that a write callback from before a reset is ignored. */
  #generation = 0;
  /** Whether anything was written since the screen was cleared. */
  #written = false;
  /** The first bytes of an incomplete character, which are not drawn yet. */
  #half: Uint8Array = new Uint8Array();

  constructor(config: DrawingConfig) {
    this.#config = config;
  }

  /** The epoch that is being drawn; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The offset of the first byte that was not received yet. */
  get received(): number {
    return this.#received;
  }

  /** The offset of the first byte that is not on the screen yet. */
  get drawn(): number {
    return this.#drawn;
  }

  /** Starts again with an empty screen at an offset of an epoch. */
  clear(epoch: number, offset: number): void {
    this.#generation += 1;
    this.rest();
    // A new screen is empty already, and a reset would delay its first frame.
    if (this.#written) this.#config.screen.reset();
    this.#written = false;
    this.#half = new Uint8Array();
    this.#epoch = epoch;
    this.#received = offset;
    this.#drawn = offset;
    this.#acked = offset;
    this.#checkpoint = offset;
  }

  /** Draws a checkpoint that an earlier viewer sent. */
  snapshot(control: TerminalControl): void {
    this.clear(control.epoch ?? this.#epoch, control.offset ?? 0);
    const { screen } = this.#config;
    // The text was made for this size. At another size its lines would break elsewhere.
    if (control.cols !== undefined && control.rows !== undefined)
      screen.resize(control.cols, control.rows);
    const data = control.data ?? '';
    if (data === '') return;
    this.#written = true;
    if (isSnapshot(data)) screen.restore(data);
    else screen.write(data, () => undefined);
  }

  /** Sets the size that the terminal had from this point of the output on. */
  resize(cols: number, rows: number): void {
    this.#config.screen.resize(cols, rows);
  }

  /** Draws the new bytes of an output frame; false if the frame is invalid or leaves a gap. */
  output(message: ArrayBuffer): boolean {
    const frame = parseFrame(message);
    if (frame === undefined || frame.offset > this.#received) return false;
    const known = this.#received - frame.offset;
    if (known >= frame.data.length) return true;
    this.#received += frame.data.length - known;
    const data = joined(this.#half, frame.data.subarray(known));
    // xterm's decoder loses a character that is split in two pieces if the second
    // piece begins with 0x80.
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

  /**
   * Acknowledges what is drawn without waiting for more output. The rest of the
   * app's start waits for the first acknowledgement.
   */
  acknowledge(): void {
    if (this.#drawn > this.#acked) this.#ack();
  }

  /** Cancels the scheduled acknowledgement and checkpoint until more is drawn. */
  rest(): void {
    this.#quiet();
  }

  /** Whether everything that can be drawn is drawn. */
  get #complete(): boolean {
    return this.#drawn === this.#received - this.#half.length;
  }

  #wasDrawn(end: number): void {
    this.#drawn = end;
    this.#config.onDrawn();
    if (this.#drawn - this.#acked >= ACK_EVERY) this.#ack();
    if (this.#drawn - this.#checkpoint >= CHECKPOINT_EVERY) this.#sendCheckpoint();
    this.#quiet();
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
