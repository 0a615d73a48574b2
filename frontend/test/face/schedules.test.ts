// The page of schedules, in a real browser: every button and field, at 320 pixels.
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

// The form is long, and axe takes seconds on a machine that is busy.
vi.setConfig({ testTimeout: 90_000 });

async function open(show: Show = {}): Promise<Page> {
  const page = await openWindow({ width: 320, height: 720, ...show });
  await page.getByRole('button', { name: 'Schedules', exact: true }).click();
  await page.getByRole('heading', { name: 'Schedules' }).waitFor();
  return page;
}

/** Expects that axe finds nothing, and nothing is wider than the window. */
async function clean(page: Page): Promise<void> {
  await accessible(page);
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('main *, dialog[open] *')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
      .filter((one) => getComputedStyle(one).display !== 'inline')
      .map((one) => one.outerHTML.slice(0, 80)),
  );
  expect(wide).toEqual([]);
}

const asked = async (page: Page) =>
  (await page.evaluate(() => window.fake?.calls ?? []))
    .filter(([method]) => method === 'Schedules')
    .map(([, request]) => request as Record<string, unknown>)
    .filter((request) => request.do !== 'list');

const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/schedules-${name}.png` });
};

test('the list, with the last runs', async () => {
  const page = await open();
  await page.getByText('Waiting for a file').waitFor();
  await page.getByText(/^Next: /).waitFor();
  await page.getByText('Paused').waitFor();
  const report = page.getByRole('region', { name: 'morning-report' });
  await report.getByText('Missed 3 times').first().click();
  await report.getByText('Done after 41.2 s (you ran it)').waitFor();
  // A character that turns the text around is not shown.
  await report.getByText('Two numbers have changed').waitFor();
  await report.getByText('7 steps, 12400 tokens').waitFor();
  await report.getByRole('button', { name: 'Copy the command that shows this task' }).click();
  await page.getByText('Command copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'pilotfish task show f3a2',
  );
  await clean(page);
  await picture(page, 'list');
});

test('each button of a schedule does what it says', async () => {
  const page = await open({ width: 900 });
  const tea = page.getByRole('region', { name: 'tea' });
  await tea.getByRole('button', { name: 'Resume tea' }).click();
  await tea.getByRole('button', { name: 'Pause tea' }).click();
  await tea.getByText('Paused').waitFor();
  await tea.getByRole('button', { name: 'Run now' }).press('Enter');
  await tea.getByText('Running (you ran it)').first().waitFor();
  expect(await tea.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true);
  await picture(page, 'wide');
  await tea.getByRole('button', { name: 'Delete tea' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await tea.getByRole('button', { name: 'Delete tea' }).click();
  await clean(page);
  await page.evaluate(() =>
    window.fake?.refuseNext('Schedules', '{"code":"internal","message":"the disk is full"}'),
  );
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('the disk is full').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await tea.waitFor({ state: 'detached' });
  expect((await asked(page)).map(({ do: word, name }) => [word, name])).toEqual([
    ['resume', 'tea'],
    ['pause', 'tea'],
    ['run', 'tea'],
    ['remove', 'tea'],
    ['remove', 'tea'],
  ]);
});

test('a schedule is added and changed', async () => {
  const page = await open({ schedules: false });
  await page.getByText('No schedule yet').waitFor();
  await clean(page);
  await picture(page, 'none');
  await page.getByRole('button', { name: 'New schedule' }).press('Enter');
  await page.keyboard.type('news'); // the name has the focus
  await page.getByLabel('Task', { exact: true }).fill('Summarise the front page');
  await page.getByLabel('Begins on').fill('https://news.example');
  await page.getByLabel('Short form').fill('soon');
  await page.getByLabel('Tokens').fill('5000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“daily 09:30”').or(page.getByText('Write it as "daily 09:30"')).waitFor();
  await clean(page);
  await picture(page, 'form');
  // The fields and the short form say the same.
  await page.getByRole('combobox', { name: 'Repeats' }).selectOption('weekly');
  await page.getByRole('checkbox', { name: 'Friday' }).uncheck();
  await page.getByLabel('Time', { exact: true }).fill('13:05');
  expect(await page.getByLabel('Short form').inputValue()).toBe('mon-thu 13:05');
  await page.getByLabel('Short form').fill('daily 09:30');
  expect(await page.getByRole('combobox', { name: 'Repeats' }).inputValue()).toBe('daily');
  await page.getByLabel('Start the session for a run').check();
  await page.getByRole('combobox', { name: 'Notification' }).selectOption('always');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'news' }).waitFor();

  await page.getByRole('button', { name: 'Change news' }).click();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('routine');
  await page.getByRole('combobox', { name: 'Routine' }).selectOption('Book a trip');
  await page.getByLabel('city').fill('Paris');
  expect(await page.getByLabel('days').inputValue()).toBe('2');
  await page.getByLabel('days').fill('3');
  await page.getByRole('combobox', { name: 'Trigger' }).selectOption('page');
  await page.getByLabel('Page', { exact: true }).fill('https://shop.example');
  await page.getByLabel('Element').fill('.price');
  await page.getByLabel('Minutes between checks').fill('30');
  await clean(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('when .price on https://shop.example changes').waitFor();

  await page.getByRole('button', { name: 'Change news' }).click();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('commands');
  await page.getByLabel('Commands').fill('reload\nscreenshot');
  await page.getByRole('combobox', { name: 'Trigger' }).selectOption('folder');
  await page.getByRole('button', { name: 'Choose: Folder' }).click();
  await expect
    .poll(() => page.getByLabel('Folder', { exact: true }).inputValue())
    .toBe('/home/ada/src/other');
  await page.getByLabel('Files').fill('*.csv');
  await clean(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('when *.csv appears in /home/ada/src/other').waitFor();

  const [, first, second, third] = await asked(page);
  expect(first).toMatchObject({
    do: 'add',
    schedule: {
      name: 'news',
      what: { task: 'Summarise the front page', start: 'https://news.example' },
      when: { at: 'daily 09:30' },
      session: 'default',
      startSession: true,
      maxMinutes: 15,
      maxTokens: 5000,
      notify: 'always',
    },
  });
  expect(second).toMatchObject({
    do: 'change',
    name: 'news',
    schedule: {
      what: { routine: 'book', params: { city: 'Paris', days: '3' } },
      when: { page: 'https://shop.example', selector: '.price', everySeconds: 1800 },
    },
  });
  expect(third).toMatchObject({
    schedule: {
      what: { commands: ['reload', 'screenshot'] },
      when: { folder: '/home/ada/src/other', pattern: '*.csv' },
    },
  });
});

test('the side panel opens the form, filled in, and Save is in view', async () => {
  const page = await openWindow({ width: 320, height: 480 });
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  const show = (schedule: object): Promise<void> =>
    page.evaluate(
      (what) =>
        window.fake?.emit('show', { page: 'schedules', session: 'default', schedule: what }),
      schedule,
    );
  await show({ routine: 'book' });
  const routine = page.getByRole('combobox', { name: 'Routine' });
  await expect.poll(() => routine.inputValue()).toBe('book');
  await page.getByLabel('city').waitFor();
  const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
  expect((save?.y ?? 480) + (save?.height ?? 0)).toBeLessThanOrEqual(480);
  await picture(page, 'filled');
  await show({ task: 'Count the orders', start: 'https://shop.example/' });
  await expect
    .poll(() => page.getByLabel('Task', { exact: true }).inputValue())
    .toBe('Count the orders');
  expect(await page.getByLabel('Begins on').inputValue()).toBe('https://shop.example/');
  await page.getByRole('combobox', { name: 'Earlier task' }).selectOption('Book the new invoices');
  expect(await page.getByLabel('Task', { exact: true }).inputValue()).toBe('Book the new invoices');
  expect(await page.getByLabel('Name').inputValue()).toBe('book-the-new-invoices');
});

test('is loaded again when something that it shows changed, and only then', async () => {
  const page = await open();
  const count = (method: string): Promise<number> =>
    page.evaluate(
      (name) => (window.fake?.calls ?? []).filter(([called]) => called === name).length,
      method,
    );
  const push = (field: 'settings' | 'schedules' | 'work'): Promise<void> =>
    page.evaluate((name) => {
      const state = window.fake?.state;
      if (state) window.fake?.push({ [name]: state[name] + 1 });
    }, field);
  await page.getByText('Waiting for a file').waitFor();
  const lists = await count('Schedules');
  await push('settings');
  await push('schedules');
  await expect.poll(() => count('Schedules')).toBe(lists + 1);
  await page.getByRole('button', { name: 'New schedule' }).click();
  await page.getByRole('dialog').waitFor();
  const works = await count('SessionWork');
  await push('settings');
  await push('work');
  await expect.poll(() => count('SessionWork')).toBe(works + 1);
  expect(await count('Schedules')).toBe(lists + 1);
});

test('a list that cannot be read says why', async () => {
  const page = await openWindow({ width: 320 });
  await page.evaluate(() =>
    window.fake?.refuseNext(
      'Schedules',
      '{"code":"not_writable","message":"the list cannot be read","hint":"move the file away"}',
    ),
  );
  await page.getByRole('button', { name: 'Schedules', exact: true }).click();
  await page.getByText('The list cannot be read').waitFor();
  await page.getByText('Move the file away').waitFor();
  await clean(page);
});
