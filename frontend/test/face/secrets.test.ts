import { expect, test } from 'vitest';
import { openWindow } from './stage';
import { accessible } from './violations';

test('secrets are listed, added and removed, and no value stays in the page', async () => {
  const page = await openWindow({ width: 320, height: 620 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const list = page.getByRole('list', { name: 'Secrets' });
  await list.getByText('header X-Api-Key').waitFor();
  await list.getByText('op://Private/Shop/password').waitFor();
  await list.getByText('by Claude Code in t1').waitFor();
  await page.getByRole('button', { name: 'New secret' }).click();
  const dialog = page.getByRole('dialog');
  const add = dialog.getByRole('button', { name: 'Add' });
  expect(await add.isDisabled()).toBe(true);
  await dialog.getByLabel('Name', { exact: true }).fill('build');
  await dialog.getByLabel('Site').fill('https://build.example');
  await dialog.getByLabel('Kind').selectOption('header');
  await dialog.getByLabel('Header').fill('Authorization');
  const value = dialog.getByLabel('Value');
  expect(await value.getAttribute('type')).toBe('password');
  await value.fill('abc');
  await accessible(page);
  await add.click();
  await dialog.getByText('fewer than 4 characters').waitFor();
  await value.fill('Bearer hush');
  await value.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await list.getByText('header Authorization').waitFor();
  const calls = await page.evaluate(() => window.fake?.calls ?? []);
  expect(calls.filter(([name]) => name === 'AddSecret').at(-1)?.[1]).toEqual({
    name: 'build',
    origin: 'https://build.example',
    kind: 'header',
    header: 'Authorization',
    value: 'Bearer hush',
  });
  // A new form does not have the value of the last one.
  await page.getByRole('button', { name: 'New secret' }).click();
  expect(await dialog.getByLabel('Password').inputValue()).toBe('');
  await dialog.getByLabel('Name', { exact: true }).fill('shop');
  await dialog.getByLabel('Stored in').selectOption('elsewhere');
  await dialog.getByLabel('Reference').fill('pass:shop');
  await dialog.getByText('This replaces the secret').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await accessible(page);
  await page.getByRole('button', { name: 'Remove secret build' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Remove secret build' }).click();
  await dialog.getByText('“build” and its value are removed').waitFor();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await list.getByText('header Authorization').waitFor({ state: 'detached' });
  const pictures = process.env.PILOTFISH_PICTURES;
  if (pictures !== undefined) {
    await page.getByRole('button', { name: 'New secret' }).scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${pictures}/secrets.png` });
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.screenshot({ path: `${pictures}/secrets-add.png` });
  }
});
