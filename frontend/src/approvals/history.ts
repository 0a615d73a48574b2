// The answered approvals, from the record of what happened.
import { oneLine } from '$ui/foreign';
import type { ActivityEntry, ActivityFound, ActivityQuery } from '$ui/protocol/protocol';
import { byTime } from '$ui/time';
import type { Tone } from '$ui/words';

/** An approval that has ended. */
export interface Answered {
  readonly session: string;
  readonly index: number;
  /** Who asked, what for, and where, in one sentence; empty if that is not recorded. */
  readonly question: string;
  /** The answer, by whom, or why nobody answered. */
  readonly answer: string;
  readonly tone: Tone;
  /** When it was answered. */
  readonly time: string;
}

/** Where an answer was given, as the rest of a sentence. */
const places: Record<string, string> = {
  panel: 'in the side panel',
  window: 'in this window',
  tray: 'in the tray menu',
  notification: 'in a notification',
};

/** How a place on a control page begins; its name follows. */
const onPage = 'control page ';

/** How many entries one request asks for: a question and its answer are two. */
const page = 100;
/** How many requests look for the questions of the answers, at most. */
const mostPages = 3;

/** Pairs the answers in entries with their questions, the newest first. */
export function answeredOf(session: string, entries: readonly ActivityEntry[]): Answered[] {
  const asked = new Map(entries.map((one) => [one.index, one]));
  return entries
    .filter(({ phase }) => phase === 'answered')
    .map((entry): Answered => {
      const { answer, in: place = '' } = entry.args ?? {};
      const where = place.startsWith(onPage)
        ? `on the control page in ${oneLine(place.slice(onPage.length))}`
        : places[place];
      const verdict = oneLine(entry.summary ?? '');
      const by = answer === undefined ? '' : ` by you${where === undefined ? '' : ` ${where}`}`;
      return {
        session,
        index: entry.index,
        question: oneLine(asked.get(entry.parent ?? 0)?.summary ?? ''),
        answer: `${verdict}${by}`,
        tone: answer === undefined ? 'off' : entry.ok ? 'ok' : 'danger',
        time: entry.time,
      };
    });
}

/** The last answered approvals of sessions, the newest first. */
export async function history(
  sessions: readonly string[],
  search: (session: string, query: ActivityQuery) => Promise<ActivityFound>,
): Promise<Answered[]> {
  const all = await Promise.all(
    sessions.map(async (session) => {
      const entries: ActivityEntry[] = [];
      let before = 0;
      for (let at = 0; at < mostPages; at += 1) {
        const found = await search(session, {
          kinds: ['question'],
          limit: page,
          ...(before > 0 && { before }),
        });
        entries.push(...found.entries);
        before = found.before;
        if (before === 0) break;
      }
      return answeredOf(session, entries);
    }),
  );
  return all.flat().sort((a, b) => byTime(b.time, a.time));
}
