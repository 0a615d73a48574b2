import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settleTime } from '../../ui/settled';
import { raise, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await raise();
});
afterAll(() => stage.close());

const calls = (page: Page) => page.evaluate(() => window.fake?.calls ?? []);

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(({ id }) => id);
  });
}

test.each(['light', 'dark'] as const)(
  'a question is answered in the window, %s',
  async (scheme) => {
    const page = await stage.open({ scenario: 'approvals', scheme, width: 320, height: 560 });
    await page.getByRole('button', { name: 'Approvals 1' }).click();
    await page.getByText('Details').click();
    expect(await page.locator('pre').last().textContent()).toBe(
      'for (const row of rows) {\n  row.remove(); // \ufffd\n}',
    );
    expect(await violations(page)).toEqual([]);
    await page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
      await page.evaluate(() => performance.now()),
      settleTime,
    ] as const);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('No pending approvals').waitFor();
    expect(await calls(page)).toContainEqual(['AnswerApproval', 'default', 'n1', 'deny']);
    await page.context().close();
  },
);

test('the second half of a double click does not answer the question that moves up', async () => {
  const page = await stage.open({ scenario: 'twoApprovals', width: 320, height: 760 });
  const answers = async () => (await calls(page)).filter(([name]) => name === 'AnswerApproval');
  const settle = async () =>
    page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
      await page.evaluate(() => performance.now()),
      settleTime,
    ] as const);
  await page.getByRole('button', { name: 'Approvals 2' }).click();
  const deny = page.getByRole('button', { name: 'Deny' });
  await deny.nth(1).waitFor();
  await settle();
  const began = await page.evaluate(() => performance.now());
  await deny.first().click();
  await deny.nth(1).waitFor({ state: 'detached' });
  await deny.click();
  const took = (await page.evaluate(() => performance.now())) - began;
  // On a machine so slow that the moment has passed, the click counts.
  if (took < settleTime)
    expect(await answers()).toEqual([['AnswerApproval', 'default', 'n1', 'deny']]);
  await settle();
  if ((await answers()).length === 1) await deny.click();
  await page.getByText('No pending approvals').waitFor();
  expect((await answers()).at(-1)).toEqual(['AnswerApproval', 'default', 'n2', 'deny']);
  await page.context().close();
});

test('a rule is made and removed in Settings', async () => {
  const page = await stage.open({ width: 320, height: 560 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Site', { exact: true }).fill('example.com');
  await page.getByLabel('Decision').selectOption('deny');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: 'Remove: anything sensitive on example.com' }).click();
  await page.getByText('example.com', { exact: true }).waitFor({ state: 'detached' });
  expect(await violations(page)).toEqual([]);
  expect(await calls(page)).toContainEqual([
    'SetSiteRule',
    'default',
    { site: 'example.com', kind: 'sensitive', decision: 'deny' },
  ]);
  await page.context().close();
});
