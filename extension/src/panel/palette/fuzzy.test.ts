import { describe, expect, it } from 'vitest';
import { fuzzy } from './fuzzy';

/** The text with the letters that match in brackets. */
function marked(query: string, text: string): string | undefined {
  const found = fuzzy(query, text);
  return found && text.replace(/[^]/g, (c, i: number) => (found.at.includes(i) ? `[${c}]` : c));
}

/** The texts that match, the best first. */
function order(query: string, ...texts: string[]): string[] {
  return texts
    .flatMap((text) => fuzzy(query, text)?.score ?? [])
    .map((score, i) => ({ score, text: texts.filter((one) => fuzzy(query, one))[i] ?? '' }))
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
}

describe('fuzzy search', () => {
  it('finds parts and letters, and says where', () => {
    expect(marked('send', 'Send to agent')).toBe('[S][e][n][d] to agent');
    expect(marked('sta', 'Send to agent')).toBe('[S]end [t]o [a]gent');
    expect(marked('agent send', 'Send to agent')).toBe('[S][e][n][d] to [a][g][e][n][t]');
    expect(marked('sx', 'Send to agent')).toBeUndefined();
    expect(marked('', 'Send')).toBe('Send');
  });
  it('does not miss a text because a later word begins with a letter', () => {
    expect(marked('abc', 'a-b xc b')).toBe('[a]-[b] x[c] b');
    expect(marked('abc', 'axb b')).toBeUndefined();
  });
  it('prefers the beginning of a text, then of a word, then parts, then letters', () => {
    expect(order('con', 'A second one', 'Open Console', 'Console', 'c.o.m.n')).toEqual([
      'Console',
      'Open Console',
      'A second one',
      'c.o.m.n',
    ]);
  });
  it('keeps its place beside letters whose lower case is longer', () => {
    expect(marked('x', 'İİx')).toBe('İİ[x]');
  });
  it('looks at a bounded part of a text and of a query', () => {
    expect(fuzzy('z', `${'a'.repeat(300)}z`)).toBeUndefined();
    expect(fuzzy('a '.repeat(5000), 'a')?.at).toEqual([0]);
  });
});
