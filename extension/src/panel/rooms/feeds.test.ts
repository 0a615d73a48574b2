import { expect, test, vi } from 'vitest';
import type { PanelMessage } from '$ui/protocol/protocol';
import { Feeds } from './feeds';

function make(): { feeds: Feeds; sent: PanelMessage[] } {
  const sent: PanelMessage[] = [];
  return { feeds: new Feeds((message) => sent.push(message)), sent };
}

test('a feed continues after the last index when the connection is back', () => {
  const { feeds, sent } = make();
  const on = vi.fn();
  feeds.follow('console', 't1', 3, on);
  feeds.apply({ type: 'feed', id: 1, batch: { items: ['a'], last: 4 } });
  expect(on).toHaveBeenCalledWith({ batch: { items: ['a'], last: 4 }, error: undefined });
  feeds.again();
  expect(sent).toEqual([
    { type: 'feed_follow', id: 1, feed: 'console', tab: 't1', after: 3 },
    { type: 'feed_follow', id: 1, feed: 'console', tab: 't1', after: 4 },
  ]);
});

test('two rooms follow one feed apart, and what one ended is not told', () => {
  const { feeds, sent } = make();
  const one = vi.fn();
  const two = vi.fn();
  const end = feeds.follow('activity', undefined, 0, one);
  feeds.follow('activity', undefined, 0, two);
  end();
  end();
  feeds.apply({ type: 'feed', id: 1, batch: { items: [], last: 1 } });
  feeds.apply({ type: 'feed', id: 2, batch: { items: [], last: 1 } });
  expect(one).not.toHaveBeenCalled();
  expect(two).toHaveBeenCalledOnce();
  expect(sent.at(-1)).toEqual({ type: 'feed_unfollow', id: 1 });
  feeds.again();
  expect(sent.at(-1)).toEqual({ type: 'feed_follow', id: 2, feed: 'activity', after: 1 });
});
