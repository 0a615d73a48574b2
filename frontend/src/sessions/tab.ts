import { oneLine } from '$ui/foreign';
import type { Tab } from '$ui/protocol/protocol';

/** The label of a tab: its title, else its address, else a description. */
export function tabTitle(tab: Tab): string {
  const title = oneLine(tab.title);
  if (title !== '') return title;
  if (tab.loading) return 'Loading…';
  return tabAddress(tab) === '' ? 'New tab' : tabAddress(tab);
}

/** The address of the web page that a user typed, who may leave out the scheme. */
export function typedAddress(text: string): string {
  const address = text.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address;
  return (/^(localhost|127\.|\[)/i.test(address) ? 'http://' : 'https://') + address;
}

/** The address without the scheme; empty for a blank page. */
export function tabAddress(tab: Tab): string {
  if (tab.url === '' || tab.url === 'about:blank' || tab.url.startsWith('chrome://newtab'))
    return '';
  return oneLine(tab.url)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
}
