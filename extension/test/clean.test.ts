import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserContext, type Page, type Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExtensionID } from '$ui/protocol/protocol';
import type { Cleaned } from '../src/clean/types';
import { pages } from './clean-kit';

// Clean up in the built extension, in a real browser, on pages of this machine: the worker, its
// engine with the lists that are shipped, and the script in the page.

const dist = fileURLToPath(new URL('../dist', import.meta.url));

let profile: string;
let context: BrowserContext;
let worker: Worker;
let panel: Page;
let served: Awaited<ReturnType<typeof pages>>;

beforeAll(async () => {
  served = await pages();
  profile = await mkdtemp(join(tmpdir(), 'clean-'));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.PILOTFISH_CHROMIUM ?? '/usr/bin/chromium',
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      `--disable-extensions-except=${dist}`,
      `--load-extension=${dist}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  panel = await context.newPage();
  await panel.goto(`chrome-extension://${ExtensionID}/panel.html`);
});
afterAll(async () => {
  await context.close();
  await served.stop();
  await rm(profile, { recursive: true, force: true });
});

/** Opens a page and asks the worker, as the panel does. */
async function open(path: string): Promise<{ page: Page; tab: number }> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.goto(served.origin + path);
  const tab = await worker.evaluate(
    async (url) => (await chrome.tabs.query({ url: `${url}*` })).at(-1)?.id ?? 0,
    `${served.origin}${path}`,
  );
  return { page, tab };
}
async function ask(tab: number, what: 'clean' | 'undo' | 'state'): Promise<Cleaned> {
  const answer: unknown = await panel.evaluate(
    ([tab, what]) =>
      chrome.runtime.sendMessage({
        kind: 'rpc:call',
        v: 1,
        id: 'q',
        deadline: Date.now() + 20_000,
        method: 'clean',
        params: { tab, do: what },
      }),
    [tab, what] as const,
  );
  const said = answer as { ok: boolean; value: Cleaned; error?: unknown };
  if (!said.ok) throw new Error(JSON.stringify(said.error));
  return said.value;
}
const visible = (page: Page, selector: string) => page.locator(selector).first().isVisible();

it('hides the ad, the notice, the wall and the bars, lets the page scroll, and undoes it exactly', async () => {
  const { page, tab } = await open('/');
  const before = await page.evaluate(() => document.documentElement.outerHTML);
  expect(await ask(tab, 'state')).toMatchObject({ on: false, hidden: {} });

  const done = await ask(tab, 'clean');
  expect(done).toMatchObject({ on: true, unlocked: true, site: '127.0.0.1', always: false });
  expect(done.hidden).toEqual({ ad: 2, notice: 1, newsletter: 1, bar: 2 });
  for (const gone of ['#onetrust-consent-sdk', '.wall', '.promo', 'article .adsbygoogle'])
    expect(await visible(page, gone), gone).toBe(false);
  expect(await page.frames()[1]?.locator('#div-gpt-ad-1').isVisible()).toBe(false);
  for (const stays of ['h1', 'header', '.chat'])
    expect(await visible(page, stays), stays).toBe(true);
  await page.mouse.move(500, 300);
  await page.mouse.wheel(0, 800);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(400);
  // The bar above has scrolled away with the page.
  expect(
    await page.evaluate(() => document.querySelector('header')?.getBoundingClientRect().bottom),
  ).toBeLessThan(0);

  expect(await ask(tab, 'undo')).toMatchObject({ on: false, hidden: {}, unlocked: false });
  expect(await page.evaluate(() => document.documentElement.outerHTML)).toBe(before);
  for (const back of ['#onetrust-consent-sdk', '.wall', '.promo'])
    expect(await visible(page, back), back).toBe(true);
  await page.close();
});

it('a wall that comes later goes, too, and an application that fills its page stays', async () => {
  const { page, tab } = await open('/late');
  await ask(tab, 'clean');
  await page.evaluate('late()');
  await expect
    .poll(async () => (await ask(tab, 'state')).hidden)
    .toMatchObject({ newsletter: 1, notice: 1, bar: 1 });
  expect(await page.locator('dialog').isVisible()).toBe(false);
  await ask(tab, 'undo');
  expect(await page.locator('dialog').isVisible()).toBe(true);
  await page.close();

  const plain = await open('/plain');
  expect(await ask(plain.tab, 'clean')).toMatchObject({ on: true, hidden: {}, unlocked: false });
  expect(await visible(plain.page, 'h1')).toBe(true);
  await plain.page.close();
});

it('cleans up the pages of a listed site when they load, and refuses a page of the browser', async () => {
  await worker.evaluate(() => chrome.storage.local.set({ 'pilotfish.clean.sites': ['127.0.0.1'] }));
  const { page, tab } = await open('/');
  await page.locator('#onetrust-consent-sdk').waitFor({ state: 'hidden' });
  await page.locator('.wall').waitFor({ state: 'hidden' });
  expect(await ask(tab, 'state')).toMatchObject({ on: true, always: true });
  await worker.evaluate(() => chrome.storage.local.remove('pilotfish.clean.sites'));
  await page.reload();
  await page.locator('.wall').waitFor({ state: 'visible' });

  await page.goto('chrome://version');
  await expect(ask(tab, 'clean')).rejects.toThrow('does not allow extensions');
  await page.close();
});
