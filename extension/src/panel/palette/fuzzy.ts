/** Where a query was found in a text, and how well. */
export interface Found {
  /** More is better. */
  readonly score: number;
  /** The indexes of the characters that match, ascending. */
  readonly at: readonly number[];
}

/** At most this many characters of a text are searched. */
const searched = 200;
/** At most this many words of a query count. */
const mostWords = 8;

/**
 * Finds the words of a query in a text, in any order: each as a part of the text, or as
 * letters of it in their order. Undefined if one of them is not there.
 */
export function fuzzy(query: string, text: string): Found | undefined {
  const lower = lowerOf(text.slice(0, searched));
  const at = new Set<number>();
  let score = 0;
  for (const word of wordsOf(query)) {
    const found = findWord(word, lower);
    if (found === undefined) return undefined;
    score += found.score;
    for (const one of found.at) at.add(one);
  }
  return { score, at: [...at].sort((a, b) => a - b) };
}

/** The words of a query in lower case. */
export function wordsOf(query: string): string[] {
  return lowerOf(query).split(/\s+/).filter(Boolean).slice(0, mostWords);
}

/** In lower case, and as long as before: some letters have a longer lower case. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/[^]/gu, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c));
}

function findWord(word: string, text: string): Found | undefined {
  let best: Found | undefined;
  for (let from = text.indexOf(word); from !== -1; from = text.indexOf(word, from + 1)) {
    const score =
      100 + 10 * word.length + (startsWord(text, from) ? 60 : 0) + (from === 0 ? 40 : 0);
    if (best === undefined || score > best.score)
      best = { score, at: Array.from({ length: word.length }, (_, i) => from + i) };
  }
  if (best !== undefined) return best;
  const first = word.charAt(0);
  for (let from = text.indexOf(first); from !== -1; from = text.indexOf(first, from + 1)) {
    const found = lettersFrom(word, text, from);
    if (found !== undefined && (best === undefined || found.score > best.score)) best = found;
  }
  return best;
}

/** The letters of a word from an index on: the start of a later word is preferred over the next. */
function lettersFrom(word: string, text: string, from: number): Found | undefined {
  const at = [from];
  let score = startsWord(text, from) ? 12 : 0;
  for (let i = 1; i < word.length; i += 1) {
    const before = at[i - 1] ?? from;
    const letter = word.charAt(i);
    const rest = word.slice(i);
    let next = text.indexOf(letter, before + 1);
    if (next === -1) return undefined;
    if (next !== before + 1) {
      const start = wordStart(text, letter, before + 1);
      if (start !== -1 && hasLetters(rest, text, start)) next = start;
    }
    score += next === before + 1 ? 8 : startsWord(text, next) ? 10 : -1;
    at.push(next);
  }
  return { score, at };
}

function hasLetters(word: string, text: string, from: number): boolean {
  let at = from - 1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** The next index from which a word begins with this letter; -1 if there is none. */
function wordStart(text: string, letter: string, from: number): number {
  for (let at = text.indexOf(letter, from); at !== -1; at = text.indexOf(letter, at + 1))
    if (startsWord(text, at)) return at;
  return -1;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));
}
