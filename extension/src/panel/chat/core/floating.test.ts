import { expect, it } from 'vitest';
import type { Conversation } from '$ui/protocol/protocol';
import { floatingAt } from './floating';

const one = (id: string, part: Partial<Conversation>): Conversation =>
  ({ id, entries: 3, ...part }) as Conversation;

it('finds what stood at an address, and stands nowhere now', () => {
  const all = [
    one('here', { url: 'https://example.org/a#top' }),
    one('beside', { url: 'https://example.org/a', tab: 't2' }),
    one('elsewhere', { url: 'https://example.org/a?b' }),
    one('unsaid', { url: 'https://example.org/a', entries: 0 }),
    one('nowhere', {}),
  ];
  expect(floatingAt(all, 'https://example.org/a').map(({ id }) => id)).toEqual(['here']);
  expect(floatingAt([one('blank', { url: 'about:blank' })], 'about:blank')).toEqual([]);
});
