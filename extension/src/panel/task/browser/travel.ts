import type { Cancel, Clock } from '../../core/clock';
import { PAGE_TIMEOUT } from '../../core/timing';

/** Where a tab is brought. */
export type Way = { readonly to: string } | 'back' | 'forward' | 'reload';

/** How a way ended. */
export type Arrival =
  /** Another document is there, or the same one loaded again. */
  | { readonly came: 'document' }
  /** The document stayed, at another of its addresses. */
  | { readonly came: 'within' }
  /** There is nothing that way. */
  | { readonly came: 'nowhere' }
  /** The document stayed: the answer was a download, or nothing. */
  | { readonly came: 'kept' }
  | { readonly came: 'late' }
  /** The browser's word for why, such as `net::ERR_CONNECTION_REFUSED`. */
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
 * Brings a tab somewhere as any extension may, which needs no way into the page,
 * and says how that ended. It returns when the document is there, not when it is
 * loaded.
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
    // Listened for before it is asked: it may be there at once.
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
