/** The full URL of a link that a terminal may open; null for any scheme but http and https. */
export function safeLink(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.href;
}

/**
 * Whether a click opens the link instead of starting a selection: with Ctrl, or
 * with Command on a Mac.
 */
export function opensLink(event: MouseEvent, mac: boolean): boolean {
  return mac ? event.metaKey : event.ctrlKey;
}
