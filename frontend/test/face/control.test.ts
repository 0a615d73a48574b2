import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { LiveList, LivePicker } from '../../ui/protocol/protocol';
import { settleTime } from '../../ui/settled';
import { code } from '../fakes/control';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

const open = (show: Show = {}) => openWindow({ code, ...show });
const live = (page: Page) => page.evaluate(() => window.fake?.live ?? []);
/** Leaves a picture of what the test shows, where somebody wants one. */
const shot = async (page: Page, name: string) => {
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/control-${name}.png` });
};

test('without a good code the page says where one comes from', async () => {
  let page = await openWindow({ code: '' });
  await page.getByText('This page needs a new address').waitFor();
  await accessible(page);
  page = await openWindow({ code: 'old-code' });
  await page.getByText('This address opens nothing').waitFor();
  await shot(page, 'refused');
});

test('a code opens the window, and is nowhere afterwards', async () => {
  for (const width of [360, 1440]) {
    const page = await open({ width, height: 800 });
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(page.url()).not.toContain('code');
    await accessible(page);
    await shot(page, `sessions-${String(width)}`);
    // What is of use only at the computer of Pilotfish is not offered.
    await page.getByRole('button', { name: 'Pilotfish menu' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Leave this page']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('textbox', { name: 'Working folder' }).waitFor();
    expect(await page.getByRole('button', { name: /^Choose/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Import sign-ins/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Logs', exact: true }).click();
    await page.getByRole('heading', { name: 'Logs' }).waitFor();
    expect(await page.getByRole('button', { name: 'Open log folder' }).count()).toBe(0);
  }
});

test('what is not shown as a whole cannot be allowed', async () => {
  const page = await open({ scenario: 'approvals', width: 360, height: 640 });
  await page.getByRole('button', { name: 'Approvals 1' }).click();
  const allow = page.getByRole('button', { name: 'Allow once' });
  await page.getByText('Details').click();
  await expect.poll(() => allow.isEnabled()).toBe(true);
  await accessible(page);
  await shot(page, 'approval');
  await page.setViewportSize({ width: 360, height: 150 });
  await expect.poll(() => allow.isEnabled()).toBe(false);
  await page.getByText('A part of this is out of view').waitFor();
  expect(await page.getByRole('button', { name: 'Deny' }).isEnabled()).toBe(true);
  await page.setViewportSize({ width: 360, height: 640 });
  await expect.poll(() => allow.isEnabled()).toBe(true);
  await page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
    await page.evaluate(() => performance.now()),
    settleTime,
  ] as const);
  await allow.click();
  await page.getByText('No pending approvals').waitFor();
});

test('a live view draws the tab, takes mouse and keys, and has no question over it', async () => {
  for (const width of [360, 1440]) {
    const page = await open({ scenario: 'approvals', width, height: 800 });
    await page.getByTitle('View t1').click();
    const canvas = page.locator('canvas');
    await page.getByText('Connecting…').waitFor();
    await page.evaluate(() => window.fake?.picture?.('rgb(0, 128, 0)'));
    await page.getByText('Mouse and keys go to this tab').waitFor();
    await expect.poll(async () => (await live(page)).length).toBe(2);
    expect(await live(page)).toContainEqual({ type: 'ack', seq: 1 });
    const [fit] = (await live(page)).filter(({ type }) => type === 'fit');
    expect(fit?.width).toBe(Math.ceil((width < 600 ? width : width - 176) / 100) * 100);
    // THREATS 64: the badge says that something waits; it is answered on another page.
    expect(await page.getByRole('button', { name: /Allow|Deny/ }).count()).toBe(0);
    await accessible(page);
    await shot(page, `view-${String(width)}`);
    const box = await canvas.boundingBox();
    if (!box) throw new Error('there is no view');
    await page.evaluate(() => {
      const mark = ({ timeStamp }: Event): void => {
        performance.mark('press', { startTime: timeStamp });
      };
      addEventListener('pointerdown', mark, true);
    });
    await page.mouse.dblclick(box.x + box.width / 4, box.y + box.height / 2);
    await page.keyboard.press('Shift+A');
    await expect
      .poll(async () => (await live(page)).filter(({ type }) => type.startsWith('key')).length)
      .toBe(4);
    const sent = (await live(page)).filter(({ type }) => type !== 'ack' && type !== 'fit');
    expect(sent.filter(({ type }) => type !== 'move').map(({ type }) => type)).toEqual([
      ...['down', 'up', 'down', 'up', 'key', 'key', 'key_up', 'key_up'],
    ]);
    const pressed = sent.filter(({ type }) => type === 'down');
    // A busy machine presses so slowly that it is no double click.
    const [first = 0, second = 0] = await page.evaluate(() =>
      performance.getEntriesByName('press').map(({ startTime }) => startTime),
    );
    expect(pressed.map(({ clicks }) => clicks)).toEqual([1, second - first < 500 ? 2 : 1]);
    expect(pressed[0]?.x).toBeCloseTo(0.25, 1);
    expect(pressed[0]?.y).toBeCloseTo(0.5, 1);
    expect(sent.find(({ key }) => key === 'A')).toMatchObject({ code: 'KeyA', modifiers: 8 });
    await page.keyboard.press('Shift+Escape');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect((await live(page)).filter(({ key }) => key === 'Escape')).toEqual([]);
  }
});

test('a live view goes elsewhere, and shows the dialogs of its page', async () => {
  for (const [width, scheme] of [
    [360, 'light'],
    [1440, 'dark'],
  ] as const) {
    const page = await open({ width, height: 800, scheme });
    await page.getByTitle('View t1').click();
    await page.evaluate(() => window.fake?.picture?.('rgb(0, 128, 0)'));
    await page.getByText('Mouse and keys go to this tab').waitFor();
    const ran = () =>
      page.evaluate(() =>
        window.fake?.calls.filter(([op]) => op === 'RunInView').map((call) => call[2]),
      );
    // Each press counts, also while a command runs.
    await page.evaluate(() => {
      for (const label of ['Forward', 'Back'])
        document.querySelector<HTMLElement>(`[aria-label=${label}]`)?.click();
    });
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill('localhost:3000/new');
    await address.press('Enter');
    await expect.poll(ran).toEqual([
      { command: 'forward', tab: 't1', args: { wait: 'commit' } },
      { command: 'back', tab: 't1', args: { wait: 'commit' } },
      { command: 'goto', tab: 't1', args: { url: 'http://localhost:3000/new', wait: 'commit' } },
    ]);
    await expect
      .poll(() => page.locator('canvas').evaluate((c) => c === document.activeElement))
      .toBe(true);

    await page.keyboard.down('a');
    await page.evaluate(() => {
      window.fake?.shows?.({
        dialog: { type: 'prompt', message: 'Your name?\nAll of it.', default: 'Ada' },
      });
    });
    const dialog = page.getByRole('alertdialog', { name: 'The page says:' });
    await dialog.getByText('All of it.').waitFor();
    await accessible(page);
    await shot(page, `dialog-${String(width)}`);
    // What was down is up, and nothing else reaches a page that waits.
    await page.locator('canvas').click();
    await page.keyboard.up('a');
    expect((await live(page)).at(-1)).toEqual({ type: 'release' });
    await dialog.getByRole('textbox').fill('Ada L.');
    await dialog.getByRole('textbox').press('Enter');
    await expect
      .poll(async () => (await ran())?.at(-1))
      .toEqual({ command: 'dialog', tab: 't1', args: { answer: 'accept', text: 'Ada L.' } });
    await page.evaluate(() => {
      window.fake?.shows?.({ dialog: { type: 'beforeunload', message: '' } });
    });
    await page.getByRole('button', { name: 'Stay' }).click();
    await expect
      .poll(async () => (await ran())?.at(-1))
      .toEqual({ command: 'dialog', tab: 't1', args: { answer: 'dismiss' } });
    await page.evaluate(() => window.fake?.shows?.({}));
    await expect.poll(() => page.getByRole('alertdialog').count()).toBe(0);
  }
});

test('a live view shows the list of a select, and what the page asks for', async () => {
  for (const [width, scheme] of [
    [360, 'light'],
    [1440, 'dark'],
  ] as const) {
    const page = await open({ width, height: 800, scheme });
    await page.getByTitle('View t1').click();
    await page.evaluate(() => window.fake?.picture?.('rgb(0, 128, 0)'));
    await page.getByText('Mouse and keys go to this tab').waitFor();
    const canvas = page.locator('canvas');
    const sent = async () =>
      (await live(page)).filter(({ type }) => type === 'pick' || type === 'shut');
    const show = (list: Partial<LiveList> & { seq: number }) =>
      page.evaluate(
        (changes) =>
          window.fake?.shows?.({
            list: {
              label: 'Country\u202e <b>',
              x: 0.1,
              y: 0.1,
              width: 0.3,
              height: 0.05,
              options: [
                { index: 0, label: 'Any <img src=x onerror="document.title = 1">', selected: true },
                { index: 1, label: 'France', group: 'Europe' },
                { index: 2, label: 'Atlantis', group: 'Europe', disabled: true },
                { index: 4, label: `Japan\u202e${'n'.repeat(150)}`, group: 'Asia' },
              ],
              ...changes,
            },
          }),
        list,
      );
    const box = page.getByRole('listbox', { name: 'Country <b>' });

    await canvas.hover();
    await page.mouse.down();
    await show({ seq: 1 });
    expect(await box.count()).toBe(0);
    await page.mouse.up();
    await expect.poll(() => box.evaluate((el) => el === document.activeElement)).toBe(true);
    expect(await box.getByRole('option').first().textContent()).toContain('<img src=x');
    expect(await box.locator('img, b').count()).toBe(0);
    await shot(page, `list-${String(width)}-${scheme}`);
    await accessible(page);
    // THREATS 64: it lies over nothing but the view.
    const inside = await page.locator('.list').evaluate((el) => {
      const [own, area] = [el, el.parentElement ?? el].map((one) => one.getBoundingClientRect());
      return own && area && own.top >= area.top && own.left >= area.left && own.right <= area.right;
    });
    expect(inside).toBe(true);
    await page.keyboard.press('ArrowDown');
    expect(await sent()).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(sent).toEqual([{ type: 'pick', seq: 1, picked: 1 }]);
    await expect.poll(() => canvas.evaluate((el) => el === document.activeElement)).toBe(true);

    await show({ seq: 2 });
    await box.press('Escape');
    await show({ seq: 3, x: 0.9, y: 0.9 });
    await page.getByRole('option', { name: 'Atlantis' }).click({ force: true });
    await page.getByRole('option', { name: 'Japan' }).click();
    await show({ seq: 5, more: 20 });
    await page.getByText('20 more are not shown.').waitFor();
    await page.getByRole('textbox', { name: 'Address' }).click();
    await expect.poll(sent).toEqual([
      { type: 'pick', seq: 1, picked: 1 },
      { type: 'shut', seq: 2 },
      { type: 'pick', seq: 3, picked: 4 },
      { type: 'shut', seq: 5 },
    ]);
    await show({ seq: 6 });
    await page.evaluate(() => window.fake?.shows?.({ file: true }));
    await page.getByText('The page asks for a file').waitFor();
    expect(await box.count()).toBe(0);
    expect(await page.title()).not.toBe('1');
  }
});

test('a live view shows a picker of its own for that of the page', async () => {
  for (const [width, scheme] of [
    [360, 'light'],
    [1440, 'dark'],
  ] as const) {
    const page = await open({ width, height: 800, scheme });
    await page.getByTitle('View t1').click();
    await page.evaluate(() => window.fake?.picture?.('rgb(0, 128, 0)'));
    await page.getByText('Mouse and keys go to this tab').waitFor();
    const sent = async () =>
      (await live(page)).filter(({ type }) => type === 'set' || type === 'shut');
    const show = (picker: Partial<LivePicker> & { seq: number }) =>
      page.evaluate(
        (changes) =>
          window.fake?.shows?.({
            picker: {
              label: 'Arrival\u202e <img src=x onerror="document.title = 1">',
              x: 0.6,
              y: 0.1,
              width: 0.3,
              height: 0.05,
              type: 'date',
              value: '2026-11-30',
              min: '2026-11-01',
              ...changes,
            },
          }),
        picker,
      );
    const field = page.getByLabel('Arrival <img');
    await show({ seq: 1 });
    await expect.poll(() => field.evaluate((el) => el === document.activeElement)).toBe(true);
    expect(await field.evaluate((el) => el.outerHTML)).toContain('type="date"');
    await shot(page, `picker-${String(width)}-${scheme}`);
    await accessible(page);
    // THREATS 64: it lies over nothing but the view.
    const inside = await page.locator('.frame form').evaluate((el) => {
      const [own, area] = [el, el.parentElement ?? el].map((one) => one.getBoundingClientRect());
      return own && area && own.top >= area.top && own.left >= area.left && own.right <= area.right;
    });
    expect(inside).toBe(true);
    // What the page would not offer is not sent.
    await field.fill('2026-10-01');
    await field.press('Enter');
    expect(await sent()).toEqual([]);
    await field.fill('2026-12-24');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await expect.poll(sent).toEqual([{ type: 'set', seq: 1, text: '2026-12-24' }]);
    const canvas = page.locator('canvas');
    await expect.poll(() => canvas.evaluate((el) => el === document.activeElement)).toBe(true);

    await show({ seq: 2, type: 'color', value: '#ff0000', min: '', x: 0, y: 0.9 });
    await shot(page, `picker-colour-${String(width)}-${scheme}`);
    await field.press('Escape');
    await show({ seq: 3, type: 'datetime-local', value: '', min: '' });
    await shot(page, `picker-time-${String(width)}-${scheme}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await show({ seq: 4 });
    await page.getByRole('textbox', { name: 'Address' }).click();
    await expect.poll(sent).toEqual([
      { type: 'set', seq: 1, text: '2026-12-24' },
      { type: 'shut', seq: 2 },
      { type: 'shut', seq: 3 },
      { type: 'shut', seq: 4 },
    ]);
    expect(await page.title()).not.toBe('1');
  }
});

test('a live view of a page with a long title stays within a narrow screen', async () => {
  const page = await open({ width: 360, height: 740 });
  await page.getByTitle('View t7').click();
  await page.evaluate(() => window.fake?.picture?.('rgb(0, 128, 0)'));
  await page.getByText('Mouse and keys go to this tab').waitFor();
  const box = await page.locator('canvas').boundingBox();
  expect(box && box.x + box.width).toBeLessThanOrEqual(350);
});

test('a page that was revoked says so, and one that leaves, too', async () => {
  let page = await open();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await page.evaluate(() => {
    window.fake?.revoke?.();
  });
  await page.getByText('The user revoked the access of Chrome on Linux').waitFor();
  await accessible(page);
  page = await open();
  await page.getByRole('button', { name: 'Pilotfish menu' }).click();
  await page.getByRole('menuitem', { name: 'Leave this page' }).click();
  await page.getByText('You have left this page').waitFor();
});
