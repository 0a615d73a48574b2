// Which entries a query selects: the same rules as backend/activity/search.go, for
// new entries.
import type { Actor, ActivityEntry, ActivityKind } from '$ui/protocol/protocol';

/** What the user looks for. Empty fields select everything. */
export interface Query {
  readonly text: string;
  readonly kind: ActivityKind | '';
  /** A kind of actor and its id. */
  readonly actor: string;
  readonly tab: string;
  /** A day as YYYY-MM-DD, with which the list ends. */
  readonly day: string;
}

export const everything: Query = { text: '', kind: '', actor: '', tab: '', day: '' };

/** The kind of an entry: one without is a command. */
export function kindOf(entry: ActivityEntry): ActivityKind {
  return entry.kind ?? 'command';
}

/** An actor as the query names it. */
export function actorKey(actor: Actor): string {
  return actor.id === undefined || actor.id === '' ? actor.kind : `${actor.kind} ${actor.id}`;
}

/** Whether a query selects a new entry. A list that ends with a day gets none. */
export function selects(query: Query, entry: ActivityEntry): boolean {
  if (query.day !== '') return false;
  if (query.tab !== '' && entry.tab !== query.tab) return false;
  if (query.actor !== '' && actorKey(entry.actor).toLowerCase() !== query.actor.toLowerCase())
    return false;
  if (query.kind !== '' && kindOf(entry) !== query.kind && (entry.ok || query.kind !== 'error'))
    return false;
  const text = query.text.trim().toLowerCase();
  if (text === '') return true;
  return [
    entry.command,
    entry.summary,
    entry.actor.name,
    entry.actor.agent,
    entry.tab,
    entry.code,
    ...Object.values(entry.args ?? {}),
  ].some((said) => said?.toLowerCase().includes(text));
}

/** The query as the backend reads it. */
export function asked(query: Query): Record<string, unknown> {
  return {
    ...(query.text.trim() !== '' && { text: query.text.trim() }),
    ...(query.kind !== '' && { kinds: [query.kind] }),
    ...(query.actor !== '' && { actor: query.actor }),
    ...(query.tab !== '' && { tab: query.tab }),
    ...(query.day !== '' && { until: endOf(query.day) }),
  };
}

/** The end of a local day. */
function endOf(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + 1).toISOString();
}
