import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWindow } from './stage';
import { accessible } from './violations';

/** Leaves pictures in both colours, if they are wanted. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder === undefined) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)));
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
}

test('clients are listed with the age of their tokens, revoked and allowed again', async () => {
  const page = await openWindow({ width: 1024, height: 700 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const list = page.getByRole('list', { name: 'Connected clients' });
  await list.getByText('Connected 3 h ago · last used 5 min ago · 1 open connection').waitFor();
  await list.getByText('Agent in a terminal · session default, tab t1').waitFor();
  await list.getByText('Token made 3 days ago').waitFor();
  await list.getByText('Control page in a browser · all sessions').waitFor();
  await list.getByText('last used 2 min ago · ends in 7 h · 1 open connection').waitFor();
  await list.getByText('not used yet').first().waitFor();
  const dialog = page.getByRole('dialog');
  const revoke = page.getByRole('button', { name: 'Revoke Zed' });
  // By the keyboard alone; the safe button has the focus first.
  await revoke.focus();
  await revoke.press('Enter');
  await dialog.getByText('It is refused until you allow it again here').waitFor();
  await accessible(page);
  await picture(page, 'clients-revoke');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await list.getByText('Revoked').count()).toBe(0);
  await revoke.click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await list.getByText(/Revoked \d+ s ago/).waitFor();
  await page.getByRole('button', { name: 'Allow Zed again' }).click();
  await list.getByText('Zed').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Revoke Claude Code' }).click();
  await dialog.getByText('Restart it in its terminal').waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await list.getByText('Claude Code').waitFor({ state: 'detached' });
  const calls = await page.evaluate(() => window.fake?.calls ?? []);
  expect(calls.filter(([name]) => name === 'Clients').map(([, request]) => request)).toEqual([
    { do: 'list' },
    { do: 'revoke', id: 'a1' },
    { do: 'allow', id: 'a1' },
    { do: 'revoke', id: 'b2' },
  ]);
});

test('stored data is measured by kind, and deleted when the user has read what is lost', async () => {
  const page = await openWindow({ width: 480, height: 700 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const list = page.getByRole('list', { name: 'Stored data' });
  await list.getByText(/2,184 files · oldest from .* · 2 sessions/).waitFor();
  await list.getByText('135.3 MB').waitFor();
  await list.getByText('Nothing stored').waitFor();
  expect(await page.getByRole('button', { name: 'Delete Routines…' }).isDisabled()).toBe(true);
  await page.getByText('136.5 MB in all').waitFor();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Delete Browser profiles…' }).click();
  await dialog.getByText('all sign-ins and caches').waitFor();
  await dialog.getByText('Session default uses this data now').waitFor();
  await accessible(page);
  await picture(page, 'stored-delete');
  // What one session has: nothing has to be stopped for the other one.
  await dialog.getByLabel('Session').selectOption('work');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('51.0 MB deleted: Browser profiles').waitFor();
  await list.getByText('1,204 files').waitFor();
  await page.getByRole('button', { name: 'Delete Browser profiles…' }).click();
  expect(await dialog.getByLabel('Session').count()).toBe(0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Delete Browser profiles…' }).click();
  await dialog.getByRole('button', { name: 'Stop and delete' }).click();
  await page.getByText('84.3 MB deleted: Browser profiles').waitFor();
  await page.evaluate(() => window.fake?.refuseNext('Stored', 'the disk is full'));
  await page.getByRole('button', { name: 'Delete Logs of the app…' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Logs of the app could not be deleted').waitFor();
  const calls = await page.evaluate(() => window.fake?.calls ?? []);
  const deleted = calls
    .filter(([name]) => name === 'Stored')
    .map(([, request]) => request as { do: string })
    .filter((request) => request.do === 'delete');
  expect(deleted).toEqual([
    { do: 'delete', kind: 'profiles', session: 'work' },
    { do: 'delete', kind: 'profiles', stop: true },
    { do: 'delete', kind: 'logs' },
  ]);
  await page.getByRole('button', { name: 'Measure again' }).scrollIntoViewIfNeeded();
  await accessible(page);
  await picture(page, 'stored');
  await page.setViewportSize({ width: 1024, height: 700 });
  await picture(page, 'stored-wide');
});
