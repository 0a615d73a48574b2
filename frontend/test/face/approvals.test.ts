import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { settleTime } from '../../ui/settled';
import { openWindow } from './stage';
import { accessible } from './violations';

const calls = (page: Page) => page.evaluate(() => window.fake?.calls ?? []);

test('a question is answered in the window', async () => {
  const page = await openWindow({ scenario: 'approvals', width: 320, height: 560 });
  await page.getByRole('button', { name: 'Approvals 1' }).click();
  await page.getByText('Details').click();
  expect(await page.locator('pre').last().textContent()).toBe(
    'for (const row of rows) {\n  row.remove(); // \ufffd\n}',
  );
  await accessible(page);
  await page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
    await page.evaluate(() => performance.now()),
    settleTime,
  ] as const);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('No pending approvals').waitFor();
  expect(await calls(page)).toContainEqual([
    'AnswerApproval',
    'default',
    { id: 'n1', answer: 'deny' },
  ]);
});

test('questions of tasks are answered in words, and by an offered answer', async () => {
  const page = await openWindow({ scenario: 'questions', width: 360, height: 640 });
  const settle = async () =>
    page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
      await page.evaluate(() => performance.now()),
      settleTime,
    ] as const);
  await page.getByRole('button', { name: 'Approvals 2' }).click();
  await page.getByLabel('Your answer').fill('the recycled one');
  await accessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await accessible(page);
  await settle();
  await page.evaluate(() => window.fake?.refuseNext('AnswerTask', 'the app is busy'));
  await page.getByLabel('Your answer').press('Enter');
  await page.getByText('Your answer could not be sent').waitFor();
  await page.getByLabel('Your answer').press('Enter');
  await page.getByRole('button', { name: 'Approvals 1' }).waitFor();
  await settle();
  await page.getByRole('button', { name: /^2\. “Add to the list/ }).click();
  await page.getByText('No pending approvals').waitFor();
  const answers = (await calls(page)).filter(([name]) => name === 'AnswerTask');
  expect(answers.slice(1)).toEqual([
    ['AnswerTask', 'default', { task: 'q1', question: 7, text: 'the recycled one' }],
    [
      'AnswerTask',
      'work',
      { task: 'q2', question: 3, text: '2. “Add to the list of wishes” (link)' },
    ],
  ]);
});

test('the history says who asked what, and who answered where', async () => {
  const page = await openWindow({ width: 320, height: 560 });
  await page.getByRole('button', { name: 'Approvals', exact: true }).click();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Codex in t2 wants to run JavaScript on https://example.com').waitFor();
  await history.getByText(/^Denied by you in the tray menu · .+ · default$/).waitFor();
  await accessible(page);
});

test('the second half of a double click does not answer the question that moves up', async () => {
  const page = await openWindow({ scenario: 'twoApprovals', width: 320, height: 760 });
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
    expect(await answers()).toEqual([['AnswerApproval', 'default', { id: 'n1', answer: 'deny' }]]);
  await settle();
  if ((await answers()).length === 1) await deny.click();
  await page.getByText('No pending approvals').waitFor();
  expect((await answers()).at(-1)).toEqual([
    'AnswerApproval',
    'default',
    { id: 'n2', answer: 'deny' },
  ]);
});

test('a rule is made and removed in Settings', async () => {
  const page = await openWindow({ width: 320, height: 560 });
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Site', { exact: true }).fill('example.com');
  await page.getByLabel('Decision').selectOption('deny');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: 'Remove: anything sensitive on example.com' }).click();
  await page.getByText('example.com', { exact: true }).waitFor({ state: 'detached' });
  await accessible(page);
  expect(await calls(page)).toContainEqual([
    'SetSiteRule',
    'default',
    { site: 'example.com', kind: 'sensitive', decision: 'deny' },
  ]);
});
