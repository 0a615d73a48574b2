import type { Conversation } from '$ui/protocol/protocol';

/** A URL without its fragment. */
const page = (url: string): string => url.replace(/#.*$/, '');

/**
 * Conversations whose tab was closed and whose page had this URL, the newest first.
 * The page is open again, so they can continue in its tab.
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
