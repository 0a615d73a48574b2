import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWindow } from './stage';
import { accessible } from './violations';

const calls = (page: Page) => page.evaluate(() => window.fake?.calls ?? []);

const toSettings = (page: Page) =>
  page.getByRole('button', { name: 'Settings', exact: true }).click();

test('a model is added, tested, used for a kind of task, and removed', async () => {
  const page = await openWindow({ width: 320, height: 620 });
  await toSettings(page);
  await page.getByText('Key missing: open its settings and enter it').waitFor();
  await page.getByRole('button', { name: 'New model' }).click();
  await page.getByLabel('Key', { exact: true }).fill('sk-secret');
  await page.getByRole('button', { name: 'Load models' }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('small');
  await page.getByText('More options').click();
  await page.getByLabel('Tasks that agents and the command line start').check();
  await accessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Test' }).click();
  await page.getByText('It works (0.6 s)').waitFor();
  // The page does not keep the entered key.
  expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const saved = (await calls(page)).filter(([name]) => name === 'SaveModel').at(-1)?.[1];
  expect(saved).toMatchObject({
    profile: { id: 'new', provider: 'anthropic', model: 'small', for: ['task', 'program'] },
  });
  await accessible(page);
  await page.getByRole('button', { name: 'Remove model anthropic' }).click();
  await page.getByText('small', { exact: true }).last().waitFor({ state: 'detached' });
});

test('what was only saved to be tried goes with the form', async () => {
  const page = await openWindow();
  await toSettings(page);
  await page.getByRole('button', { name: 'New model' }).click();
  await page.getByRole('button', { name: 'Find models on this computer' }).click();
  await page.getByRole('button', { name: 'Ollama, 1 models' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test' }).click();
  await page.getByText('It works').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await calls(page)).toContainEqual(['DeleteModel', { profile: 'new' }]);
});

test('without a keychain it is said, and a refusal is shown', async () => {
  const page = await openWindow({ keychain: false });
  await toSettings(page);
  await page.getByText('keys are stored only until Pilotfish quits').waitFor();
  await page.getByText('key stored until Pilotfish quits').waitFor();
  await page.evaluate(() => {
    window.fake?.refuseNext(
      'SaveModel',
      '{"code":"bad_argument","message":"The address of the model is not encrypted","hint":"use https"}',
    );
  });
  await page.getByRole('button', { name: 'Change Work' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The address of the model is not encrypted. Use https').waitFor();
});

test('what the panel changes is asked for again', async () => {
  const page = await openWindow();
  await toSettings(page);
  await page.getByText('claude-sonnet-4-5').waitFor();
  await page.evaluate(() => window.fake?.push({ models: 1 }));
  await page.waitForFunction(
    () => window.fake?.calls.filter(([name]) => name === 'Models').length === 2,
  );
});
