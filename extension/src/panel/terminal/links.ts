/** The address of a link that a terminal may open, in full; null for any other scheme. */
export function safeLink(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.href;
}

/** Whether a click means the link, and not a selection: with Ctrl, or Command on a Mac. */
export function opensLink(event: MouseEvent, mac: boolean): boolean {
  return mac ? event.metaKey : event.ctrlKey;
}
