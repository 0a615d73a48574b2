import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';
import { answerClean, answerRecord, cleaned, picture, quick, shot } from './tools-states';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
});

/** Opens the panel at 320 px, with a terminal or with Task: what is sent is easy to read there. */
async function open(face = 'task'): Promise<void> {
  page = await openPanel(made, { width: 320, face });
  await quick(page, /^Clean up/).waitFor();
  if (face === 'task') await field().waitFor();
  await made.until(() => made.rooms.followed.includes('recordings'));
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const field = () => page.getByRole('textbox', { name: 'What should be done', includeHidden: true });
const goal = () => field().inputValue();
const asked = () =>
  page.evaluate(() => (globalThis as unknown as { askedToClean: { do: string }[] }).askedToClean);
/** The arguments of each call of a command. */
const ran = (command: string) =>
  made.rooms.commands.filter((one) => one.command === command).map(({ args }) => args ?? {});

describe('Clean up', () => {
  it('says what is hidden, undoes it, and does it again', async () => {
    await open();
    const off = { ...cleaned, on: false, hidden: {}, unlocked: false };
    await answerClean(page, { clean: cleaned, undo: off, state: cleaned });
    await quick(page, /^Clean up/).click();
    await page.getByText('4 hidden: 2 ads, 1 cookie notice, 1 bar.').waitFor();
    await page.getByText('The page scrolls again.').waitFor();
    await button('Undo').click();
    await page.getByText('The page is as it was.').waitFor();
    await button('Clean up again').click();
    await page.getByText('4 hidden').waitFor();
    expect((await asked()).map((one) => one.do)).toEqual(['clean', 'undo', 'clean']);
    await button('Close').click();
    expect(await quick(page, /^Clean up/).getAttribute('aria-pressed')).toBe('true');
    // What is on is only shown, and not done twice.
    await quick(page, /^Clean up/).click();
    await page.getByText('4 hidden').waitFor();
    expect((await asked()).at(-1)).toMatchObject({ do: 'state', tab: 11 });
  });

  it('keeps the list of sites, with the keyboard alone', async () => {
    await open();
    await answerClean(page, { clean: cleaned, undo: cleaned, state: cleaned });
    await page.keyboard.press('Control+Shift+L');
    await page.getByText('4 hidden').waitFor();
    const kept = () =>
      page.evaluate(async () => {
        const key = 'pilotfish.clean.sites';
        return (await chrome.storage.local.get(key))[key] as string[] | undefined;
      });
    await page.getByRole('switch', { name: 'Always on example.com' }).press('Space');
    await expect.poll(kept).toEqual(['example.com']);
    await page.getByText('Sites that are always cleaned up (1)').press('Enter');
    const site = page.getByRole('textbox', { name: 'Another site' });
    await site.fill('not a site');
    await site.press('Enter');
    await page.getByRole('alert').getByText('That is no site.').waitFor();
    await site.fill('https://www.News.example/today');
    await site.press('Enter');
    await expect.poll(kept).toEqual(['example.com', 'news.example']);
    await button('Remove news.example').press('Enter');
    await expect.poll(kept).toEqual(['example.com']);
    await button('Remove example.com').press('Enter');
    await page.getByText('Sites that are always cleaned up (0)').waitFor();
    expect(await page.getByRole('switch').isChecked()).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('says why a page cannot be cleaned up, and asks the agent for the rest', async () => {
    await open();
    const why = 'A page of the browser itself does not allow extensions.';
    await answerClean(page, { clean: why, undo: why, state: why });
    await quick(page, /^Clean up/).click();
    await page.getByText(why).waitFor();
    await button('Ask the agent to remove what is left').click();
    await expect.poll(goal).toContain('Do not accept, decline or submit anything.');
    expect(await goal()).toContain('[Clean up this page]');
  });
});

describe('Screenshot', () => {
  /** Answers `screenshot` with a picture, and opens the menu. */
  async function choose(name: string): Promise<void> {
    await quick(page, /^Screenshot/).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  }
  const preview = () => page.getByRole('img', { name: 'The screenshot' });

  it('shows the visible part, copies the image, saves, opens and sends it', async () => {
    await open();
    made.chat.picture = await picture(page, 800, 600);
    made.rooms.answers.set('screenshot', () => ({ ok: true, data: shot }));
    await choose('Visible part');
    await preview().waitFor();
    await page.getByText('800 × 600, 47 KB').waitFor();
    expect(await preview().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(800);

    await button('Copy').click();
    await page.getByText('The image is in the clipboard.').waitFor();
    const copied = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const image = await createImageBitmap(await (item as ClipboardItem).getType('image/png'));
      return [image.width, image.height];
    });
    expect(copied).toEqual([800, 600]);

    const download = page.waitForEvent('download');
    await button('Save').click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^example\.com .*\.png$/);
    expect((await readFile(await file.path())).subarray(1, 4).toString()).toBe('PNG');
    await page.getByText('Saved in your downloads').waitFor();

    await button('Open').click();
    await page.getByText('Opened in a tab.').waitFor();
    const opened = await page.evaluate(() => globalThis.fakeChrome.opened as { url: string }[]);
    expect(opened.at(-1)?.url).toMatch(/^blob:/);

    await page.getByRole('dialog').getByRole('button', { name: 'Send to agent' }).click();
    await expect.poll(goal).toContain(`[Screenshot: ${shot.path}, from https://example.com]`);
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
  });

  it('takes the whole page, with refs, an element and a region', async () => {
    await open();
    made.chat.picture = await picture(page, 80, 60);
    made.rooms.answers.set('screenshot', () => ({ ok: true, data: { ...shot, labels: 7 } }));
    for (const name of [
      'Whole page',
      'With numbers of elements',
      'Whole page with numbers of elements',
    ]) {
      await choose(name);
      await page.getByText('7 refs').waitFor();
      await button('Close').click();
    }
    await page.evaluate(() => {
      globalThis.fakeChrome.script = () => [{ x: 10.4, y: 2000.6, width: 300, height: 200 }];
    });
    await choose('A region…');
    await page.getByText('7 refs').waitFor();
    await button('Close').click();
    expect(ran('screenshot')).toEqual([
      { full: true },
      { annotated: true },
      { full: true, annotated: true },
      { clip: '10,2001,300,200' },
    ]);
    made.chat.pickable = [{ ref: 'e5', role: 'button', name: 'Pay' }];
    await choose('An element…');
    await page.getByRole('region', { name: 'Pick an element' }).getByRole('option').click();
    await page.getByText('7 refs').waitFor();
    expect(ran('screenshot').at(-1)).toHaveProperty('element');
  });

  it('puts a page together that is higher than the browser draws, and sends it in slices', async () => {
    await open('chat');
    made.chat.picture = await picture(page, 100, 1400);
    const slices = Array.from({ length: 13 }, (_, at) => `/s/t1-${String(at)}.png`);
    made.rooms.answers.set('screenshot', ({ args }) =>
      args?.slices === true
        ? { ok: true, data: { ...shot, width: 100, height: 17_000, slices } }
        : { ok: false, error: { code: 'too_large', message: 'it would be too high' } },
    );
    await choose('Whole page');
    await page.getByText('100 × 17000').waitFor();
    expect(await preview().evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(17_000);
    await button('Send in slices').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('The page, part 13').first().waitFor();
  });

  it('a region can be cancelled, and a refusal is shown', async () => {
    await open();
    await page.evaluate(() => {
      let end: (value: unknown) => void = () => undefined;
      chrome.scripting.executeScript = ((given: { func: () => unknown }) => {
        if (given.func.name !== '' && given.func.toString().includes('pilotfishRegion?.()}')) {
          end([{ frameId: 0, result: null }]);
          return Promise.resolve([]);
        }
        return new Promise((resolve) => {
          end(undefined);
          end = resolve;
        });
      }) as never;
    });
    await choose('A region…');
    await page.getByText('Drag a rectangle on the page.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Drag a rectangle').waitFor({ state: 'hidden' });
    await choose('A region…');
    await button('Cancel').click();
    await page.getByText('Drag a rectangle').waitFor({ state: 'hidden' });
    expect(ran('screenshot')).toEqual([]);
    made.rooms.answers.set('screenshot', () => ({
      ok: false,
      error: { code: 'not_running', message: 'The tab is gone.', hint: 'Choose another.' },
    }));
    await choose('Visible part');
    await page.getByText('The tab is gone. Choose another.').waitFor();
  });
});

describe('Record', () => {
  it('shows that a tab is recorded, ends it, and keeps what the user chooses', async () => {
    answerRecord(made);
    await open();
    await quick(page, /^Record/).click();
    await page.getByText('Recording. What you or an agent does').waitFor();
    await quick(page, 'End the recording')
      .getByText(/^0:0\d$/)
      .waitFor();
    expect(await page.getByText('End the recording').count()).toBe(1);
    expect(await quick(page, /^Record/).getAttribute('aria-pressed')).toBe('true');
    await quick(page, 'End the recording').click();
    await page.getByText('2 steps, 0:31, 12 pictures').waitFor();

    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Not Good');
    await page.getByText('Use a to z, 0 to 9, _ and -.').waitFor();
    expect(await button('Save Routine and Playwright test').isDisabled()).toBe(true);
    await name.fill('pay');
    await button('Save Routine and Playwright test').click();
    await page.getByText('Saved: pay.json, pay.spec.ts.').waitFor();
    for (const form of ['WebM', 'GIF']) await button(`Save ${form}`).click();
    await page.getByText('Saved: t1.gif.').waitFor();
    expect(ran('record').slice(2)).toEqual([
      { do: 'save', name: 'pay' },
      { do: 'save', video: 'webm' },
      { do: 'save', video: 'gif' },
    ]);

    await button('Copy the path of pay.spec.ts').click();
    await page.getByText('The path is in the clipboard.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('/r/pay.spec.ts');
    made.chat.picture = await picture(page, 8, 8);
    await button('Open t1.webm').click();
    await page.getByText('Opened in a tab.').waitFor();
    const download = page.waitForEvent('download');
    await button('Download t1.gif').click();
    expect((await download).suggestedFilename()).toBe('t1.gif');
    await button('Send t1.webm to the agent').click();
    await expect.poll(goal).toContain('[Recording of t1: /v/t1.webm]');
    await button('Done').click();
    await page.getByText('The recording was saved.').waitFor();
    expect(ran('record').at(-1)).toEqual({ do: 'discard' });
  });

  it('shows the recording of another tab, and discards with the keyboard', async () => {
    answerRecord(made);
    await open();
    made.rooms.feed('recordings', { tab: 't2', began: new Date().toISOString() });
    await quick(page, 't2 is recorded').waitFor();
    await page.keyboard.press('Control+Shift+X');
    await quick(page, 'End the recording').press('Enter');
    await button('Discard').press('Enter');
    await page.getByText('The recording was discarded.').waitFor();
    expect(ran('record').map((args) => args.do)).toEqual(['start', 'end', 'discard']);
  });
});
