// The window in use, in a real browser.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

let page: Page;

async function open(show: Show = {}): Promise<void> {
  page = await openWindow(show);
  await page.locator('main').waitFor();
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const calls = () => page.evaluate(() => window.fake?.calls ?? []);

const clean = () => accessible(page);

/** The states of a session in the user's own browser. */
const attaching = [
  'attachSwitchOn',
  'attachAllow',
  'byHandInstall',
  'byHandCode',
  'byHandPanel',
  'attached',
  'attachedClosed',
  'attachedStopped',
  'attachRefused',
];

describe('axe', () => {
  test.each([
    'running',
    'conversations',
    'stopped',
    'empty',
    'starting',
    'failed',
    'warning',
    'problem',
    'foreign',
    ...attaching,
  ])('sessions: %s', async (scenario) => {
    await open({ scenario });
    await clean();
  });

  test('settings, with an error', async () => {
    await open();
    await button('Settings').click();
    await page.getByLabel('Font size').fill('99');
    await page.getByLabel('Font size').blur();
    await page.getByText('out of range').waitFor();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('codex');
    await page.getByText('npm install -g').waitFor();
    await clean();
  });

  test('logs, with a chosen record', async () => {
    await open({ records: 2_000 });
    await button('Logs').click();
    await page.getByRole('option').last().click();
    await clean();
  });

  test('dialog, menu and message', async () => {
    await open();
    await page.evaluate(() => window.fake?.refuseNext('StopSession', 'no'));
    await button('Stop').click();
    await page.getByText('did not stop').waitFor();
    await clean();
    await button('Pilotfish menu').click();
    await clean();
    await page.keyboard.press('Escape');
    await button('New session').click();
    await clean();
  });
});

test('it says that it starts, before the app has answered', async () => {
  await open({ held: true });
  expect(await page.locator('main').innerText()).toBe('Starting…');
  await page.evaluate(() => window.fake?.release());
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
});

test('nothing is wider than the window at 320 pixels', async () => {
  for (const scenario of ['running', 'failed', 'warning', 'foreign', ...attaching]) {
    await open({ scenario, width: 320, height: 560 });
    for (const name of ['Sessions', 'Settings', 'Logs']) {
      await button(name).click();
      const over = await page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
          // Text with an ellipsis is clipped by its block.
          .filter((element) => getComputedStyle(element).display !== 'inline')
          .map((element) => element.className),
      );
      expect(over, `${scenario}, ${name}`).toEqual([]);
    }
  }
});

test('what is said beside a tab is listed there, and what waits is answered', async () => {
  await open({ scenario: 'conversations', width: 320, height: 900 });
  const first = page.getByRole('listitem').filter({ hasText: 'Checkout' });
  await first.getByText('Claude Code: Needs you, 2 waiting').waitFor();
  const second = page.getByRole('listitem').filter({ hasText: 'Payment intents' });
  await second.getByText('Gemini CLI: Working').waitFor();
  await second.getByText('New conversation').waitFor();
  await page.getByText('Prices of last week').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await first.getByRole('button', { name: /^Answer in Why does the coupon/ }).press('Enter');
  await page.getByRole('heading', { name: /^Why does the coupon/ }).waitFor();
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
});

test('a dismissed warning stays dismissed when the window opens again', async () => {
  await open({ scenario: 'warning' });
  const dismiss = button('Dismiss');
  const before = await dismiss.count();
  await dismiss.first().click();
  await expect.poll(() => dismiss.count()).toBe(before - 1);
  await page.reload();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await page.getByRole('button', { name: 'New session' }).waitFor();
  expect(await dismiss.count()).toBe(before - 1);
});

test('tasks and routines are listed, and are scheduled from there', async () => {
  const page = await openWindow({ width: 320, height: 720 });
  const tasks = page.getByRole('region', { name: 'Tasks' });
  await tasks.getByText('Dashboard').waitFor();
  await tasks.getByText('failed').waitFor();
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/work.png` });
  await page.getByRole('button', { name: 'Schedule: Book a trip' }).click();
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Routine' }).inputValue())
    .toBe('book');
});

test('with the keyboard alone: a new session, started, a tab shown, stopped', async () => {
  await open({ scenario: 'empty' });
  await page.getByRole('button', { name: 'New session' }).first().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('My work');
  await page.keyboard.press('Enter');
  // It starts at once.
  await page.getByRole('heading', { name: 'My work' }).waitFor();
  await button('Stop').waitFor();
  await page.getByRole('button', { name: /Checkout/ }).focus();
  await page.keyboard.press('Enter');
  await button('Stop').focus();
  await page.keyboard.press('Space');
  await button('Start').waitFor();
  // The tasks of a session are read once, and not with every change of its state.
  expect((await calls()).filter(([method]) => method !== 'State' && method !== 'Logs')).toEqual([
    ['NewSession', { title: 'My work' }],
    ['SessionWork', 'my-work'],
    ['StartSession', 'my-work'],
    ['ShowTab', 'my-work', 't1'],
    ['StopSession', 'my-work'],
  ]);
});

test('a session without remote debugging: the folder, a wrong code, the right one', async () => {
  await open({ scenario: 'byHandInstall', width: 320, height: 700 });
  await button('Copy: Folder').click();
  await page.getByText('Folder copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/extension$/);
  await page.getByLabel('Code').fill('K7QF-2M9X-TD4B');
  await button('Connect').click();
  await page.getByText('No panel shows this code').waitFor();
  await clean();
  await page.getByLabel('Code').fill('K7QF-2M9X-TD4A');
  await page.getByLabel('Code').press('Enter');
  await page.getByText('Inbox (3)').waitFor();
});

test('a session in the own browser: made, the steps, cancelled, allowed, changed', async () => {
  await open({ scenario: 'empty', width: 320, height: 700 });
  await button('New session').first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Name', { exact: true }).fill('Mine');
  await dialog.getByLabel('Your own Chrome').check();
  await dialog.getByLabel('Which browser').selectOption('Another one');
  await button('Create and start').click();
  await dialog.getByText('Enter the folder of its profiles.').waitFor();
  await clean();
  await dialog.getByRole('button', { name: 'Choose: folder' }).click();
  await expect
    .poll(() => dialog.getByLabel('Folder of its profiles', { exact: true }).inputValue())
    .toBe('/home/ada/src/other');
  await dialog.getByLabel('Which browser').selectOption('Google Chrome');
  // The choice is kept while the other kind is looked at.
  await dialog.getByLabel('A browser of its own').check();
  await dialog.getByLabel('Your own Chrome').check();
  await button('Create and start').click();

  const now = page.locator('[aria-current=step]');
  await now.getByText('Switch on remote debugging').waitFor();
  await page.getByText('Your Google Chrome').waitFor();
  await button('Copy').click();
  await page.getByText('Address copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'chrome://inspect/#remote-debugging',
  );
  await page.evaluate(() => window.fake?.attach('mine'));
  await now.getByText('Press Allow', { exact: true }).waitFor();
  await page.getByRole('img', { name: 'The dialog of the browser' }).waitFor();

  await button('Cancel').click();
  await button('Start').click();
  await now.getByText('Switch on remote debugging').waitFor();
  expect(await page.getByText('did not start').count()).toBe(0);
  for (let step = 0; step < 2; step++) await page.evaluate(() => window.fake?.attach('mine'));
  await page.getByText('Inbox (3)').waitFor();
  await page.getByText('Your Google Chrome').waitFor();
  expect((await calls()).filter(([method]) => method === 'NewSession')).toEqual([
    ['NewSession', { title: 'Mine', identity: { browser: 'chrome' } }],
  ]);

  // The form keeps the browser, and offers nothing that has no meaning with it.
  await button('Edit identity and network of session Mine').click();
  const edit = page.getByRole('dialog', { name: /^Identity and network/ });
  await edit.getByLabel('Colour').fill('#1a73e8');
  expect(await edit.getByLabel('Proxy', { exact: true }).count()).toBe(0);
  await clean();
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'hidden' });
  expect((await calls()).at(-1)).toEqual([
    'SaveSessionIdentity',
    'mine',
    { color: '#1a73e8', browser: 'chrome' },
  ]);
});

test('a session in a browser elsewhere: made, changed, and its engine is full', async () => {
  await open({ scenario: 'empty', width: 320, height: 700 });
  await button('New session').first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Name', { exact: true }).fill('Far');
  await dialog.getByLabel('A browser elsewhere').check();
  await button('Create and start').click();
  await dialog.getByText('Enter the address of the engine.').waitFor();
  await clean();
  await dialog.getByLabel('Address', { exact: true }).fill('wss://engine.example.com/chromium');
  await dialog.getByLabel('Header', { exact: true }).fill('X-Key: {secret}');
  await dialog.getByLabel('Secret', { exact: true }).fill('engine');
  await button('Create and start').click();
  await dialog.waitFor({ state: 'hidden' });
  const identity = {
    browser: 'wss://engine.example.com/chromium',
    browserHeader: 'X-Key: {secret}',
    browserSecret: 'engine',
  };
  expect((await calls()).filter(([method]) => method === 'NewSession')).toEqual([
    ['NewSession', { title: 'Far', identity }],
  ]);
  await open({ scenario: 'elsewhereFull', width: 320 });
  await page.getByText('has no free browser. It is asked again at').waitFor();
  await page.getByText('Waiting', { exact: true }).waitFor();
  await button('Cancel').waitFor();
  await clean();
  await open({ scenario: 'elsewhereAway', width: 320 });
  await page.getByText('cannot be reached. It is dialled again').waitFor();
  await page.getByText('Waiting', { exact: true }).waitFor();
  await clean();
  await open({ scenario: 'elsewhere' });
  await page.getByText('Browser at grid.example.com').waitFor();
});

test('the menu by keys; Escape gives the focus back; quitting asks while agents live', async () => {
  await open();
  await button('Pilotfish menu').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.role === 'menuitem');
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.textContent.trim())).toBe(
    'Open log folder',
  );
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Pilotfish menu',
  );
  await page.keyboard.press('Control+q');
  await page.getByText('3 agents are still running').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await calls()).not.toContainEqual(['Quit']);
  await page.keyboard.press('Control+q');
  await button('Quit').click();
  expect(await calls()).toContainEqual(['Quit']);
});

test('an error leads to its setting', async () => {
  await open({ scenario: 'failed' });
  await button('Choose a browser').click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'SELECT');
  await page.getByRole('combobox', { name: 'Browser' }).selectOption('other:');
  await page.getByRole('button', { name: 'Choose: Browser' }).click();
  await page.waitForFunction(() => window.fake?.settings.browserPath === '/opt/brave/brave');
});

test('a switch that cannot be saved says why below it, and keeps its words in one line', async () => {
  await open();
  await button('Settings').click();
  await page.evaluate(() =>
    window.fake?.refuseNext(
      'SaveSettings',
      `${'/home/of/somebody'.repeat(6)}/settings.toml cannot be written: the disk is full`,
    ),
  );
  await page.getByLabel('Start the session with Pilotfish').click();
  const said = page.getByRole('alert').filter({ hasText: 'the disk is full' });
  await said.waitFor();
  const height = async (text: string) => (await page.getByText(text).boundingBox())?.height;
  expect(await height('Start the session with Pilotfish')).toBe(
    await height('Start Pilotfish when you log in'),
  );
});

test('what needs a restart says so, and its button does it', async () => {
  await open();
  await button('Settings').click();
  await page.getByLabel('Start page').fill('https://example.com/');
  await page.getByLabel('Start page').blur();
  const hint = page.getByText('Takes effect after the session restarts');
  await hint.waitFor();
  await button('Restart session').click();
  await hint.waitFor({ state: 'detached' });
  expect(await calls()).toContainEqual(['RestartSession', 'default']);
});

describe('the log', () => {
  const list = () => page.getByRole('listbox');
  const scroll = () =>
    list().evaluate((element) => ({
      top: element.scrollTop,
      end: element.scrollTop + element.clientHeight >= element.scrollHeight - 1,
      rows: element.querySelectorAll('[role=option]').length,
      first: element.querySelector('[role=option]')?.textContent,
    }));
  const log = async (count: number) => {
    await page.evaluate(async (n) => {
      window.fake?.log(n);
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    }, count);
  };

  test('of 5,000 records only those in view are drawn, and the end is followed', async () => {
    await open({ records: 2_000 });
    await button('Logs').click();
    await log(6_000);
    const at = await scroll();
    expect(at.end).toBe(true);
    expect(at.rows).toBeLessThan(100);
  });

  test('a reader in the middle is left alone, also when old records go', async () => {
    await open({ records: 2_000 });
    await button('Logs').click();
    await log(3_000);
    await list().hover();
    const end = (await scroll()).top;
    await page.mouse.wheel(0, -2_200);
    await button('Newest').waitFor();
    // The button comes with the wheel, before the list has moved.
    await expect.poll(async () => (await scroll()).top).toBe(end - 2_200);
    const reading = () =>
      list().evaluate((element) => {
        const box = element.getBoundingClientRect();
        const row = document
          .elementFromPoint(box.left + 40, box.top + 33)
          ?.closest('[role=option]');
        return row?.querySelector('.time')?.textContent;
      });
    const before = await reading();
    await log(40);
    expect(await reading()).toBe(before);
    await button('40 new').click();
    expect((await scroll()).end).toBe(true);
    await log(3);
    expect((await scroll()).end).toBe(true);
  });

  test('pause, filter, copy, clear', async () => {
    await open({ records: 80 });
    await button('Logs').click();
    await button('Pause').click();
    await log(7);
    await button('Resume (7 new)').click();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('navigation failed');
    await page.getByRole('combobox', { name: 'Level' }).selectOption('ERROR');
    await button('Copy shown records').click();
    await page.getByText('Log copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.split('\n')).toHaveLength(11);
    expect(copied).not.toContain('listening');
    await button('Clear the view').click();
    await page.getByText('No matching records').waitFor();
    await button('Open log folder').click();
    expect(await calls()).toContainEqual(['OpenLogFolder']);
  });

  test('by keys: arrows choose, Escape lets go', async () => {
    await open({ records: 200 });
    await button('Logs').click();
    await list().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary').waitFor();
    expect((await scroll()).top).toBe(0);
    expect(await page.locator('[aria-selected=true]').getAttribute('aria-posinset')).toBe('2');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
  });
});
