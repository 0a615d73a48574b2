import {
  ControlAck,
  ControlCheckpoint,
  ControlPicture,
  type TerminalControl,
  type ViewerControl,
} from '$ui/protocol/protocol';
import { checkpointParts, overScreen } from './checkpoint';
import type { Cancel, Clock } from './clock';
import { parseFrame } from './frame';
import { GroundTracker } from './ground';
import {
  ACK_EVERY,
  CHECKPOINT_EVERY,
  CHECKPOINT_QUIET,
  CHECKPOINT_WORTH,
  MAX_CHECKPOINT,
  MAX_PICTURE,
  PICTURE_QUIET,
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
  /** What the screen looks like, for a panel that cannot draw it yet; undefined when nobody sees it. */
  picture(): string | undefined;
}

export interface DrawingConfig {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly encode: (text: string) => Uint8Array;
  /** Whether somebody hears what is said. */
  readonly heard: () => boolean;
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
  readonly #ground = new GroundTracker();
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

  /** Begins anew, with a clear screen, at an offset of an epoch. */
  clear(epoch: number, offset: number): void {
    this.#generation += 1;
    this.rest();
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

  /** Draws a screen that an earlier viewer told. */
  snapshot(control: TerminalControl): void {
    this.clear(control.epoch ?? this.#epoch, control.offset ?? 0);
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

  /** Draws what is new in a frame of output; false if it makes no sense here. */
  output(message: ArrayBuffer): boolean {
    const frame = parseFrame(message);
    if (frame === undefined || frame.offset > this.#received) return false;
    const known = this.#received - frame.offset;
    if (known >= frame.data.length) return true;
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
    if (this.#drawn !== this.#received) return;
    const generation = this.#generation;
    this.#still = this.#config.clock.after(PICTURE_QUIET, () => {
      if (generation === this.#generation && this.#drawn === this.#received) this.#tellPicture();
    });
  }

  #wasDrawn(end: number, ground: boolean): void {
    this.#drawn = end;
    this.#config.onDrawn();
    if (this.#drawn - this.#acked >= ACK_EVERY) this.#ack();
    if (ground && this.#drawn - this.#checkpoint >= CHECKPOINT_EVERY) this.#sendCheckpoint();
    this.#quiet();
    this.looks();
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
    if (!this.#config.heard()) return;
    const data = this.#config.screen.serialize();
    if (data === undefined || this.#config.encode(data).length > MAX_CHECKPOINT) return;
    this.#checkpoint = this.#drawn;
    const { cols, rows } = this.#config.screen.size();
    this.#config.say({
      type: ControlCheckpoint,
      epoch: this.#epoch,
      offset: this.#drawn,
      cols,
      rows,
      data,
    });
  }
}
