/** How many bytes at the end of a text begin a UTF-8 character that does not end there. */
export function openCharacter(text: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, text.length); back++) {
    const byte = text[text.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
  }
  return 0; // a whole one of four bytes, or no UTF-8
}

/** The length that the first byte of a character announces. */
function lengthOf(first: number): number {
  if (first >= 0xf8) return 1; // never in UTF-8
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
