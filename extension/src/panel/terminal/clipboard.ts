import { CLIPBOARD_LIMIT } from '../core/timing';

/**
 * The text that a program asks to put on the clipboard with OSC 52 ("c;" and
 * base64). Returns undefined when that is not allowed: a query of the clipboard, a
 * text over the limit, or invalid base64.
 */
export function clipboardText(data: string): string | undefined {
  const encoded = data.slice(data.indexOf(';') + 1);
  if (encoded === '' || encoded === '?' || (encoded.length / 4) * 3 > CLIPBOARD_LIMIT)
    return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
