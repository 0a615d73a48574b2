/**
 * Resets an emulator completely, in order with what is written to it: a full reset,
 * and what xterm's full reset leaves out, a hidden cursor and changed colours. As
 * bytes, so that an incomplete character before it is dropped.
 */
export const reset = new TextEncoder().encode(
  '\x1bc\x1b[?25h\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07',
);
