// The list of agents to choose from, where many are known and few are installed.
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
});

it('shows a few agents to install, and all of them behind "More agents"', async () => {
  const more = Array.from({ length: 20 }, (_, at) => ({
    kind: `other${String(at)}`,
    name: `Other ${String(at)}`,
    installed: false,
    install: `npm install -g other${String(at)}`,
  }));
  made.agents = { ...made.agents, agents: [...made.agents.agents, ...more] };
  page = await openPanel(made, { width: 320, face: 'terminal' });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
  const installs = page.getByRole('menuitem', { name: /Install…/ });
  await installs.first().waitFor();
  expect(await installs.count()).toBe(6);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect.poll(() => installs.count()).toBe(22);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Other 4');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('npm install -g other4').waitFor();
  await page.keyboard.press('Escape');
  // The next time, the list is short again.
  await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
  expect(await installs.count()).toBe(6);
});
