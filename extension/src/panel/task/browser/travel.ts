import type { Cancel, Clock } from '../../core/clock';
import { PAGE_TIMEOUT } from '../../core/timing';

/** How a tab is navigated. */
export type Way = { readonly to: string } | 'back' | 'forward' | 'reload';

/** The result of a navigation. */
export type Arrival =
  /** A new document, or the same one reloaded. */
  | { readonly came: 'document' }
  /** The same document at another URL. */
  | { readonly came: 'within' }
  /** There is no earlier or later page. */
  | { readonly came: 'nowhere' }
  /** The document stayed: the response was a download or empty. */
  | { readonly came: 'kept' }
  | { readonly came: 'late' }
  /** The browser's error code, such as `net::ERR_CONNECTION_REFUSED`. */
  | { readonly came: 'failed'; readonly why: string };

interface Happened {
  readonly tabId: number;
  readonly frameId: number;
  readonly error?: string;
}

interface Heard {
  addListener(hear: (happened: Happened) => void): void;
  removeListener(hear: (happened: Happened) => void): void;
}

/**
 * Navigates a tab with the API that every extension has, which works where no
 * script may enter the page. Returns the result when the new document is there,
 * before it has loaded.
 */
export async function travel(
  tab: number,
  way: Way,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Arrival> {
  const ends: Cancel[] = [];
  const arrival = new Promise<Arrival>((resolve) => {
    const hear = (event: Heard, says: (happened: Happened) => Arrival): void => {
      const listener = (happened: Happened): void => {
        if (happened.tabId === tab && happened.frameId === 0) resolve(says(happened));
      };
      event.addListener(listener);
      ends.push(() => {
        event.removeListener(listener);
      });
    };
    const { onCommitted, onErrorOccurred, onHistoryStateUpdated, onReferenceFragmentUpdated } =
      chrome.webNavigation;
    hear(onCommitted, () => ({ came: 'document' }));
    hear(onHistoryStateUpdated, () => ({ came: 'within' }));
    hear(onReferenceFragmentUpdated, () => ({ came: 'within' }));
    hear(onErrorOccurred, ({ error = '' }) =>
      error === 'net::ERR_ABORTED' ? { came: 'kept' } : { came: 'failed', why: error },
    );
    const late = (): void => {
      resolve({ came: 'late' });
    };
    ends.push(clock.after(PAGE_TIMEOUT, late));
    signal.addEventListener('abort', late);
    ends.push(() => {
      signal.removeEventListener('abort', late);
    });
  });
  try {
    // The listeners are added before the navigation starts, because it may end at once.
    const came: Arrival = (await go(tab, way)) ? await arrival : { came: 'nowhere' };
    signal.throwIfAborted();
    return came;
  } finally {
    for (const end of ends) end();
  }
}

async function go(tab: number, way: Way): Promise<boolean> {
  if (way === 'reload') await chrome.tabs.reload(tab);
  else if (typeof way === 'object') await chrome.tabs.update(tab, { url: way.to });
  else {
    const step = way === 'back' ? chrome.tabs.goBack(tab) : chrome.tabs.goForward(tab);
    return step.then(
      () => true,
      () => false,
    );
  }
  return true;
}
