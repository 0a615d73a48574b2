// What the user presses while something is on its way, and where the focus is afterwards.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { settleTime } from '../../ui/settled';
import { openWindow } from './stage';

declare global {
  /** Lets the calls go on that `hold` stops. */
  var release: () => void;
}

/** Stops the calls of a method until `release`. */
function hold(page: Page, method: string): Promise<void> {
  return page.evaluate((name) => {
    const bridge = window.go?.main?.Bridge;
    if (!bridge) throw new Error('there is no bridge');
    const call = bridge.Call.bind(bridge);
    const held = new Promise<void>((go) => {
      globalThis.release = go;
    });
    bridge.Call = async (asked, session, input) => {
      if (asked === name) await held;
      return call(asked, session, input);
    };
  }, method);
}

const release = (page: Page) =>
  page.evaluate(() => {
    globalThis.release();
  });
const calls = (page: Page, method: string) =>
  page.evaluate(
    (name) => (window.fake?.calls ?? []).filter(([one]) => one === name).length,
    method,
  );
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    return one?.getAttribute('aria-label') ?? one?.id ?? '';
  });

test('site rules that are removed at once are all removed', async () => {
  const page = await openWindow({ width: 1024, height: 700 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Site', { exact: true }).fill('example.com');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const first = page.getByRole('button', { name: 'Remove: run JavaScript on localhost' });
  const second = page.getByRole('button', { name: /^Remove: .* on example.com/ });
  await second.waitFor();
  await hold(page, 'RemoveSiteRule');
  await first.click();
  await second.click();
  await release(page);
  await first.waitFor({ state: 'detached' });
  await second.waitFor({ state: 'detached' });
  expect(await calls(page, 'RemoveSiteRule')).toBe(2);
});

test('a schedule is paused while it is being started', async () => {
  const page = await openWindow({ width: 1024, height: 700 });
  await page.getByRole('button', { name: 'Schedules', exact: true }).click();
  const runs = page.getByRole('button', { name: 'Run now' }).first();
  await runs.waitFor();
  await hold(page, 'Schedules');
  await runs.click();
  await page
    .getByRole('button', { name: /^Pause / })
    .first()
    .click();
  await release(page);
  const asked = () =>
    page.evaluate(() =>
      (window.fake?.calls ?? []).flatMap(([name, request]) =>
        name === 'Schedules' ? [(request as { do: string }).do] : [],
      ),
    );
  await expect.poll(asked).toEqual(expect.arrayContaining(['run', 'pause']));
});

test('the focus stays beside what was pressed', async () => {
  const page = await openWindow({ width: 1024, height: 700 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const size = page.locator('[data-setting=fontSize]');
  await size.locator('input').fill('15');
  await size.locator('input').press('Enter');
  await size.getByRole('button', { name: 'Reset: Font size' }).press('Enter');
  const control = await size.locator('input').getAttribute('id');
  await expect.poll(() => focused(page)).toBe(control);

  await page.getByRole('button', { name: 'Logs', exact: true }).click();
  const records = page.getByRole('listbox', { name: 'Log records' });
  await records.getByRole('option').last().click();
  await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
  await expect.poll(() => focused(page)).toBe('Log records');
  await page.getByLabel('Filter by text').fill('nothing like this');
  await page.getByRole('button', { name: 'Clear filter' }).press('Enter');
  await expect.poll(() => focused(page)).toBe('Filter by text');
});

test('the focus goes to the item beside one that was removed', async () => {
  const page = await openWindow({ scenario: 'twoApprovals', width: 1024, height: 700 });
  const within = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  const settle = async () =>
    page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
      await page.evaluate(() => performance.now()),
      settleTime,
    ] as const);
  await page.getByRole('button', { name: 'Approvals 2' }).click();
  const deny = page.getByRole('button', { name: 'Deny' });
  await deny.nth(1).waitFor();
  for (const rest of ['Deny', 'No pending approvals']) {
    await settle();
    await deny.first().press('Enter');
    await expect.poll(within).toContain(rest === 'Deny' ? rest : 'Approvals');
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  }

  await page.getByRole('button', { name: 'Schedules', exact: true }).click();
  await page.getByRole('button', { name: 'Delete tea' }).press('Enter');
  await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await expect.poll(() => page.locator('.card:focus').count()).toBe(1);

  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const secrets = page.getByRole('button', { name: /^Remove secret / });
  for (let left = await secrets.count(); left > 0; left -= 1) {
    await secrets.last().press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await expect.poll(() => page.locator('[aria-label=Secrets] > li:focus').count()).toBe(1);
  }
  expect(await within()).toContain('No secrets yet');

  await page.getByRole('button', { name: 'Remove: run JavaScript on localhost' }).press('Enter');
  await expect.poll(() => page.locator('li:focus').count()).toBe(1);
  expect(await within()).not.toContain('localhost');
});
