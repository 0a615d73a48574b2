// Follows the byte stream just closely enough to know whether it stands between
// two characters and outside every escape sequence: only there can a screen be
// serialised and the stream go on behind it.

const enum State {
  Ground,
  Escape,
  Control,
  String,
  StringEscape,
}

/** Knows whether a stream of output is in the parser's ground state. */
export class GroundTracker {
  #state = State.Ground;
  /** Continuation bytes of a character that are still to come. */
  #pending = 0;
  /** The last byte was 0xC2, which may begin a C1 control. */
  #c1 = false;

  /** Whether the next byte starts something new. */
  get ground(): boolean {
    return this.#state === State.Ground && this.#pending === 0;
  }

  /** Forgets everything, as after a reset of the screen. */
  reset(): void {
    this.#state = State.Ground;
    this.#pending = 0;
    this.#c1 = false;
  }

  /** Takes the next bytes of the stream. */
  feed(data: Uint8Array): void {
    for (const byte of data) {
      if (this.#state === State.Ground && byte < 0x80 && byte !== 0x1b) {
        this.#pending = 0;
        continue;
      }
      this.#step(byte);
    }
  }

  #step(byte: number): void {
    if (byte >= 0x80) {
      this.#multibyte(byte);
      return;
    }
    this.#pending = 0;
    if (byte === 0x18 || byte === 0x1a) {
      this.#state = State.Ground;
      return;
    }
    switch (this.#state) {
      case State.Ground:
        if (byte === 0x1b) this.#state = State.Escape;
        break;
      case State.Escape:
        this.#escape(byte);
        break;
      case State.Control:
        if (byte === 0x1b) this.#state = State.Escape;
        else if (byte >= 0x40 && byte !== 0x7f) this.#state = State.Ground;
        break;
      case State.String:
        if (byte === 0x1b) this.#state = State.StringEscape;
        else if (byte === 0x07) this.#state = State.Ground;
        break;
      case State.StringEscape:
        if (byte === 0x5c) this.#state = State.Ground;
        else this.#escape(byte);
        break;
    }
  }

  #escape(byte: number): void {
    if (byte === 0x5b) this.#state = State.Control;
    // DCS, SOS, OSC, PM, APC: everything up to their terminator.
    else if ([0x50, 0x58, 0x5d, 0x5e, 0x5f].includes(byte)) this.#state = State.String;
    else if (byte === 0x1b || byte < 0x30) this.#state = State.Escape;
    else this.#state = State.Ground;
  }

  #multibyte(byte: number): void {
    if (byte >= 0xc0) {
      this.#pending = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      this.#c1 = byte === 0xc2;
      return;
    }
    if (this.#pending > 0) this.#pending -= 1;
    if (!this.#c1) return;
    this.#c1 = false;
    // U+0080 to U+009F are controls of one character.
    if (byte === 0x9b) this.#state = State.Control;
    else if ([0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(byte)) this.#state = State.String;
    else if (byte < 0xa0) this.#state = State.Ground;
  }
}
