// The steps of the first run, in a real browser, at 320 pixels and wide.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

// Where screenshots go, for visual inspection; none without it.
const pictures = process.env.PILOTFISH_PICTURES;

let page: Page;

const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name });
const done = () =>
  page.evaluate(() => (window.fake?.calls ?? []).filter(([name]) => name === 'FirstRunDone'));

const shown = () =>
  page.evaluate(() => (window.fake?.calls ?? []).filter(([name]) => name === 'ShowSignIns'));

async function open(show: Show): Promise<void> {
  page = await openWindow(show);
  // The welcome page in the browser offers them, and the window does not put them first.
  if (show.scenario === 'first') {
    await heading('Sessions').waitFor();
    await button('First steps').click();
  }
  await heading('Browser').waitFor();
}

/** The step is clean in light and dark, and as wide as the window. */
async function clean(name: string): Promise<void> {
  await accessible(page, {
    also: async (scheme) => {
      if (pictures !== undefined)
        await page.screenshot({
          path: `${pictures}/first-${name}-${scheme}.png`,
          animations: 'disabled',
        });
    },
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    await page.evaluate(() => innerWidth),
  );
}

test('three steps by keyboard alone, and they do not come again', async () => {
  await open({ scenario: 'first', width: 320, height: 640 });
  await page.getByText('Chromium 156.0.8078.73').waitFor();
  await clean('browser-narrow');
  await button('Next').focus();
  await page.keyboard.press('Enter');
  await heading('Agents').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Agents');
  await page.getByText('signed in', { exact: true }).waitFor();
  await page.getByText('To sign in, start gemini in a terminal').waitFor();
  await page.getByText('More agents (16)').click();
  await page.getByText('Other agent 17').waitFor();
  await clean('agents-narrow');
  await button('Copy the command for Codex').click();
  await page.getByText('Command copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'npm install -g @openai/codex',
  );
  await button('Next').focus();
  await page.keyboard.press('Enter');
  await heading('Model and sign-ins').waitFor();
  await button('New model').waitFor();
  await clean('model-narrow');
  await button('Show the browser').click();
  await button('Import sign-ins…').focus();
  await page.keyboard.press('Enter');
  await expect.poll(shown).toEqual([['ShowSignIns', 'default']]);
  await button('Back').click();
  await heading('Agents').waitFor();
  await button('3. Model').click();
  await button('Done').click();
  await heading('Sessions').waitFor();
  expect(await done()).toHaveLength(1);
  // Asked for, it comes again, and its end writes nothing.
  await button('Pilotfish menu').click();
  await page.getByRole('menuitem', { name: 'First steps' }).click();
  await heading('Browser').waitFor();
  await button('Skip all').click();
  await heading('Sessions').waitFor();
  expect(await done()).toHaveLength(1);
  await button('Settings').click();
  await button('First steps').click();
  await heading('Browser').waitFor();
});

test('what is missing is noticed when it is there', async () => {
  await open({ scenario: 'firstBare' });
  await page.getByText('sudo apt install chromium').waitFor();
  await clean('no-browser');
  await page.evaluate(() => {
    window.fake?.push({
      browsers: [{ name: 'Chromium', path: '/usr/bin/chromium', version: '156.0' }],
    });
  });
  await page.getByText('Chromium 156.0').waitFor();
  await button('Start the session').click();
  await button('Next').click();
  await page.getByText('No agent was found.').waitFor();
  await clean('no-agent');
  await page.evaluate(() => {
    const { fake } = window;
    if (!fake) return;
    const agents = fake.state.agents.agents.map((agent) =>
      agent.kind === 'codex'
        ? { kind: 'codex', name: 'Codex', installed: true, version: '0.44.0' }
        : agent,
    );
    fake.push({ agents: { ...fake.state.agents, agents } });
  });
  await page.getByText('Codex 0.44.0').waitFor();
});

test('sign-ins are imported into a session that runs', async () => {
  await open({ scenario: 'firstBare' });
  await button('3. Model').click();
  await page.getByText('No session is running. Start one first.').waitFor();
  expect(await button('Import sign-ins…').isDisabled()).toBe(true);
  await clean('signins-off');
  const turn = (state: 'starting' | 'running', names: string[]) =>
    page.evaluate(
      ([state, names]) => {
        const { fake } = window;
        const [session] = fake?.state.sessions ?? [];
        if (session)
          fake?.push({ sessions: names.map((name) => ({ ...session, name, state, tabs: [] })) });
      },
      [state, names] as const,
    );
  await turn('starting', ['default']);
  await page.getByText('The session is starting.').waitFor();
  await turn('running', ['default', 'work']);
  await page.getByLabel('Session for the sign-ins').selectOption('work');
  await clean('signins-two');
  await page.evaluate(() => {
    window.fake?.refuseNext(
      'ShowSignIns',
      '{"code":"not_running","message":"session work is not running"}',
    );
  });
  await button('Import sign-ins…').click();
  await page.getByText('session work is not running').waitFor();
  await turn('running', ['default']); // the chosen one has ended
  await page.getByLabel('Session for the sign-ins').waitFor({ state: 'detached' });
  await button('Import sign-ins…').click();
  await expect.poll(shown).toEqual([
    ['ShowSignIns', 'work'],
    ['ShowSignIns', 'default'],
  ]);
  // Settings has the same.
  await button('Skip all').click();
  await button('Settings').click();
  await page.getByLabel('Search settings').fill('cookies');
  await page.getByRole('heading', { level: 2, name: 'Sign-ins' }).waitFor();
  await button('Import sign-ins…').click();
  await expect.poll(async () => (await shown()).length).toBe(3);
});

test('a first run that cannot be recorded says so, and is over all the same', async () => {
  await open({ scenario: 'first' });
  await page.evaluate(() => {
    window.fake?.refuseNext('FirstRunDone', '{"code":"not_writable","message":"The disk is full"}');
  });
  await button('Skip all').click();
  await page.getByText('The disk is full').waitFor();
  await heading('Sessions').waitFor();
});

test('the own Chrome of the user leads to a new session in it', async () => {
  await open({ scenario: 'first', width: 320, height: 640 });
  await button('Use your own Chrome…').click();
  await heading('Sessions').waitFor();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await clean('own-chrome');
  expect(await dialog.getByRole('radio', { name: 'Your own Chrome' }).isChecked()).toBe(true);
  expect(await done()).toHaveLength(1);
  await dialog.getByLabel('Name').fill('Mine');
  await dialog.getByRole('button', { name: 'Create and start' }).click();
  await expect
    .poll(() =>
      page.evaluate(() => (window.fake?.calls ?? []).find(([name]) => name === 'NewSession')),
    )
    .toEqual(['NewSession', { title: 'Mine', identity: { browser: 'my-chrome' } }]);
});
