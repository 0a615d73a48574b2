/**
 * Clean up: hides what the filter lists know in all documents of a tab, and what covers the page.
 * The engine is evaluated when it is first needed; it must not slow the worker's start. The state
 * is in the page, because this worker may be stopped at any moment.
 */
import { cleanSites, isListed, siteOf } from '../clean/sites';
import type { Cleaned, FrameState, HiddenKind, Seen } from '../clean/types';
import { MessageError } from '../messages/envelope';

/** The script that works in the page. */
const SCRIPT = 'clean.js';
/** The most documents of one tab that are cleaned up. */
const MOST_FRAMES = 50;

/** Computes the style sheet for a document. */
type Sheets = (seen: Seen) => string;
let engine: Promise<Sheets> | undefined;

/** The engine. A failure is not kept: the next call tries again. */
function sheets(): Promise<Sheets> {
  engine ??= import('../clean/engine')
    .then(({ loadEngine }) => loadEngine(chrome.runtime.getURL('clean.engine.gz')))
    .catch((error: unknown) => {
      engine = undefined;
      throw error;
    });
  return engine;
}

/** Cleans up the page of a tab. */
export async function cleanTab(tab: number): Promise<Cleaned> {
  const sheetOf = await sheets();
  await insert(tab);
  const frames = await inPage(tab, () => globalThis.pilotfishClean?.look());
  await Promise.all(
    frames.slice(0, MOST_FRAMES).map(async ({ frame, result }) => {
      if (result === undefined) return;
      const [one] = await inPage(
        tab,
        (css: string) => globalThis.pilotfishClean?.match(css),
        [sheetOf(result)],
        frame,
      );
      const css = one?.result ?? '';
      // A frame that went away meanwhile needs no style.
      if (css !== '')
        await chrome.scripting
          .insertCSS({ target: { tabId: tab, frameIds: [frame] }, css, origin: 'USER' })
          .catch(() => undefined);
    }),
  );
  await inPage(tab, () => globalThis.pilotfishClean?.sweep(), [], 0);
  return cleanState(tab);
}

/** Restores the page of a tab. */
export async function uncleanTab(tab: number): Promise<Cleaned> {
  const frames = await inPage(tab, () => globalThis.pilotfishClean?.undo());
  for (const { frame, result } of frames)
    for (const css of result ?? [])
      await chrome.scripting
        .removeCSS({ target: { tabId: tab, frameIds: [frame] }, css, origin: 'USER' })
        .catch(() => undefined);
  return cleanState(tab);
}

/** The state of the page of a tab. */
export async function cleanState(tab: number): Promise<Cleaned> {
  const { url = '' } = await chrome.tabs.get(tab);
  const site = siteOf(url);
  const frames = await inPage(tab, () => globalThis.pilotfishClean?.state());
  const all = frames.map(({ result }) => result).filter((one) => one !== undefined);
  const hidden: Partial<Record<HiddenKind, number>> = {};
  for (const one of all)
    for (const [kind, count] of Object.entries(one.hidden) as [HiddenKind, number][])
      hidden[kind] = (hidden[kind] ?? 0) + count;
  return {
    on: all.some((one: FrameState) => one.on),
    hidden,
    unlocked: all.some((one: FrameState) => one.unlocked),
    site,
    always: isListed(site, await cleanSites()),
  };
}

/** Cleans up the pages of listed sites. It must be registered in the worker's first turn. */
export function watchCleanSites(): void {
  const loaded = ({
    tabId,
    frameId,
    url,
  }: {
    tabId: number;
    frameId: number;
    url: string;
  }): void => {
    if (frameId !== 0) return;
    void cleanSites()
      .then(async (sites) => {
        if (isListed(siteOf(url), sites)) await cleanTab(tabId);
      })
      .catch((error: unknown) => {
        // The tab is gone or shows another page by now.
        console.warn('pilotfish: not cleaned up', error);
      });
  };
  // At once, and again when the page's own scripts have put up their walls.
  chrome.webNavigation.onDOMContentLoaded.addListener(loaded);
  chrome.webNavigation.onCompleted.addListener(loaded);
}

async function insert(tab: number): Promise<void> {
  try {
    await chrome.scripting.executeScript({
      target: { tabId: tab, allFrames: true },
      files: [SCRIPT],
      injectImmediately: true,
    });
  } catch (error) {
    throw new MessageError(
      'restricted',
      'This page cannot be cleaned up.',
      `The browser says: ${error instanceof Error ? error.message : String(error)}`.slice(0, 300),
    );
  }
}

/** Runs a function in one document of a tab, or in all. */
async function inPage<A extends unknown[], R>(
  tab: number,
  func: (...args: A) => R,
  args?: A,
  frame?: number,
): Promise<{ frame: number; result: Awaited<R> | undefined }[]> {
  const results = await chrome.scripting
    .executeScript({
      target:
        frame === undefined ? { tabId: tab, allFrames: true } : { tabId: tab, frameIds: [frame] },
      func,
      args: args ?? ([] as unknown as A),
      injectImmediately: true,
    })
    // A page that cannot be cleaned up has no state.
    .catch(() => []);
  return results.map(({ frameId, result }) => ({ frame: frameId, result: result ?? undefined }));
}
