import type { Conversation } from '$ui/protocol/protocol';

/** An address without the place in its page. */
const page = (url: string): string => url.replace(/#.*$/, '');

/**
 * Conversations whose tab was closed and which stood at this address: the page
 * was opened again, and they can go on beside it. The newest first.
 */
export function floatingAt(all: readonly Conversation[], url: string): Conversation[] {
  if (url === '' || url === 'about:blank') return [];
  return all.filter(
    (one) =>
      one.tab === undefined &&
      one.entries > 0 &&
      one.url !== undefined &&
      page(one.url) === page(url),
  );
}
