// A run: what one actor did without a long pause, with its screenshots.
import type { ActivityEntry } from '$ui/protocol/protocol';
import { activityFoundSchema } from '$ui/protocol/schemas/activity';
import * as v from 'valibot';
import type { RoomDesk } from '../desk';
import { actorKey, asked, type Query } from './match';

/** A run with the entries that have a screenshot. */
export interface Run {
  /** Who acted. */
  readonly name: string;
  readonly entries: readonly ActivityEntry[];
  /** The indexes of the entries with a screenshot, oldest first; at least one. */
  readonly shots: readonly number[];
  /** The screenshot to begin with. */
  readonly start: number;
}

/** After so long without an entry, a new run begins, in ms. */
const longPause = 15 * 60_000;
/** How many entries a run has at most. */
const most = 1000;

/** The entries of one run: those around a place that no long pause divides. */
export function runOf(entries: readonly ActivityEntry[], place: number): ActivityEntry[] {
  const near = (a: ActivityEntry | undefined, b: ActivityEntry | undefined): boolean =>
    a !== undefined &&
    b !== undefined &&
    Math.abs(Date.parse(a.time) - Date.parse(b.time)) < longPause;
  let from = place;
  while (from > 0 && near(entries[from - 1], entries[from])) from -= 1;
  let to = place;
  while (to < entries.length - 1 && near(entries[to], entries[to + 1])) to += 1;
  return entries.slice(from, to + 1);
}

/**
 * The run of an entry; without one, the newest entries that a query selects. Undefined
 * when there is no screenshot.
 */
export async function runAround(
  desk: RoomDesk,
  entry: ActivityEntry | undefined,
  query: Query,
): Promise<Run | undefined> {
  const search = async (body: Record<string, unknown>): Promise<Found> =>
    v.parse(activityFoundSchema, await desk.request('/activity/search', { ...body, limit: most }));
  if (entry === undefined) {
    const found = await search(asked(query));
    return made('What is shown', found.entries, found.shots);
  }
  const actor = actorKey(entry.actor);
  const ahead = 400; // what the actor did later, among what others did
  const found = await search({ actor, before: entry.index + ahead });
  const own = found.entries.filter((one) => actorKey(one.actor) === actor);
  const place = own.findIndex(({ index }) => index === entry.index);
  if (place < 0) return undefined;
  const entries = runOf(own, place);
  return made(entry.actor.name, entries, found.shots, entry.index);
}

type Found = v.InferOutput<typeof activityFoundSchema>;

function made(
  name: string,
  entries: readonly ActivityEntry[],
  taken: readonly number[],
  at?: number,
): Run | undefined {
  const within = new Set(entries.map(({ index }) => index));
  const shots = taken.filter((index) => within.has(index)).sort((a, b) => a - b);
  if (shots.length === 0) return undefined;
  const start = Math.max(0, at === undefined ? 0 : shots.findLastIndex((index) => index <= at));
  return { name, entries, shots, start };
}

/** The place of the last screenshot that was taken at an entry or before it. */
export function shotAt(shots: readonly number[], index: number): number {
  return Math.max(
    0,
    shots.findLastIndex((shot) => shot <= index),
  );
}

/** protocol.ChatAttachment, as far as a screenshot has it: what a data URL can be made of. */
const shotSchema = v.object({
  mime: v.literal('image/jpeg'),
  data: v.pipe(v.string(), v.base64()),
});

/** The screenshot of an entry as a data URL. */
export async function loadShot(
  desk: RoomDesk,
  index: number,
  signal: AbortSignal,
): Promise<string> {
  const reply = await desk.request('/activity/shot', { index }, { signal });
  const { mime, data } = v.parse(shotSchema, reply);
  return `data:${mime};base64,${data}`;
}
