import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { accessible } from '../../frontend/test/face/violations';
import { backend, openPanel, picture } from './fakes/face';

let made: FakeBackend;
let page: Page;
let imported: { site: string; browser: string; profile: string; cookies: number; at: string }[];
let locked: string | undefined;

beforeEach(async () => {
  made = await backend();
  imported = [];
  locked = undefined;
  const sites: { site: string; cookies: number; locked?: number }[] = [
    { site: 'bank.example', cookies: 0, locked: 3 },
    { site: 'a-very-long-name-of-a-company-that-sells-things.example', cookies: 12 },
    { site: 'forum.example', cookies: 1 },
    { site: 'shop.example', cookies: 7 },
  ];
  made.rooms.answers.set('signins', ({ args = {} }) => {
    const at = '2026-11-26T10:00:00Z';
    const place = { browser: args.browser, profile: args.profile };
    switch (args.do) {
      case 'sites':
        if (locked !== undefined)
          return { ok: true, data: { ...place, sites: sites.slice(0, 1), trouble: locked } };
        if (args.browser === 'firefox')
          return {
            ok: true,
            data: {
              ...place,
              sites: sites.slice(1),
              containers: [
                { name: 'Banking', cookies: 1 },
                { name: 'Work', cookies: 12 },
              ],
            },
          };
        return {
          ok: true,
          data: {
            ...place,
            sites: sites.map((one) => ({
              ...one,
              ...(imported.some(({ site }) => site === one.site) && { imported: true }),
            })),
          },
        };
      case 'import': {
        const wanted = args.sites as string[];
        const taken = wanted
          .filter((site) => site !== 'forum.example')
          .map((site) => ({
            site,
            browser: 'chrome',
            profile: 'Default',
            cookies: 7,
            at,
            ...(args.storage === true && { items: 3 }),
          }));
        imported = [...imported, ...taken];
        const missed = wanted.filter((site) => site === 'forum.example');
        return missed.length === 0
          ? { ok: true, data: { sites: taken } }
          : {
              ok: false,
              data: { sites: taken, missed },
              error: { code: 'bad_argument', message: 'nothing could be taken' },
            };
      }
      case 'remove':
        imported = imported.filter(({ site }) => !(args.sites as string[]).includes(site));
        return { ok: true, data: { removed: 7 } };
      default:
        return {
          ok: true,
          data: {
            browsers: [
              {
                id: 'chrome',
                name: 'Google Chrome',
                profiles: [
                  { id: 'Default', name: 'Ada' },
                  { id: 'Profile 1', name: 'Work' },
                ],
              },
              {
                id: 'opera',
                name: 'Opera',
                missing: true,
                profiles: [{ id: 'Default', name: 'Default' }],
              },
              {
                id: 'firefox',
                name: 'Firefox',
                profiles: [{ id: 'ab12cd34.default', name: 'default' }],
              },
            ],
            imported,
          },
        };
    }
  });
});

/** Opens the panel at 320 px. */
async function panel(): Promise<void> {
  page = await openPanel(made, { width: 320, height: 720 });
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Opens the panel at 320 px and the picker by its quick action. */
async function open(): Promise<void> {
  await panel();
  await page.getByRole('button', { name: 'Sign-ins' }).click();
  await dialog().getByLabel('Browser and profile').waitFor();
}

const dialog = () => page.getByRole('dialog', { name: 'Sign-ins' });
const button = (name: string | RegExp) => dialog().getByRole('button', { name });
const site = (name: string | RegExp) => dialog().getByRole('checkbox', { name });

/** Checks what is shown in both colour schemes, and that nothing overflows. */
async function clean(name: string): Promise<void> {
  await accessible(page, {
    tags: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'],
    also: (scheme) => picture(page, `signins-${name}-${scheme}`),
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(
    true,
  );
}

it('lists, filters, imports and removes sign-ins', async () => {
  await open();
  expect(await dialog().locator('option').allInnerTexts()).toEqual([
    'Google Chrome – Ada',
    'Google Chrome – Work',
    'Opera – Default (not installed any more)',
    'Firefox – default',
  ]);
  expect(await button('Import').isDisabled()).toBe(true);
  await button('Show sites').click();
  await site(/forum/).waitFor();
  expect(await dialog().getByRole('group').getByRole('checkbox').count()).toBe(3);
  await dialog().getByLabel('Filter sites').fill('shop');
  await expect.poll(() => dialog().getByRole('group').getByRole('checkbox').count()).toBe(1);
  await site(/shop/).check();
  await dialog().getByLabel('Filter sites').fill('');
  await site(/forum/).check();
  await site('With their local storage').check();
  await button('Import 2').click();
  await dialog()
    .getByText('1 site imported, with 3 entries of local storage. Agents ask before they use them.')
    .waitFor();
  await dialog().getByText('Nothing could be taken of forum.example.').waitFor();
  await dialog().getByRole('heading', { name: 'Imported' }).waitFor();
  expect(made.rooms.commands.find(({ args }) => args?.do === 'import')?.args).toEqual({
    do: 'import',
    sites: ['forum.example', 'shop.example'],
    browser: 'chrome',
    profile: 'Default',
    storage: true,
  });
  await button('Sign in to bank.example here').waitFor();
  await clean('import');
  await button('Remove shop.example').click();
  await dialog().getByText('The sign-in of shop.example is removed from this session.').waitFor();
  await dialog().getByRole('heading', { name: 'Imported' }).waitFor({ state: 'detached' });
  await button('Close').last().click();
  await dialog().waitFor({ state: 'detached' });
  const opener = page.getByRole('button', { name: 'Sign-ins' });
  await expect.poll(() => opener.evaluate((it) => it === document.activeElement)).toBe(true);
});

it('opens when the user asks for it in the window, beside the tab in front only', async () => {
  await panel();
  // A panel that does not know its tab yet waits for any.
  await expect.poll(() => made.messages.at(-1)).toMatchObject({ type: 'viewing', tab: 't1' });
  // A tab of another window has a panel of its own, which receives the same event.
  const [first, second] = made.tabs;
  if (!first || !second) throw new Error('the fake has two tabs');
  made.tabs = [first, { ...second, windowId: 2 }];
  made.push({ type: 'tabs', tabs: made.tabs });
  made.push({ type: 'show', tab: 't2', signIns: true });
  made.tabs = [first, second];
  made.push({ type: 'tabs', tabs: made.tabs });
  await page.evaluate(() => {
    globalThis.fakeChrome.activate(12);
  });
  await expect.poll(() => made.messages.at(-1)).toMatchObject({ type: 'viewing', tab: 't2' });
  expect(await dialog().isVisible()).toBe(false);
  // A tab comes to the front a moment later.
  made.push({ type: 'show', tab: 't1', signIns: true });
  await page.evaluate(() => {
    globalThis.fakeChrome.activate(11);
  });
  await dialog().getByLabel('Browser and profile').waitFor();
  // Notified again, as when another panel connects, it keeps what was chosen.
  await button('Show sites').click();
  await site(/shop/).check();
  made.push({ type: 'show', tab: 't1', signIns: true });
  await page.evaluate(() => {
    globalThis.fakeChrome.activate(12);
  });
  await expect.poll(() => made.messages.at(-1)).toMatchObject({ type: 'viewing', tab: 't2' });
  expect(await site(/shop/).isChecked()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

it('says why cookies could not be unlocked, and what went wrong', async () => {
  locked = 'Google Chrome could not unlock its cookies on the copy.';
  await open();
  await dialog().getByLabel('Browser and profile').selectOption({ index: 1 });
  await button('Show sites').click();
  await dialog().getByText(locked).waitFor();
  await dialog().getByText('3 locked').waitFor();
  expect(await dialog().getByRole('group').getByRole('checkbox').count()).toBe(0);
  await clean('locked');
  expect(made.rooms.commands.at(-1)?.args).toMatchObject({ profile: 'Profile 1' });
  made.rooms.answers.set('signins', () => ({
    ok: false,
    error: { code: 'not_running', message: 'the browser did not start', hint: 'try again' },
  }));
  await button('Show sites').click();
  await dialog().getByText('the browser did not start').waitFor();
  expect(await button('Sign in here').isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

it('offers to sign in here, by the keyboard alone', async () => {
  await open();
  const opened = () =>
    made.rooms.commands.filter(({ command }) => command === 'newtab').map(({ args }) => args?.url);
  await dialog().getByLabel('Browser and profile').focus();
  await page.keyboard.press('F'); // Firefox
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog().getByText('Left out, as other identities: Banking (1 cookie), Work').waitFor();
  await page.keyboard.press('Tab'); // the filter
  await page.keyboard.type('FORUM');
  await expect.poll(() => dialog().getByRole('group').getByRole('checkbox').count()).toBe(1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  expect(await site(/forum/).isChecked()).toBe(true);
  await clean('firefox');
  await button('Import 1').press('Enter');
  await dialog().getByText('Nothing could be taken of forum.example.').waitFor();
  await clean('missed');
  await button('Sign in to forum.example here').press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(opened).toEqual(['https://forum.example/']);

  await page.getByRole('button', { name: 'Sign-ins' }).click();
  await dialog().getByLabel('Browser and profile').waitFor();
  made.rooms.answers.set('signins', () => ({
    ok: false,
    error: { code: 'bad_argument', message: 'cookies.sqlite is not in the profile any more' },
  }));
  await button('Show sites').press('Enter');
  await dialog().getByLabel('Site to sign in to').fill('news.example');
  await page.keyboard.press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(opened).toEqual(['https://forum.example/', 'https://news.example/']);
});

it('does what is pressed meanwhile afterwards, and drops the sites of another profile', async () => {
  const at = '2026-11-26T10:00:00Z';
  imported = ['shop.example', 'forum.example'].map((name) => ({
    site: name,
    browser: 'chrome',
    profile: 'Default',
    cookies: 7,
    at,
  }));
  await open();
  let release: () => void = () => undefined;
  const held = new Promise<void>((go) => (release = go));
  await page.route('**/command', async (route) => {
    const { args } = route.request().postDataJSON() as { args: Record<string, unknown> };
    if (args.do !== undefined) await held;
    await route.continue();
  });
  const sites = page.waitForResponse(
    (one) => one.request().postData()?.includes('"sites"') === true,
  );
  await button('Show sites').click();
  await dialog().getByLabel('Browser and profile').selectOption({ index: 1 });
  await button('Remove shop.example').click();
  await button('Remove forum.example').click();
  release();
  await (await sites).finished();
  await dialog().getByRole('heading', { name: 'Imported' }).waitFor({ state: 'detached' });
  expect(imported).toEqual([]);
  expect(await dialog().getByRole('group', { name: 'Sites' }).count()).toBe(0);
  // A site that cannot be opened is said.
  await dialog().getByLabel('Browser and profile').selectOption({ index: 0 });
  await button('Show sites').click();
  await button('Sign in to bank.example here').click();
  await page.getByText('There is no command newtab.').waitFor();
});
