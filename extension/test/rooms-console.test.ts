import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { accessible } from '../../frontend/test/face/violations';
import { backend, openPanel, picture } from './fakes/face';
import { answering, line } from './network-kit';

let made: FakeBackend;
let page: Page;

const object = { type: 'object', text: '{list: [1, 2], name: "Ada"}', handle: 'v1' };

beforeEach(async () => {
  made = await backend();
  answering(made);
  const { rooms } = made;
  rooms.feed(
    'console',
    line(1, { page: 0, text: 'of the page before' }),
    line(0, { navigated: true }),
    line(2, { text: 'ready' }),
    line(3, { text: 'same' }),
    line(4, { text: 'same' }),
    line(5, { text: 'cart {…}', args: [{ type: 'string', text: 'cart' }, object] }),
    line(6, { level: 'warning', text: 'careful' }),
    line(7, { level: 'debug', text: 'detail' }),
    line(8, { text: 'steps', begins: 'collapsed' }),
    line(9, { text: 'inside', group: 1 }),
    line(10, {
      level: 'error',
      text: 'Uncaught TypeError: it broke\u202e',
      entry: {
        ...line(10).entry,
        level: 'error',
        source: 'exception',
        text: 'Uncaught TypeError: it broke\u202e',
      },
      stack: [
        { function: 'save', url: 'https://example.com/assets/app-3.js', line: 1, column: 2345 },
        { function: 'click', url: 'https://example.com/assets/app-3.js', line: 1, column: 99 },
      ],
    }),
    line(11, {
      entry: {
        ...line(11).entry,
        level: 'error',
        source: 'network',
        text: 'Failed to load resource: 503',
        url: 'https://example.com/api/cart?id=7&token=(masked)',
      },
      stack: [],
    }),
  );
  rooms.feed('signals', { errors: 2, warnings: 1, blocked: 0, mocked: 0 });
  rooms.answers.set('console', ({ args = {} }) => {
    const what = String(args.what);
    if (args.do === 'clear') return { ok: true };
    if (args.do === 'open' && what === 'v1')
      return {
        ok: true,
        data: {
          parts: [
            { name: 'list', value: { type: 'array', text: '[1, 2]', handle: 'v2' } },
            { name: 'name', value: { type: 'string', text: 'Ada' } },
            { name: 'bad', value: { type: 'function', text: '(getter)' }, accessor: true },
          ],
          total: 3,
        },
      };
    if (args.do === 'open' && what === 'v9') {
      const from = Number(args.from);
      const parts = Array.from({ length: 100 }, (_, at) => ({
        name: String(from + at),
        value: { type: 'number', text: String(from + at) },
      }));
      return { ok: true, data: { parts, total: 200 } };
    }
    if (args.do === 'open')
      return {
        ok: false,
        error: { code: 'gone', message: `the value ${what} is not there any more` },
      };
    const mapped = { source: 'https://example.com/src/cart.ts', sourceLine: 41, sourceColumn: 3 };
    return {
      ok: true,
      data: what.split(' ').map((one) => {
        const [, url = '', at, column] = /^(.*):(\d+):(\d+)$/u.exec(one) ?? [];
        return { url, line: Number(at), column: Number(column), ...mapped };
      }),
    };
  });
  rooms.answers.set('eval', ({ args = {} }) => {
    const url = 'https://example.com/';
    switch (args.expression) {
      case 'boom()':
        return {
          ok: true,
          data: { url, value: { type: 'error', text: 'ReferenceError: boom' }, threw: true },
        };
      case 'many':
        return {
          ok: true,
          data: { url, value: { type: 'array', text: 'Array(200)', handle: 'v9' } },
        };
      case 'refused':
        return { ok: false, error: { code: 'timeout', message: 'the page does not answer' } };
      default:
        return { ok: true, data: { url, value: { type: 'number', text: '42' } } };
    }
  });
});

async function open(width = 320): Promise<void> {
  page = await openPanel(made, { width, height: 760 });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Console, 2' }).click(); // its badge counts the errors
  await page.getByRole('tabpanel', { name: 'Console' }).waitFor();
  await inRoom().getByText('Failed to load resource').waitFor();
}

const inRoom = () => page.getByRole('tabpanel', { name: 'Console' });
const button = (name: string | RegExp) => inRoom().getByRole('button', { name });
const lineOf = (text: string) => inRoom().locator('.line').filter({ hasText: text });
const copied = () => page.evaluate(() => navigator.clipboard.readText());
const prompt = () => inRoom().getByRole('textbox', { name: /^Script to run/ });
const gone = (text: string) => inRoom().getByText(text).waitFor({ state: 'detached' });

it('shows lines with counts, groups, stacks and sources, and filters them', async () => {
  await open();
  await lineOf('same').getByText('2', { exact: true }).waitFor();
  expect(await lineOf('same').count()).toBe(1);
  expect(await inRoom().getByText('inside').count()).toBe(0);
  await button('Open the group').click();
  await inRoom().getByText('inside').waitFor();
  await button('Close the group').click();
  await gone('inside');
  await lineOf('it broke').getByText('cart.ts:41').waitFor(); // from the source map
  expect(await lineOf('it broke').innerText()).not.toContain('\u202e');
  await lineOf('it broke').getByRole('button', { name: 'Show the stack' }).click();
  await inRoom().getByRole('list', { name: 'Stack' }).getByText('click').waitFor();
  await button('Hide the stack').click();
  for (const [name, text] of [
    ['Warnings', 'careful'],
    ['Debug', 'detail'],
    ['Errors', 'it broke'],
    ['Info', 'ready'],
  ] as const) {
    await button(new RegExp(`^${name}`)).click();
    await gone(text);
    await button(new RegExp(`^${name}`)).click();
    await lineOf(text).waitFor();
  }
  await inRoom().getByLabel('Preserve').check();
  await lineOf('of the page before').waitFor();
  await inRoom().getByText('The tab went to another page').waitFor();
  await inRoom().getByLabel('Preserve').uncheck();
  const find = inRoom().getByRole('textbox', { name: 'Filter the lines' });
  await find.fill('careful');
  await gone('ready');
  await find.fill('nothing like this');
  await inRoom().getByText('No line matches the filter.').waitFor();
});

it('opens values when asked for, and says when one is gone', async () => {
  await open();
  await lineOf('cart').getByRole('button', { name: /list/ }).first().click();
  const parts = inRoom().getByRole('group', { name: 'Parts of object' });
  await parts.getByText('(getter)').waitFor();
  await parts.getByText('"Ada"').waitFor();
  await parts.getByRole('button', { name: /^list/ }).click();
  await parts.getByText('the value v2 is not there any more').waitFor();
});

it('runs scripts as the user, with several lines and a history', async () => {
  await open();
  await prompt().fill('6 *');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await inRoom().getByText('42', { exact: true }).waitFor();
  expect(made.rooms.commands.find(({ command }) => command === 'eval')?.args).toEqual({
    expression: '6 *\n7',
    tree: true,
  });
  await prompt().fill('boom()');
  await button('Run').click();
  await lineOf('Uncaught ReferenceError: boom').and(page.locator('.error')).waitFor();
  await prompt().fill('refused');
  await page.keyboard.press('Enter');
  await lineOf('the page does not answer').waitFor();
  await prompt().fill('many');
  await page.keyboard.press('Enter');
  await inRoom().getByRole('button', { name: 'Array(200)' }).click();
  await button('Show more (100 left)').click();
  await inRoom().getByText('199', { exact: true }).first().waitFor();
  await prompt().fill('draft');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => prompt().inputValue()).toBe('many');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => prompt().inputValue()).toBe('6 *\n7');
  for (let at = 0; at < 6; at += 1) await page.keyboard.press('ArrowDown');
  await expect.poll(() => prompt().inputValue()).toBe('draft');
  await page.keyboard.press('Escape');
  await expect.poll(() => prompt().inputValue()).toBe('');
});

it('copies, sends to the agent, opens a failed request, and clears', async () => {
  await open();
  await button('Copy the lines in view').click();
  await expect.poll(copied).toContain('warning: careful');
  await lineOf('it broke').hover();
  await lineOf('it broke').getByRole('button', { name: 'Copy this line' }).click();
  await expect.poll(copied).toContain('at save (https://example.com/src/cart.ts:41:3)');
  const terminal = made.first;
  await terminal?.draw('\x1b[?2004h');
  await lineOf('it broke').hover();
  await lineOf('it broke').getByRole('button', { name: 'Send to agent' }).click();
  await terminal?.until(() => terminal.input.toString().includes('cart.ts:41'));
  expect(terminal?.input.toString()).toContain('[Console error, from https://example.com]');
  await button('Clear the console').click();
  await inRoom().getByText('The page has written nothing yet.').waitFor();
  expect(made.rooms.commands.at(-1)?.args).toEqual({ do: 'clear' });
});

it('leads from a failed request to the room Network', async () => {
  await open();
  const { shop } = await import('./network-kit');
  made.rooms.feed('network', ...shop);
  await lineOf('Failed to load').getByRole('button', { name: /^cart/ }).click();
  await page
    .getByRole('region', { name: 'Request' })
    .getByText('503 Service Unavailable')
    .waitFor();
});

it('stays quick with 5,000 lines, and says why the feed ended', async () => {
  await open();
  const many = Array.from({ length: 5000 }, (_, at) => line(at + 20));
  for (let from = 0; from < many.length; from += 500)
    made.rooms.feed('console', ...many.slice(from, from + 500));
  await lineOf('line 5019').waitFor();
  expect(await inRoom().locator('.line').count()).toBeLessThan(80);
  made.rooms.fail('console', 'tab t1 is closed');
  await inRoom().getByText('tab t1 is closed').waitFor();
  await button('Try again').click();
  await inRoom().getByText('tab t1 is closed').waitFor({ state: 'detached' });
});

it('is accessible in the light and in the dark', async () => {
  await open();
  await lineOf('cart').getByRole('button', { name: /list/ }).first().click();
  await inRoom().getByText('(getter)').waitFor();
  await lineOf('it broke').getByRole('button', { name: 'Show the stack' }).click();
  await accessible(page, {
    parts: ['.drawer'],
    also: (scheme) => picture(page, `console-${scheme}`),
  });
  expect(await page.evaluate(() => document.body.scrollWidth)).toBeLessThanOrEqual(320);
});

it('keeps late replies where they belong', async () => {
  await open();
  let release: () => void = () => undefined;
  let held = new Promise<void>((go) => (release = go));
  await page.route('**/command', async (route) => {
    const { command, args } = route.request().postDataJSON() as {
      command: string;
      args: Record<string, unknown>;
    };
    if (command === 'eval' || args.do === 'open') await held;
    await route.continue();
  });
  const reply = (part: string) =>
    page.waitForResponse((one) => one.request().postData()?.includes(part) === true);
  // Opened, closed and opened again before the parts are there.
  const parts = reply('"do":"open"');
  const tree = inRoom().getByRole('button', { name: /^\{list/ });
  for (let n = 0; n < 3; n += 1) await tree.click();
  release();
  await (await parts).finished();
  const named = inRoom()
    .locator('.name')
    .filter({ hasText: /^list$/ });
  await named.first().waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await named.count()).toBe(1);

  held = new Promise<void>((go) => (release = go));
  const late = reply('"slow"');
  await prompt().fill('slow');
  await page.keyboard.press('Enter');
  await lineOf('slow').waitFor();
  await page.evaluate(() => {
    globalThis.fakeChrome.activate(12);
  });
  await lineOf('slow').waitFor({ state: 'detached' });
  release();
  await (await late).finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await lineOf('42').count()).toBe(0);
});
