/** The text at the caret that can be completed: a slash command or a mention. */
export interface Wanted {
  readonly kind: 'command' | 'mention';
  /** The text after the "/" or "@". */
  readonly query: string;
  /** The range of the sign and the query in the text. */
  readonly from: number;
  readonly to: number;
}

/** One suggestion in the list. */
export interface Suggestion {
  readonly id: string;
  readonly text: string;
  readonly about: string;
}

/**
 * What the text before the caret can be completed to. A command must be the first
 * word of the message; a mention can follow any space.
 */
export function wanted(text: string, caret: number): Wanted | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command !== null) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention === null) return undefined;
  const query = mention[1] ?? '';
  return { kind: 'mention', query, from: caret - query.length - 1, to: caret };
}

/**
 * The items whose words contain the query, best first: at the beginning, then at
 * the beginning of a word, then anywhere.
 */
export function matching<T>(items: readonly T[], query: string, words: (item: T) => string): T[] {
  const asked = query.toLowerCase();
  if (asked === '') return [...items];
  const rank = (item: T): number => {
    const text = words(item).toLowerCase();
    const at = text.indexOf(asked);
    if (at <= 0) return at;
    return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 2 : 1;
  };
  return items
    .map((item) => ({ item, rank: rank(item) }))
    .filter((one) => one.rank >= 0)
    .sort((a, b) => a.rank - b.rank)
    .map((one) => one.item);
}
