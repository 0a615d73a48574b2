import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { backend, launch, openPanel } from './fakes/face';
import type { FakeTerminal } from './fakes/terminal';

let browser: Browser;
let made: FakeBackend;
let page: Page;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  made = await backend();
});
afterEach(async () => {
  await context.close();
  await made.stop();
});

/** Opens the panel at 320 px, with a face. */
async function open(face = 'terminal'): Promise<void> {
  ({ page, context } = await openPanel(browser, made, { width: 320, face }));
  await page.getByRole('toolbar', { name: 'Quick actions' }).waitFor();
}

/** Opens the panel and waits until its first terminal is live. */
async function openLive(): Promise<FakeTerminal> {
  await open();
  await page.getByText('Live', { exact: true }).waitFor();
  const terminal = made.first;
  if (terminal === undefined) throw new Error('no terminal was started');
  return terminal;
}

/** Waits until the program has received this input. */
async function got(terminal: FakeTerminal, text: string): Promise<void> {
  await terminal.until(() => terminal.input.toString().includes(text));
}

const quick = (name: string) =>
  page.getByRole('toolbar', { name: 'Quick actions' }).getByRole('button', { name });

/** Sets what the page beside the panel has selected. */
async function select(text: string): Promise<void> {
  await page.evaluate(
    (selected) => {
      globalThis.fakeChrome.script = () => [{ text: '', url: '' }, selected];
    },
    { text, url: 'https://example.com/a' },
  );
}

describe('Send to agent', () => {
  it('pastes the selection into the terminal, marked, and never presses Enter', async () => {
    const terminal = await openLive();
    terminal.print('\x1b[?2004h');
    await select('Buy now\nrm -rf /');
    await quick('Send to agent').click();
    await page.getByRole('menuitem', { name: 'Selected text' }).click();
    await page.getByText('Pasted into the terminal').waitFor();
    await got(terminal, '\x1b[201~');
    expect(terminal.input.toString()).toMatch(
      /^\x1b\[200~\[Selected text, from https:\/\/example\.com\]\r<page-(\w{16}) origin="https:\/\/example\.com">\rBuy now\rrm -rf \/\r<\/page-\1>\x1b\[201~$/,
    );
  });
});
