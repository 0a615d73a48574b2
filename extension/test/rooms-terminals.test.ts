import { readFile } from 'node:fs/promises';
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

/** Opens the panel at 320 px with its first terminal. */
async function open(): Promise<FakeTerminal> {
  ({ page, context } = await openPanel(browser, made, { width: 320, face: 'terminal' }));
  await page.getByText('Live', { exact: true }).waitFor();
  const terminal = made.first;
  if (terminal === undefined) throw new Error('no terminal was started');
  return terminal;
}

const tabs = () =>
  page.getByRole('tablist', { name: 'Terminals beside this tab' }).getByRole('tab');

/** Opens a second terminal, which is then in view. */
async function second(): Promise<void> {
  await page.getByRole('button', { name: 'New terminal' }).click();
  await tabs().nth(1).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}

describe('Terminals as tabs', () => {
  it('opens, renames and closes them, and nothing overflows at 320 px', async () => {
    await open();
    expect(await tabs().count()).toBe(0);
    await second();
    await tabs().first().dblclick();
    const field = page.getByRole('textbox', { name: 'Name of the terminal' });
    await field.fill('build');
    await field.press('Enter');
    await page.getByRole('tab', { name: /build/ }).waitFor();
    await page.getByRole('tab', { name: /build/ }).press('F2');
    await field.fill('never');
    await field.press('Escape');
    await page.getByRole('tab', { name: /build/ }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      320,
    );
    await page.getByRole('tab', { name: /build/ }).press('ArrowRight');
    expect(await tabs().nth(1).getAttribute('aria-selected')).toBe('true');
    await tabs().nth(1).press('Delete');
    await expect.poll(() => made.terminals.size).toBe(1);
    await page.getByRole('tab', { name: /build/ }).waitFor();
  });

  it('shows progress and bells of a terminal that is not in view', async () => {
    const terminal = await open();
    await second();
    terminal.change({ progress: { state: 'normal', percent: 40 } });
    await expect.poll(() => tabs().first().getAttribute('title')).toContain('40 %');
    const bar = tabs().first().locator('.bar');
    const width = async (): Promise<number> =>
      ((await bar.boundingBox())?.width ?? 0) / ((await tabs().first().boundingBox())?.width ?? 1);
    await expect.poll(width).toBeCloseTo(0.4, 1);
    terminal.change({ bells: 1 });
    await tabs().first().getByRole('img', { name: 'rang' }).waitFor();
    await page.getByRole('tab', { name: /^Terminal.*rang/ }).waitFor();
    await tabs().first().click();
    await expect
      .poll(() => page.getByRole('tab', { name: /^Terminal/ }).getAttribute('title'))
      .toBe('Terminal: 40 %');
  });

  it.each([
    ['plain text', 'txt', 'a red <b> word'],
    ['text with colours (ANSI)', 'ansi', 'a \x1b[38;5;1mred\x1b[0m <b> word'],
    ['HTML', 'html', '>red</span> &#60;b&#62; word'],
  ])('saves as %s', async (name, ending, text) => {
    const terminal = await open();
    terminal.print('a \x1b[31mred\x1b[0m <b> word\r\n');
    await terminal.until(() =>
      terminal.controls.some(
        ({ type, offset = 0 }) => type === 'ack' && offset >= terminal.output.length,
      ),
    );
    await page.getByRole('button', { name: 'Save the terminal’s text' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: `Save as ${name}` }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^terminal-.*\\.${ending}$`));
    expect(await readFile(await download.path(), 'utf8')).toContain(text);
    await page.getByText(`Saved as ${download.suggestedFilename()}`).waitFor();
  });

  it('continues a session from the agent’s own list, in a terminal of its own', async () => {
    made.agents = {
      version: 1,
      agents: [
        { kind: 'claude', name: 'Claude Code', installed: true },
        { kind: 'shell', name: 'Shell', installed: true },
      ],
      default: 'shell',
    };
    const first = await open();
    await page.getByRole('button', { name: /^Agent: / }).click();
    await page.getByRole('menuitem', { name: 'Continue a session…' }).click();
    await tabs().nth(1).waitFor();
    expect(made.starts.at(-1)).toMatchObject({ agent: 'claude', command: '--resume' });
    expect(first.info.state).toBe('live');
  });
});
