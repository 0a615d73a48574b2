import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  });
}

const toSettings = (page: Page) =>
  page.getByRole('button', { name: 'Settings', exact: true }).click();

test.each(['light', 'dark'] as const)(
  'a model is added, tested, used for a kind of task, and removed, %s',
  async (scheme) => {
    const page = await stage.open({ scheme, width: 320, height: 620 });
    await toSettings(page);
    await page.getByText('Key missing: open its settings and enter it').waitFor();
    await page.getByRole('button', { name: 'New model' }).click();
    await page.getByLabel('Key', { exact: true }).fill('sk-secret');
    await page.getByRole('button', { name: 'Load models' }).click();
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('small');
    await page.getByText('More options').click();
    await page.getByLabel('Tasks that agents and the command line start').check();
    expect(await violations(page)).toEqual([]);
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
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove model anthropic' }).click();
    await page.getByText('small', { exact: true }).last().waitFor({ state: 'detached' });
    await page.context().close();
  },
);

test('what was only saved to be tried goes with the form', async () => {
  const page = await stage.open();
  await toSettings(page);
  await page.getByRole('button', { name: 'New model' }).click();
  await page.getByRole('button', { name: 'Find models on this computer' }).click();
  await page.getByRole('button', { name: 'Ollama, 1 models' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test' }).click();
  await page.getByText('It works').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await calls(page)).toContainEqual(['DeleteModel', 'new']);
  await page.context().close();
});

test('without a keychain it is said, and a refusal is shown', async () => {
  const page = await stage.open({ keychain: false });
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
  await page.context().close();
});

test('what the panel changes is asked for again', async () => {
  const page = await stage.open();
  await toSettings(page);
  await page.getByText('claude-sonnet-4-5').waitFor();
  await page.evaluate(() => window.fake?.push({ models: 1 }));
  await page.waitForFunction(
    () => window.fake?.calls.filter(([name]) => name === 'Models').length === 2,
  );
  await page.context().close();
});
