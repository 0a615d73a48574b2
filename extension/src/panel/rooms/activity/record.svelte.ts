import type { ActivityEntry, ActivityGap } from '$ui/protocol/protocol';
import { activityFeedItemSchema, activityFoundSchema } from '$ui/protocol/schemas/activity';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import * as v from 'valibot';
import type { RoomDesk, Told } from '../desk';
import { actorKey, asked, everything, selects, type Query } from './match';
import { dayOf } from './words';

/** One row of the list: an entry, or indexes that are no longer stored. */
export interface Row {
  /** The index of the entry, or the last one of the gap. */
  readonly index: number;
  readonly entry?: ActivityEntry;
  readonly gap?: ActivityGap;
  /** The local day of the entry. */
  readonly day: string;
}

/** How many entries one request asks for. */
const page = 500;
/** How many rows are kept. When there are more, the oldest are dropped; they can be read again. */
const most = 110_000;
const dropped = 10_000;
/** How many requests without a result follow each other before the user has to ask again. */
const tries = 10;

/**
 * The entries that the room shows: those that a query selects, read backwards from the
 * newest, and the new ones from the feed.
 */
export class ActivityRecord {
  rows = $state.raw<readonly Row[]>([]);
  /** New rows that are not shown, because the user reads or has paused. */
  fresh = $state(0);
  /** Whether older entries are being read. */
  reading = $state(false);
  /** Why the entries could not be read; empty when they could. */
  problem = $state('');
  /** Whether there may be older entries than the first row. */
  more = $state(true);
  query = $state.raw<Query>(everything);
  /** The actors that were seen, by the key in a query. */
  readonly actors = new SvelteMap<string, string>();
  /** The entries that have a screenshot. */
  readonly shots = new SvelteSet<number>();

  readonly #desk: RoomDesk;
  #held: Row[] = [];
  #following = true;
  /** The read in progress, or the last one. */
  #last: Promise<unknown> = Promise.resolve();
  /** The index before which older entries are read; 0 at the beginning. */
  #before = 0;
  /** Grows with each query, so that a late reply to an earlier one is ignored. */
  #turn = 0;
  #abort = new AbortController();
  #unfollow: (() => void) | undefined;

  constructor(desk: RoomDesk) {
    this.#desk = desk;
  }

  /** Reads the newest entries and follows the new ones. */
  async start(query: Query = this.query): Promise<void> {
    this.stop();
    this.#turn += 1;
    const turn = this.#turn;
    this.query = query;
    this.rows = [];
    this.#held = [];
    this.fresh = 0;
    this.more = true;
    this.#before = 0;
    this.#abort = new AbortController();
    const read = this.#read(turn);
    this.#last = read;
    const last = await read;
    if (last === undefined || turn !== this.#turn) return;
    this.#unfollow = this.#desk.follow('activity', undefined, last, (report) => {
      if (turn === this.#turn) this.#apply(report);
    });
  }

  /** Ends what start began. */
  stop(): void {
    this.#turn += 1;
    this.#abort.abort();
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.reading = false;
  }

  /** Reads older entries, if there are any; waits for a read that is in progress instead. */
  async older(): Promise<void> {
    if (!this.reading && this.more && this.#before !== 0) this.#last = this.#read(this.#turn);
    await this.#last;
  }

  /** Shows new rows as they come, or holds them. */
  follow(on: boolean): void {
    this.#following = on;
    if (!on || this.#held.length === 0) return;
    const held = this.#held;
    this.#held = [];
    this.fresh = 0;
    this.#add(held);
  }

  /** Reads one page before the first row. Returns the newest index of the record. */
  async #read(turn: number): Promise<number | undefined> {
    this.reading = true;
    this.problem = '';
    try {
      for (let tried = 0; tried < tries; tried += 1) {
        const body = { ...asked(this.query), limit: page, before: this.#before };
        const reply = await this.#desk.request('/activity/search', body, {
          signal: this.#abort.signal,
        });
        if (turn !== this.#turn) return undefined;
        const found = v.parse(activityFoundSchema, reply);
        this.#before = found.before;
        this.more = found.before !== 0;
        const gaps = found.gaps.map((gap): Row => ({ index: gap.to, gap, day: '' }));
        const rows = [...found.entries.map(rowOf), ...gaps].sort((a, b) => a.index - b.index);
        this.#know(found.entries, found.shots);
        this.rows = [...rows, ...this.rows];
        if (rows.length > 0 || !this.more || tried === tries - 1) return found.last;
      }
    } catch (error) {
      if (turn === this.#turn)
        this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (turn === this.#turn) this.reading = false;
    }
    return undefined;
  }

  #apply({ batch, error }: Told): void {
    if (error !== undefined) {
      this.problem = error.message;
      return;
    }
    if (batch.gap === true) {
      // The record began anew, so the indexes of before mean nothing.
      void this.start();
      return;
    }
    const rows: Row[] = [];
    const entries: ActivityEntry[] = [];
    const shots: number[] = [];
    for (const item of batch.items) {
      const parsed = v.safeParse(activityFeedItemSchema, item);
      if (!parsed.success) continue; // from another version
      const { entry, gap, shot } = parsed.output;
      if (shot !== undefined) shots.push(shot);
      if (gap !== undefined) rows.push({ index: gap.to, gap, day: '' });
      if (entry === undefined) continue;
      entries.push(entry);
      if (selects(this.query, entry)) rows.push(rowOf(entry));
    }
    this.#know(entries, shots);
    if (rows.length === 0) return;
    if (this.#following) {
      this.#add(rows);
      return;
    }
    this.#held.push(...rows);
    this.fresh = this.#held.length;
    if (this.#held.length > most) this.#held.splice(0, dropped);
  }

  #add(rows: readonly Row[]): void {
    let all = [...this.rows, ...rows];
    if (all.length > most) {
      all = all.slice(-(most - dropped));
      this.#before = all[0]?.index ?? 0;
      this.more = true;
    }
    this.rows = all;
  }

  /** Remembers who acted, and which entries have a screenshot. */
  #know(entries: readonly ActivityEntry[], shots: readonly number[]): void {
    for (const { actor } of entries) this.actors.set(actorKey(actor), actor.name);
    for (const shot of shots) this.shots.add(shot);
  }
}

function rowOf(entry: ActivityEntry): Row {
  return { index: entry.index, entry, day: dayOf(entry) };
}
