// Screenshots of every page and state, for visual inspection. They are written to the folder
// PILOTFISH_PICTURES, and skipped without it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openWindow, type Show } from './stage';

const folder = process.env.PILOTFISH_PICTURES ?? '.';

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
});

interface Picture extends Show {
  prepare?: (page: Page) => Promise<unknown>;
}

const go = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).click();

const toConversation = async (page: Page) => {
  await page
    .getByRole('button', { name: /^Open “Why does the coupon|^Why does the coupon/ })
    .click();
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
};

const toModels = async (page: Page) => {
  await go('Settings')(page);
  await page.getByRole('button', { name: 'Test' }).last().click();
  await page.getByText('OpenAI has no key').waitFor();
  await page.getByRole('heading', { name: 'Models' }).evaluate((head) => {
    head.scrollIntoView();
  });
};

const toOwn = async (page: Page) => {
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  await page.getByLabel('Your own Chrome').check();
};

const toElsewhere = async (page: Page) => {
  await toOwn(page);
  await page.getByLabel('A browser elsewhere').check();
};

const pictures: Record<string, Picture> = {
  running: {},
  'running-narrow': { width: 320, height: 560 },
  'running-small': { width: 640, height: 480 },
  conversations: { scenario: 'conversations' },
  'conversations-narrow': { scenario: 'conversations', width: 320, height: 800 },
  conversation: { scenario: 'conversations', prepare: toConversation },
  'conversation-narrow': {
    scenario: 'conversations',
    width: 320,
    height: 640,
    prepare: toConversation,
  },
  'conversation-empty': {
    scenario: 'conversations',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New conversation' }).click();
      await page.getByText('No messages yet').waitFor();
    },
  },
  'conversation-lost-narrow': {
    scenario: 'conversations',
    width: 320,
    height: 560,
    prepare: async (page) => {
      await toConversation(page);
      await page.evaluate(() => {
        window.fake?.conversations.end();
      });
      await page.getByText('Disconnected from this').waitFor();
    },
  },
  approvals: { scenario: 'approvals', prepare: go('Approvals 1') },
  'approvals-dark': { scenario: 'approvals', scheme: 'dark', prepare: go('Approvals 1') },
  'approvals-narrow': {
    scenario: 'approvals',
    width: 320,
    height: 560,
    prepare: go('Approvals 1'),
  },
  'settings-sites': {
    height: 1500,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.getByLabel('Site', { exact: true }).waitFor();
    },
  },
  'settings-chat': {
    height: 1500,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.getByRole('heading', { name: 'Chat' }).scrollIntoViewIfNeeded();
    },
  },
  'conversation-stopped-narrow': {
    scenario: 'conversations',
    width: 320,
    height: 560,
    prepare: async (page) => {
      await toConversation(page);
      await page.evaluate(() => {
        const { fake } = window;
        const sessions = (fake?.state.sessions ?? []).map((one) => ({
          ...one,
          state: 'stopped' as const,
          tabs: [],
        }));
        fake?.push({ sessions });
        fake?.conversations.end();
      });
      await page.getByText('Session stopped').waitFor();
    },
  },
  ...Object.fromEntries(
    [
      'attachSwitchOn',
      'attachAllow',
      'byHandInstall',
      'byHandCode',
      'byHandPanel',
      'elsewhere',
      'elsewhereFull',
      'elsewhereAway',
      'attached',
      'attachedClosed',
      'attachedStopped',
      'attachRefused',
    ].flatMap((scenario) => [
      [scenario, { scenario }],
      [`${scenario}-narrow`, { scenario, width: 320, height: 720 }],
    ]),
  ),
  'new-elsewhere': { prepare: toElsewhere },
  'new-elsewhere-narrow': { width: 320, height: 640, prepare: toElsewhere },
  'new-own': { prepare: toOwn },
  'new-own-narrow': { width: 320, height: 640, prepare: toOwn },
  stopped: { scenario: 'stopped' },
  empty: { scenario: 'empty' },
  starting: { scenario: 'starting' },
  boot: { held: true },
  refused: {
    refuse: '{"code":"internal","message":"The app did not answer","hint":"start it again"}',
  },
  failed: { scenario: 'failed' },
  warning: { scenario: 'warning' },
  'warning-narrow': { scenario: 'warning', width: 320, height: 640 },
  problem: { scenario: 'problem' },
  foreign: { scenario: 'foreign' },
  new: {
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New session' }).click();
      await page.getByLabel('Name').fill('My Work');
      await page.getByRole('button', { name: 'Create' }).click();
    },
  },
  menu: { prepare: (page) => page.getByRole('button', { name: 'Pilotfish menu' }).click() },
  quit: {
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Pilotfish menu' }).click();
      await page.getByRole('menuitem', { name: 'Quit Pilotfish' }).click();
    },
  },
  toast: {
    prepare: async (page) => {
      await page.evaluate(() => {
        window.fake?.refuseNext(
          'StopSession',
          '{"code":"timeout","message":"The browser did not close in time","hint":"try again"}',
        );
      });
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('The browser did not close').waitFor();
    },
  },
  settings: { height: 1120, prepare: go('Settings') },
  'settings-narrow': { width: 320, height: 1200, prepare: go('Settings') },
  'settings-edited': {
    height: 1120,
    prepare: async (page) => {
      await go('Settings')(page);
      await page.getByRole('combobox', { name: 'Browser' }).selectOption('other:');
      await page.getByLabel('Path of the browser').fill('/opt/brave/brave');
      await page.getByLabel('Path of the browser').blur();
      await page.getByText('Takes effect after').waitFor();
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('codex');
      await page.getByRole('textbox', { name: 'Working folder' }).fill('/nowhere/at/all');
      await page.getByLabel('Font size').fill('99');
      await page.getByLabel('Font size').blur();
      await page.getByText('out of range').waitFor();
    },
  },
  'settings-models': { height: 560, keychain: false, prepare: toModels },
  'settings-models-narrow': { width: 320, height: 560, keychain: false, prepare: toModels },
  'settings-model': {
    height: 860,
    prepare: async (page) => {
      await toModels(page);
      await page.getByRole('button', { name: 'New model' }).click();
    },
  },
  'settings-model-narrow': {
    width: 320,
    height: 700,
    keychain: false,
    prepare: async (page) => {
      await toModels(page);
      await page.getByRole('button', { name: 'Change OpenAI' }).click();
    },
  },
  logs: { records: 2000, prepare: go('Logs') },
  'logs-narrow': { records: 2000, width: 320, height: 560, prepare: go('Logs') },
  'logs-paused': {
    records: 2000,
    prepare: async (page) => {
      await go('Logs')(page);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.evaluate(() => window.fake?.log(12));
      await page.getByRole('option').nth(8).click();
    },
  },
  'logs-none': {
    prepare: async (page) => {
      await go('Logs')(page);
      await page.getByLabel('Filter by text').fill('nothing has this');
    },
  },
};

for (const scheme of ['light', 'dark'] as const) {
  test.each(Object.entries(pictures))(`%s, ${scheme}`, async (name, { prepare, ...show }) => {
    const page = await openWindow({ ...show, scheme });
    await page.locator('main').waitFor();
    await prepare?.(page);
    const picture = await page.screenshot({
      animations: 'disabled',
      path: join(folder, `${name}-${scheme}.png`),
    });
    expect(picture.length).toBeGreaterThan(2_000);
  });
}
