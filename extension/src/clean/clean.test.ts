import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { reader } from './engine';
import { kindOf } from './kind';
import { hides, rulesOf, written } from './sheet';
import {
  cleanSites,
  isListed,
  MOST_SITES,
  readSite,
  setCleanSite,
  siteOf,
  SITES_KEY,
} from './sites';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('the lists that are shipped are of the engine that is installed', () => {
  const data = gunzipSync(readFileSync(new URL('../../lists/clean.engine.gz', import.meta.url)));
  const sheetOf = reader(new Uint8Array(data));
  const seen = {
    url: 'https://example.com/',
    hostname: 'example.com',
    classes: ['adsbygoogle'],
    ids: ['onetrust-consent-sdk'],
    hrefs: [],
  };
  const rules = rulesOf(sheetOf(seen));
  const selectors = rules.filter((rule) => hides(rule)).map(({ selector }) => selector);
  expect(selectors).toContain('#onetrust-consent-sdk');
  expect(selectors).toContain('[id^="div-gpt-ad"]');
  // Every rule is one that a style sheet can hold.
  expect(rules.length).toBeGreaterThan(400);
  expect(rules.every(({ selector }) => !/[{}]/.test(selector))).toBe(true);
  // A rule of one site is not used on another.
  const other = { ...seen, url: 'https://www.nytimes.com/', hostname: 'www.nytimes.com' };
  expect(sheetOf(other).length).not.toBe(sheetOf(seen).length);
});

it('takes a style sheet apart, and writes it again', () => {
  const css =
    '.a,\n.b > c[d="e"] { display: none !important; }\n\nbody { overflow: auto !important; }';
  const rules = rulesOf(css);
  expect(rules.map(({ selector }) => selector)).toEqual(['.a', '.b > c[d="e"]', 'body']);
  expect(rules.map((rule) => hides(rule))).toEqual([true, true, false]);
  expect(written(rules.slice(1))).toBe(
    '.b > c[d="e"] { display: none !important; }\nbody { overflow: auto !important; }',
  );
  expect(rulesOf('not a style sheet')).toEqual([]);
});

it('names what is hidden', () => {
  expect(kindOf('onetrust-banner', '', 'other')).toBe('notice');
  expect(kindOf('modal', 'Diese Seite verwendet Cookies', 'overlay')).toBe('notice');
  expect(kindOf('modal', 'Subscribe to our letter', 'overlay')).toBe('newsletter');
  expect(kindOf('ad-slot top', 'Buy', 'other')).toBe('ad');
  expect(kindOf('shadow header', 'Heads', 'bar')).toBe('bar');
});

it('knows sites, and the parts of one', () => {
  expect(siteOf('https://www.example.com/a?b')).toBe('example.com');
  expect(siteOf('chrome://version')).toBe('');
  expect(readSite(' HTTPS://News.Example.com/a ')).toBe('news.example.com');
  expect(readSite('localhost:3000')).toBe('localhost');
  for (const bad of ['', 'two words', 'word', 'javascript:alert(1)'])
    expect(readSite(bad), bad).toBe('');
  expect(isListed('news.example.com', ['example.com'])).toBe(true);
  expect(isListed('badexample.com', ['example.com'])).toBe(false);
  expect(isListed('', [''])).toBe(false);
});

it('keeps the list of sites, bounded', async () => {
  let kept: Record<string, unknown> = { [SITES_KEY]: ['b.org', 7] };
  vi.stubGlobal('chrome', {
    storage: {
      local: {
        get: () => Promise.resolve(kept),
        set: (next: Record<string, unknown>) => {
          kept = next;
          return Promise.resolve();
        },
      },
    },
  });
  expect(await setCleanSite('a.org', true)).toEqual(['a.org', 'b.org']);
  expect(await setCleanSite('www.b.org', false)).toEqual(['a.org']);
  kept = { [SITES_KEY]: Array.from({ length: MOST_SITES }, (_, at) => `s${at}.org`) };
  await expect(setCleanSite('a.org', true)).rejects.toThrow('The list is full');
  expect((await cleanSites()).length).toBe(MOST_SITES);
});
