// The form of a session's identity, in a real browser at 320 pixels.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWindow } from './stage';
import { accessible } from './violations';

let page: Page;

test('the form is filled, tested, corrected and saved', async () => {
  page = await openWindow({ width: 320, height: 640 });
  const edit = page.getByRole('button', { name: /^Edit identity/ }).first();
  await edit.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Identity and network/ });
  const save = dialog.getByRole('button', { name: 'Save' });
  await dialog.getByText('Changes take effect when it starts again').waitFor();
  expect(await dialog.getByRole('button', { name: 'Test proxy' }).isDisabled()).toBe(true);

  await dialog.getByLabel('Colour of its windows').fill('red');
  await dialog.getByLabel('Profile', { exact: true }).selectOption('copy');
  await save.click();
  await dialog.getByText('Enter the session to copy.').waitFor();
  await dialog.getByLabel('Session to copy').fill('home');
  await dialog.getByLabel('Proxy', { exact: true }).fill('http://ada@proxy.example:3128');
  await dialog.getByRole('button', { name: 'Test proxy' }).click();
  await dialog.getByText('Connected to example.com:443 in 12 ms.').waitFor();
  await dialog.getByLabel('Languages').fill('de-DE, en');
  await dialog.getByLabel('Start pages').fill('https://a.example/\nhttps://b.example/');
  await dialog.getByLabel('Headers for one origin').fill('https://api.example.com X-Env: staging');
  await dialog.getByLabel('Geolocation', { exact: true }).fill('48.5, 9.25');
  await save.click();
  await dialog.getByText('Color: "red" is not a colour').waitFor();
  await dialog.getByText('Write it as "#1a73e8"').waitFor();
  await accessible(page);
  expect(
    await page.evaluate(() =>
      [...document.querySelectorAll('dialog[open] *')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
        .map((one) => one.className),
    ),
  ).toEqual([]);
  if (process.env.PICTURES)
    await page.screenshot({ path: `${process.env.PICTURES}/identity-320.png` });

  await dialog.getByLabel('Colour of its windows').fill('#1a73e8');
  await save.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(
    (await page.evaluate(() => window.fake?.calls ?? [])).findLast(
      ([name]) => name === 'SaveSessionIdentity',
    )?.[2],
  ).toEqual({
    color: '#1a73e8',
    profile: 'copy:home',
    proxy: 'http://ada@proxy.example:3128',
    languages: ['de-DE', 'en'],
    startPages: ['https://a.example/', 'https://b.example/'],
    headers: [{ origin: 'https://api.example.com', name: 'X-Env', value: 'staging' }],
    geolocation: { latitude: 48.5, longitude: 9.25 },
  });

  // It shows what was saved, and Escape leaves it as it is.
  await edit.click();
  await expect.poll(() => dialog.getByLabel('Languages').inputValue()).toBe('de-DE, en');
  if (process.env.PICTURES) {
    await page.setViewportSize({ width: 900, height: 700 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.screenshot({ path: `${process.env.PICTURES}/identity-wide.png` });
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
});

test('a session whose settings cannot be read says why, and cannot be saved', async () => {
  page = await openWindow({ width: 320, height: 640 });
  await page.evaluate(() =>
    window.fake?.refuseNext(
      'SessionIdentity',
      '{"code":"bad_argument","message":"settings.toml:3: color: \\"red\\" is not a colour","hint":"write it as \\"#1a73e8\\""}',
    ),
  );
  await page
    .getByRole('button', { name: /^Edit identity/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: /^Identity and network/ });
  await dialog.getByText('Settings.toml:3').waitFor();
  expect(await dialog.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
});
