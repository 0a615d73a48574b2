import { describe, expect, it } from 'vitest';
import type { Tab } from '$ui/protocol/protocol';
import { suggest, type Offers } from './suggest';

const tab = (id: string, title: string): Tab =>
  ({ id, title, url: `https://example.org/${id}` }) as Tab;

const has: Offers = {
  commands: [{ name: 'review', about: 'reviews' }],
  tab: tab('t1', 'Here'),
  tabs: [tab('t2', 'There'), tab('t1', 'Here')],
  paths: ['src/', 'README.md'],
};

const texts = (query: string): string[] =>
  suggest({ kind: 'mention', query, from: 0, to: query.length + 1 }, has).map(
    ({ suggestion }) => suggestion.text,
  );

describe('a mention', () => {
  it('offers this tab first, then the picker, other tabs and files', () => {
    expect(texts('')).toEqual(['Here', 'Pick an element…', 'There', 'src/', 'README.md']);
  });

  it('finds the picker by its words', () => {
    expect(texts('elem')[0]).toBe('Pick an element…');
    expect(texts('there')[0]).toBe('There');
  });
});

it('a command is the first word only', () => {
  const asked = { kind: 'command', query: 're', from: 0, to: 3 } as const;
  expect(suggest(asked, has)).toEqual([
    {
      suggestion: { id: 'review', text: '/review', about: 'reviews' },
      taken: { kind: 'command', name: 'review' },
    },
  ]);
  expect(suggest(undefined, has)).toEqual([]);
});
