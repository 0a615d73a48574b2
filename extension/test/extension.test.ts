import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserContext, type Worker } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExtensionID, PairingKey, type Pairing } from '$ui/protocol/protocol';
import { backend } from './fakes/face';
import type { FakeBackend } from './fakes/backend';

// The built extension in a real browser, with its real permissions and its Content-Security-Policy;
// only the backend is fake.

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const welcome = fileURLToPath(new URL('../welcome/index.html', import.meta.url));

let profile: string;
let context: BrowserContext;
let worker: Worker;
let made: FakeBackend;

beforeEach(async () => {
  made = await backend();
  made.welcome = await readFile(welcome, 'utf8');
  profile = await mkdtemp(join(tmpdir(), 'panel-'));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.PILOTFISH_CHROMIUM ?? '/usr/bin/chromium',
    // Playwright disables extensions by default.
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      `--disable-extensions-except=${dist}`,
      `--load-extension=${dist}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
  worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
});
afterEach(async () => {
  await context.close();
  await made.stop();
  await rm(profile, { recursive: true, force: true });
});

function pair(pairing: Pairing): Promise<void> {
  return worker.evaluate(([key, value]) => chrome.storage.session.set({ [key]: value }), [
    PairingKey,
    pairing,
  ] as const);
}

it('goes from the pairing to a live terminal, and the welcome page learns of it', async () => {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${String(made.port)}/welcome`);
  await page.getByText('Waiting for the panel').waitFor();

  const problems: string[] = [];
  const panel = await context.newPage();
  panel.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await panel.goto(`chrome-extension://${ExtensionID}/panel.html`);
  await panel.getByText('Waiting for Pilotfish.').waitFor();
  const own = await worker.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true });
    return tab?.id ?? 0;
  });
  made.tabs = made.tabs.map((tab, at) => (at === 0 ? { ...tab, chromeTabId: own } : tab));

  await pair(made.pairing);
  await panel.getByText('Live', { exact: true }).waitFor();
  await panel.keyboard.type('hello');
  await made.first?.until(() => made.first?.input.toString() === 'hello');
  await page.getByText('Panel connected.').waitFor();
  await page.bringToFront();
  await page.locator('.arrow').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'First steps' }).click();
  await made.until(() => made.messages.some(({ window }) => window?.page === 'first'));
  await panel.bringToFront();

  made.token = 'rotated';
  await pair({ ...made.pairing, epoch: 2 });
  await made.until(() => made.messages.some(({ token }) => token === 'rotated'));
  // A panel may have connected before the worker listened; then the worker asks when it starts.
  // Here the page forgets the state, and the worker is restarted.
  await page.evaluate(`connected = false; say('waiting', 'Waiting again')`);
  const browser = await context.newCDPSession(page);
  await browser.send('ServiceWorker.enable');
  await browser.send('ServiceWorker.stopAllWorkers');
  await (await context.newPage()).close();
  await page.getByText('Panel connected.').waitFor();
  expect(problems).toEqual([]);
});

it('offers its entries in the context menu of a page, and knows what they were opened on', async () => {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${String(made.port)}/welcome`);
  await page.evaluate(() => {
    document.body.innerHTML = '<div id="host"></div>';
    const root = document.querySelector('#host')?.attachShadow({ mode: 'closed' });
    if (root) root.innerHTML = '<button id="inner">Buy</button>';
  });
  const box = await page.locator('#host').boundingBox();
  await page.mouse.click((box?.x ?? 0) + 10, (box?.y ?? 0) + 10, { button: 'right' });
  // An update fails for an entry that is not there.
  await worker.evaluate(async () => {
    for (const id of ['selection', 'link', 'image', 'element', 'inspect', 'shot', 'clean'])
      await chrome.contextMenus.update(id, {});
  });
  const pointed = await worker.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true });
    const [found] = await chrome.scripting.executeScript({
      target: { tabId: tab?.id ?? 0 },
      func: () =>
        (globalThis as { pilotfishPointed?: WeakRef<Element> }).pilotfishPointed?.deref()?.id,
    });
    return found?.result;
  });
  expect(pointed).toBe('inner');
});
