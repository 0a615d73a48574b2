import type { NetworkEntry } from '$ui/protocol/protocol';

/** A text as one word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers that describe how the browser sent the request, not what was asked. */
const transport = /^(?::|content-length$|host$|connection$|transfer-encoding$)/u;

const headersOf = (entry: NetworkEntry): [string, string][] =>
  Object.entries(entry.requestHeaders ?? {})
    .filter(([name]) => !transport.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** The request as a command line of curl, for any POSIX shell. */
export function asCurl(entry: NetworkEntry): string {
  const url = entry.url.split('#')[0] ?? '';
  const parts = [`curl ${quoted(url)}`];
  // curl reads brackets and braces in an address as patterns.
  if (/[[\]{}]/u.test(url)) parts.push('--globoff');
  const body = entry.postData ?? '';
  if (entry.method === 'HEAD') parts.push('--head');
  else if (entry.method !== (body === '' ? 'GET' : 'POST'))
    parts.push(`-X ${quoted(entry.method)}`);
  for (const [name, value] of headersOf(entry)) {
    if (name === 'accept-encoding') parts.push('--compressed');
    // "name;" makes curl send a header without a value.
    else parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  if (body !== '') parts.push(`--data-raw ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

/** Headers that a page may not set: fetch would ignore them. */
const forbidden =
  /^(?:accept-charset|accept-encoding|access-control-.*|cookie2?|date|dnt|expect|keep-alive|origin|permissions-policy|proxy-.*|referer|sec-.*|te|trailer|upgrade|user-agent|via)$/u;

/** The request as a call of fetch, to be run in the page that made it. */
export function asFetch(entry: NetworkEntry): string {
  const headers = Object.fromEntries(headersOf(entry).filter(([name]) => !forbidden.test(name)));
  const cookies = entry.requestHeaders?.cookie !== undefined;
  const init = {
    method: entry.method,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(entry.requestHeaders?.referer !== undefined && {
      referrer: entry.requestHeaders.referer,
    }),
    ...(entry.postData !== undefined && entry.postData !== '' && { body: entry.postData }),
    credentials: cookies ? 'include' : 'same-origin',
  };
  return `fetch(${JSON.stringify(entry.url)}, ${JSON.stringify(init, undefined, 2)});`;
}
