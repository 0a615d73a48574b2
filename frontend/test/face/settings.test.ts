import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

async function open(show: Show = {}): Promise<Page> {
  const page = await openWindow({ width: 1024, height: 700, ...show });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Theme', { exact: true }).waitFor();
  return page;
}

const kept = (page: Page) => page.evaluate(() => window.fake?.settings);

/** Writes a screenshot where somebody wants to look at it. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/settings-${name}.png` });
}

test.each([
  [320, 560],
  [1024, 700],
  [1600, 1000],
])('nothing overflows and axe finds nothing at %i × %i', async (width, height) => {
  const page = await open({ width, height });
  await page.evaluate(() => {
    window.fake?.push({
      settingsProblem: {
        file: '/home/ada/.config/pilotfish/settings.toml',
        line: 12,
        column: 1,
        name: 'font_size',
        message: 'font_size cannot be 99',
        allowed: 'a whole number from 8 to 32 pixels',
      },
    });
  });
  await page.getByRole('alert').filter({ hasText: 'line 12' }).waitFor();
  await accessible(page);
  const over = await page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
      .filter((element) => getComputedStyle(element).display !== 'inline')
      .map((element) => element.className),
  );
  expect(over).toEqual([]);
  await picture(page, String(width));
});

test('a search finds names, explanations and groups, and the keyboard is enough', async () => {
  const page = await open();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('colours panel');
  await page.getByLabel('Theme', { exact: true }).waitFor();
  expect(await page.locator('[data-setting]').count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.keyboard.type('font_size');
  await page.getByRole('spinbutton', { name: 'Font size' }).waitFor();
  expect(await page.locator('[data-setting]').count()).toBe(1);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('devtools protocol');
  expect(await page.locator('[data-setting]').count()).toBe(2);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('ollama');
  await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('nothing at all');
  await page.getByText('No setting matches “nothing at all”').waitFor();
  await page.getByRole('button', { name: 'Show all settings' }).press('Enter');
  await page.getByLabel('Theme', { exact: true }).waitFor();
  // From the search the list of groups is next, and Enter goes to one.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('group-start');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect.poll(async () => (await kept(page))?.startSession).toBe(false);
});

test('what is changed is marked; a reset of one and of a group can be undone', async () => {
  const page = await open();
  const row = page.locator('[data-setting="fontSize"]');
  await row.getByText('Default: 13 pixels').waitFor();
  await page.getByRole('spinbutton', { name: 'Font size' }).fill('20');
  await page.getByRole('spinbutton', { name: 'Font size' }).press('Enter');
  await row.getByText('Changed').waitFor();
  await row.getByRole('button', { name: 'Reset: Font size' }).click();
  await expect.poll(async () => (await kept(page))?.fontSize).toBe(13);
  await row.getByText('Changed').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await kept(page))?.fontSize).toBe(20);
  await page.getByRole('button', { name: 'Reset: Font size' }).waitFor();

  await page.getByLabel('Keep closed terminals running').selectOption('60');
  await page.locator('[data-setting="terminalGraceMinutes"]').getByText('Changed').waitFor();
  // Only what is changed, and everything again.
  const changed = page.getByRole('button', { name: /^Changed \(\d+\)$/ });
  const count = Number(/\d+/.exec(await changed.innerText())?.[0]);
  expect(await page.locator('[data-setting]').count()).toBeGreaterThan(count);
  await changed.click();
  await expect.poll(() => page.locator('[data-setting]').count()).toBe(count);
  expect(count).toBeGreaterThanOrEqual(2);
  expect(await page.locator('.card.own').count()).toBe(0);
  await changed.click();
  await page.getByLabel('Theme', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Reset group: Terminal' }).click();
  await expect
    .poll(async () => {
      const { fontSize, terminalGraceMinutes } = (await kept(page)) ?? {};
      return [fontSize, terminalGraceMinutes];
    })
    .toEqual([13, 30]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect
    .poll(async () => {
      const { fontSize, terminalGraceMinutes } = (await kept(page)) ?? {};
      return [fontSize, terminalGraceMinutes];
    })
    .toEqual([20, 60]);
});

test('a search finds what each session has, and a value to replace is selected', async () => {
  const page = await openWindow({ width: 320, height: 640 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const search = page.getByLabel('Search settings');
  await search.fill('user agent');
  await page.getByRole('button', { name: 'Edit session default' }).click();
  const dialog = page.getByRole('dialog', { name: /^Identity and network/ });
  const color = dialog.getByLabel('Colour of its windows');
  await color.fill('#1a73e8');
  // The focus by a press selects the value, and a second press puts the caret into it.
  await dialog.getByLabel('User agent').click();
  await color.click();
  const selected = (): Promise<string> =>
    color.evaluate((field: HTMLInputElement) =>
      field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0),
    );
  expect(await selected()).toBe('#1a73e8');
  await color.click();
  expect(await selected()).toBe('');
  // A list is added to.
  const pages = dialog.getByLabel('Start pages');
  await pages.fill('https://a.example/');
  await color.focus();
  expect(await selected()).toBe('#1a73e8');
  await pages.click();
  expect(
    await pages.evaluate((field: HTMLTextAreaElement) => field.selectionEnd - field.selectionStart),
  ).toBe(0);
  await accessible(page);
});

test('theme and text size act at once', async () => {
  const page = await open();
  await page.getByLabel('Theme', { exact: true }).selectOption('dark');
  await expect
    .poll(() => page.evaluate(() => document.documentElement.style.colorScheme))
    .toBe('dark');
  await page.getByLabel('Text size').selectOption('150');
  await expect
    .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize))
    .toBe('24px');
  await picture(page, 'large-text');
});

test('a part of the table of routes is saved without the others', async () => {
  const page = await open();
  await page.getByLabel('Instant commands').click();
  await expect.poll(async () => (await kept(page))?.chatRouting.instant).toBe(false);
  await page.getByLabel('Words that select the model for hard questions').fill('why, how');
  await page.getByLabel('Words that select the model for hard questions').press('Enter');
  await expect.poll(async () => (await kept(page))?.chatRouting.strong).toEqual(['why', 'how']);
  expect((await kept(page))?.chatRouting.instant).toBe(false);
});

test('a change from elsewhere arrives, and a mistake in the file goes when it is mended', async () => {
  const page = await open();
  await page.evaluate(() => {
    const { fake } = window;
    if (!fake) return;
    fake.settings = { ...fake.settings, fontSize: 24 };
    fake.push({
      settings: 7,
      settingsProblem: { file: '/c/settings.toml', message: 'it is empty', allowed: 'a setting' },
    });
  });
  await page.getByText('settings.toml has a mistake').waitFor();
  await expect
    .poll(() => page.getByRole('spinbutton', { name: 'Font size' }).inputValue())
    .toBe('24');
  await page.getByRole('button', { name: 'Copy path' }).click();
  await page.getByText('Path copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('/c/settings.toml');
  await page.getByRole('button', { name: 'Open its folder' }).click();
  expect(await page.evaluate(() => window.fake?.calls.at(-1))).toEqual(['OpenSettingsFolder']);
  await page.evaluate(() => {
    const { fake } = window;
    if (!fake) return;
    fake.state = { ...fake.state };
    delete fake.state.settingsProblem;
    fake.push({ settings: 8 });
  });
  await page.getByText('settings.toml has a mistake').waitFor({ state: 'detached' });
});
