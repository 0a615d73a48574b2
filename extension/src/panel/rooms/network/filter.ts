import type { NetworkItem } from '$ui/protocol/protocol';
import { initiatorOf, isBad, sizeOf } from './words';

/** The groups of types, as developer tools have them. */
export const typeGroups = {
  all: 'All types',
  fetch: 'Fetch/XHR',
  document: 'Document',
  script: 'JS',
  stylesheet: 'CSS',
  image: 'Image',
  media: 'Media',
  font: 'Font',
  websocket: 'WebSocket',
  other: 'Other',
} as const;

export type TypeGroup = keyof typeof typeGroups;

const groups: Readonly<Record<string, TypeGroup>> = {
  fetch: 'fetch',
  xhr: 'fetch',
  eventsource: 'fetch',
  document: 'document',
  script: 'script',
  stylesheet: 'stylesheet',
  image: 'image',
  media: 'media',
  font: 'font',
  websocket: 'websocket',
};

export const groupOf = (type: string): TypeGroup => groups[type] ?? 'other';

export interface Filter {
  /** A part of the address; words that begin with - are excluded. */
  readonly text: string;
  readonly type: TypeGroup;
  /** A method, or empty for all. */
  readonly method: string;
  /** "2" for 200 to 299 and so on, "failed" for those without an answer or of 400 or more. */
  readonly status: string;
  /** Whether to show what was asked before the last navigation. */
  readonly preserve: boolean;
}

export function filtered(
  all: readonly NetworkItem[],
  { text, type, method, status, preserve }: Filter,
): readonly NetworkItem[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const last = all.at(-1)?.page ?? 0;
  return all.filter((item) => {
    const { entry } = item;
    if (!preserve && item.page !== last) return false;
    if (type !== 'all' && groupOf(entry.type) !== type) return false;
    if (method !== '' && entry.method !== method) return false;
    if (status === 'failed' ? !isBad(item) : !String(entry.status ?? '').startsWith(status))
      return false;
    const url = entry.url.toLowerCase();
    return words.every((word) =>
      word.length > 1 && word.startsWith('-') ? !url.includes(word.slice(1)) : url.includes(word),
    );
  });
}

/** The columns that the list can be sorted by. */
export type Column = 'name' | 'status' | 'type' | 'initiator' | 'size' | 'time' | 'start';

const keys: Readonly<Record<Column, (item: NetworkItem) => string | number>> = {
  name: ({ entry }) => entry.url,
  status: ({ entry }) => entry.status ?? 0,
  type: ({ entry }) => entry.type,
  initiator: initiatorOf,
  size: (item) => (sizeOf(item) === 'cache' ? 0 : (item.entry.bytes ?? item.size ?? 0)),
  time: ({ entry }) => entry.durationMs ?? 0,
  start: ({ entry }) => Number(entry.id.slice(1)),
};

export function sorted(
  all: readonly NetworkItem[],
  column: Column,
  down: boolean,
): readonly NetworkItem[] {
  if (column === 'start' && !down) return all;
  const key = keys[column];
  const sign = down ? -1 : 1;
  return [...all].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return x < y ? -sign : x > y ? sign : 0;
  });
}
