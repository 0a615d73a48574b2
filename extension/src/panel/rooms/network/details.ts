import { errorMessage } from '../failure';
import {
  networkBodySchema,
  networkEntrySchema,
  savedFileSchema,
} from '$ui/protocol/schemas/watching';
import type { CommandReply, NetworkBody, NetworkEntry, SavedFile } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { RoomDesk } from '../desk';

/** Reads the data of a reply; throws what the reply says when it is an error. */
function data<T>(reply: CommandReply, schema: v.GenericSchema<unknown, T>): T {
  if (!reply.ok) throw new Error(errorMessage(reply.error));
  return v.parse(schema, reply.data);
}

/** A request with its headers. Without `secrets`, cookies and credentials are masked. */
export async function entryOf(desk: RoomDesk, id: string, secrets: boolean): Promise<NetworkEntry> {
  const reply = await desk.run('network', { do: 'show', what: id, masked: !secrets });
  return data(reply, networkEntrySchema);
}

/** The body of a response: its beginning, or an image. */
export async function bodyOf(desk: RoomDesk, id: string, secrets: boolean): Promise<NetworkBody> {
  const args = { do: 'body', what: id, data: true, masked: !secrets };
  return data(await desk.run('network', args), networkBodySchema);
}

/** Writes the whole body of a response into a file of the session. */
export async function saveBody(desk: RoomDesk, id: string): Promise<string> {
  const reply = await desk.run('network', { do: 'body', what: id, save: true });
  return data(reply, networkBodySchema).path ?? '';
}

export async function exportHAR(desk: RoomDesk, secrets: boolean): Promise<SavedFile> {
  const args = { do: 'har', bodies: true, masked: !secrets };
  return data(await desk.run('network', args, { timeout: 60_000 }), savedFileSchema);
}

/** A body as people read it: JSON with line breaks, anything else as it is. */
export function pretty(body: Pick<NetworkBody, 'text' | 'entry'>): string {
  const text = body.text ?? '';
  if (!/json/u.test(body.entry.mime ?? '') && !/^\s*[[{]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // it was cut, or is none
  }
}

/** The picture in a body, as an address for an image; undefined when it is none. */
export function pictureOf({ entry, data: bytes, text }: NetworkBody): string | undefined {
  const mime = entry.mime ?? '';
  if (!/^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)$/u.test(mime))
    return undefined;
  if (bytes !== undefined) return `data:${mime};base64,${bytes}`;
  // An image element runs no script of an SVG.
  return mime === 'image/svg+xml' && text !== undefined
    ? `data:${mime},${encodeURIComponent(text)}`
    : undefined;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** What follows the value in Set-Cookie, such as its path. */
  readonly rest: string;
}

/** The cookies in a header: of a request, or one in each line of a response. */
export function cookiesOf(header: string | undefined, response: boolean): readonly Cookie[] {
  const parts = (header ?? '').split(response ? '\n' : ';').map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    const [first = '', ...rest] = response ? part.split(';') : [part];
    const at = first.indexOf('=');
    return {
      name: at < 0 ? first : first.slice(0, at),
      value: at < 0 ? '' : first.slice(at + 1),
      rest: rest.map((one) => one.trim()).join('; '),
    };
  });
}

/** The names and values in the query of an address. */
export function queryOf(url: string): readonly [string, string][] {
  try {
    return [...new URL(url).searchParams];
  } catch {
    return [];
  }
}

/** A request as text for an agent: its credentials are masked. */
export function requestText(
  entry: NetworkEntry,
  body: string | undefined,
  stack: string,
  tab: string,
): string {
  const how =
    entry.failed ??
    (entry.status === undefined ? 'no answer yet' : `${entry.status} ${entry.statusText ?? ''}`);
  const headers = (all: Readonly<Record<string, string>> | undefined, mark: string): string[] =>
    Object.entries(all ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${mark} ${name}: ${value.slice(0, 500)}`);
  return [
    `${entry.method} ${entry.url}`,
    `${how.trim()} (${entry.type}, ${Math.round(entry.durationMs ?? 0)} ms, ${entry.id} in ${tab})`,
    ...headers(entry.requestHeaders, '>'),
    ...(entry.postData ? [`> ${entry.postData.slice(0, 2000)}`] : []),
    ...headers(entry.responseHeaders, '<'),
    ...(body === undefined || body === '' ? [] : ['', body.slice(0, 4000)]),
    ...(stack === '' ? [] : ['', 'Asked by:', stack]),
  ].join('\n');
}
