/** How many bytes at the end of a text belong to an incomplete UTF-8 character. */
export function openCharacter(text: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, text.length); back++) {
    const byte = text[text.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
  }
  return 0; // a complete four-byte character, or not UTF-8
}

/** The length of a character, from its first byte. */
function lengthOf(first: number): number {
  if (first >= 0xf8) return 1; // never valid in UTF-8
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
