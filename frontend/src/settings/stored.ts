import type { Option } from '$ui/option';
import type { StoredData, StoredPart } from '$ui/protocol/protocol';

/** A number of bytes in its largest unit. */
export function sizeWord(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes >= 1e3) return `${(bytes / 1e3).toFixed(0)} kB`;
  return `${String(bytes)} B`;
}

/** The bytes of all parts. */
export function sizeOf(parts: readonly StoredPart[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** How many there are, since when, and in how many sessions, as text. */
export function amountWord({ unit, parts }: StoredData): string {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  if (count + sizeOf(parts) === 0) return 'Nothing stored';
  const words = [`${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`];
  const oldest = parts.flatMap((part) => (part.oldest === undefined ? [] : [part.oldest]));
  const first = oldest.sort((a, b) => Date.parse(a) - Date.parse(b))[0];
  if (first !== undefined) {
    const day = new Date(first).toLocaleDateString([], { dateStyle: 'medium' });
    words.push(`oldest from ${day}`);
  }
  const sessions = parts.filter(({ session }) => session !== undefined).length;
  if (sessions > 1) words.push(`${String(sessions)} sessions`);
  return words.join(' · ');
}

/** The sessions whose data can be deleted; empty when there is no choice. */
export function sessionOptions({ parts }: StoredData): Option[] {
  const sessions = parts.flatMap(({ session, bytes }) =>
    session === undefined ? [] : [{ value: session, text: `${session} (${sizeWord(bytes)})` }],
  );
  if (sessions.length < 2) return [];
  return [{ value: '', text: `All sessions (${sizeWord(sizeOf(parts))})` }, ...sessions];
}

/** The running sessions that a deletion would have to stop. */
export function inUse({ parts }: StoredData, session: string): string[] {
  return parts.flatMap((part) =>
    part.inUse === true &&
    (session === '' || part.session === session) &&
    part.session !== undefined
      ? [part.session]
      : [],
  );
}
