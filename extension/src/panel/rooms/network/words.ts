import { oneLine } from '$ui/foreign';
import type { NetworkItem } from '$ui/protocol/protocol';

/** The longest text of a page that a row shows, in characters. */
const rowText = 300;

/** A text of the page as one short line. */
export const short = (text: string, most = rowText): string => oneLine(text.slice(0, most));

/** The last part of an address, as developer tools name a request. */
export function nameOf(url: string): string {
  if (url.startsWith('data:')) return short(url, 60);
  try {
    const { pathname, search, host } = new URL(url);
    const last = pathname.split('/').filter(Boolean).at(-1);
    return short(
      (last ?? host) + (pathname.endsWith('/') && last !== undefined ? '/' : '') + search,
    );
  } catch {
    return short(url);
  }
}

/** The host of an address; empty when it has none. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}

export function bytes(n: number | undefined): string {
  if (n === undefined) return '';
  if (n < 1000) return `${n} B`;
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

export function duration(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

/** Whether a request got no answer, or one of 400 or more. */
export const isBad = ({ entry }: NetworkItem): boolean =>
  entry.failed !== undefined || (entry.status ?? 0) >= 400;

/** What became of a request, in a word. */
export function statusOf({ entry }: NetworkItem): string {
  if (entry.failed !== undefined) {
    if (entry.failed.includes('BLOCKED_BY_CLIENT')) return 'blocked';
    return entry.failed.includes('ABORTED') ? 'canceled' : 'failed';
  }
  if (entry.status !== undefined) return String(entry.status);
  return entry.done ? 'done' : 'pending';
}

/** The size that came over the network, or where the answer came from instead. */
export function sizeOf({ entry, size }: NetworkItem): string {
  if (entry.from === 'cache') return 'cache';
  if (entry.from === 'worker') return 'worker';
  return bytes(entry.bytes ?? size);
}

/** Who asked for it, in a word. */
export function initiatorOf({ entry, stack }: NetworkItem): string {
  const first = stack?.[0];
  if (first !== undefined) return `${nameOf(first.url)}:${first.line}`;
  return short((entry.initiator ?? '').split(' ')[0] ?? '');
}
