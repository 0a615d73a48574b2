/** The sites that are always cleaned up. The list is the extension's own: it survives a restart. */

/** The key of the list in chrome.storage.local. */
export const SITES_KEY = 'pilotfish.clean.sites';
/** The list has at most so many sites. */
export const MOST_SITES = 500;

/** The name of a page's site in the list; empty for a page without one. */
export function siteOf(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return '';
  return url.hostname.replace(/^www\./, '');
}

/** Reads what a user typed as a site: a name, or an address. Empty if it is neither. */
export function readSite(typed: string): string {
  const text = typed.trim().toLowerCase();
  if (text === '' || /\s/.test(text)) return '';
  const site = siteOf(/^[a-z]+:/.test(text) && !/^[^/]+:\d+/.test(text) ? text : `https://${text}`);
  return site === 'localhost' || /[.:]/.test(site) ? site : '';
}

/** Whether a site is in the list, itself or as a part of one. */
export function isListed(site: string, sites: readonly string[]): boolean {
  return site !== '' && sites.some((one) => site === one || site.endsWith(`.${one}`));
}

/** The list, in alphabetical order. */
export async function cleanSites(): Promise<readonly string[]> {
  const kept: unknown = (await chrome.storage.local.get(SITES_KEY))[SITES_KEY];
  if (!Array.isArray(kept)) return [];
  return kept.filter((one): one is string => typeof one === 'string').slice(0, MOST_SITES);
}

/** Puts a site into the list, or takes it and the sites that contain it out. */
export async function setCleanSite(site: string, always: boolean): Promise<readonly string[]> {
  const rest = (await cleanSites()).filter((one) => !isListed(site, [one]));
  if (always && rest.length >= MOST_SITES)
    throw new Error(`The list is full: it has ${MOST_SITES} sites. Remove one first.`);
  const next = (always && site !== '' ? [...rest, site] : rest).sort();
  await chrome.storage.local.set({ [SITES_KEY]: next });
  return next;
}
