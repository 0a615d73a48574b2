import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { accessible } from '../../frontend/test/face/violations';
import { backend, openPanel } from './fakes/face';
import { answering, request, room, shop } from './network-kit';

let made: FakeBackend;
let page: Page;
let network: ReturnType<typeof answering>;

beforeEach(async () => {
  made = await backend();
  network = answering(made);
  made.rooms.feed('network', ...shop);
  made.rooms.answers.set('console', ({ args = {} }) => ({
    ok: true,
    data: String(args.what)
      .split(' ')
      .map((what) => {
        const [, url = '', line, column] = /^(.*):(\d+):(\d+)$/u.exec(what) ?? [];
        const mapped = { source: 'https://example.com/src/cart.ts', sourceLine: 41 };
        return { url, line: Number(line), column: Number(column), ...mapped, sourceColumn: 3 };
      }),
  }));
});

/** Opens the panel at 320 px with the room. */
async function open(): Promise<void> {
  page = await openPanel(made, { width: 320, height: 720 });
  await page.getByText('Live', { exact: true }).waitFor();
  await room(page, 'Network');
  await row(/cart/).waitFor();
}

const inRoom = () => page.getByRole('tabpanel', { name: 'Network' });
const row = (name: RegExp) => page.locator('[role=option][id^=request]').filter({ hasText: name });
const rows = () => page.locator('[role=option][id^=request]').allInnerTexts();
const button = (name: string | RegExp) => inRoom().getByRole('button', { name });
const tab = (name: string) => inRoom().getByRole('tab', { name, exact: true });
const more = async (menu: string, item: string): Promise<void> => {
  await button(menu).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};
const copied = () => page.evaluate(() => navigator.clipboard.readText());
const ran = (part: Record<string, unknown>) =>
  made.rooms.commands.filter(({ args = {} }) =>
    Object.entries(part).every(([name, value]) => args[name] === value),
  );

it('lists the requests of the page, and filters and sorts them', async () => {
  await open();
  expect(await rows()).toHaveLength(7);
  await row(/cart/).getByText('503').waitFor();
  await row(/track\.gif/)
    .getByText('failed')
    .waitFor();
  await page.getByText('7 requests', { exact: false }).waitFor();
  await inRoom().getByLabel('Preserve').check();
  await row(/old/).waitFor();
  await inRoom().getByLabel('Preserve').uncheck();
  const find = inRoom().getByRole('textbox', { name: 'Filter the requests' });
  await find.fill('example.com -assets');
  await page.getByText('4 of 7 requests').waitFor();
  await find.fill('nothing like this');
  await page.getByText('No request matches the filter.').waitFor();
  await find.fill('');
  for (const [name, choice, want] of [
    ['Type', 'fetch', 2],
    ['Status', 'failed', 2],
    ['Method', 'POST', 1],
  ] as const) {
    await inRoom().getByLabel(name, { exact: true }).selectOption(choice);
    await page.getByText(`${String(want)} of 7 requests`).waitFor();
    await inRoom().getByLabel(name, { exact: true }).selectOption({ index: 0 });
  }
  await button('Sort by time').click();
  await button('Sort by time').click();
  expect((await rows())[0]).toContain('180 ms');
  await button('Sort by time').click();
  expect((await rows())[0]).toContain('example.com');
});

it('shows a request, by keys too, with its credentials only on demand', async () => {
  await open();
  await inRoom().getByRole('listbox', { name: 'Requests' }).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const headers = inRoom().getByLabel('Request headers');
  await headers.getByText('(masked)').waitFor();
  expect(await page.content()).not.toContain("it's secret");
  await button('Show cookies and credentials').click();
  await headers.getByText("sid=it's secret").waitFor();
  await tab('Cookies').click();
  await inRoom().getByLabel('Cookies that were set').getByText('Path=/; HttpOnly').waitFor();
  await button('Hide cookies and credentials').click();
  await inRoom().getByLabel('Sent cookies').getByText('(masked)').waitFor();
  await tab('Payload').click();
  await expect.poll(() => page.getByLabel('Payload').innerText()).toMatch(/id\s+7/u);
  await button('Show what was sent').click();
  await page.getByText('"sku": "A-1"').waitFor();
  await tab('Response').click();
  await page.getByText('"error": "no stock"').waitFor();
  await tab('Timing').click();
  await page.getByText('Wait for the server').waitFor();
  await tab('Initiator').click();
  await page.getByText('cart.ts:41').first().waitFor(); // from the source map
  await page.keyboard.press('ArrowRight');
  await tab('Cookies').and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('Escape');
  await inRoom().getByRole('listbox', { name: 'Requests' }).and(page.locator(':focus')).waitFor();
  await row(/logo/).click();
  await tab('Response').click();
  await inRoom().getByRole('img', { name: 'The response' }).waitFor();
  await button('Close the request').click();
  await row(/app-3\.js\s+example/).click();
  await tab('Response').click();
  await page.getByText('the body of n3 is not available').waitFor();
});

it('copies, saves and sends a request', async () => {
  await open();
  await row(/cart/).click();
  await more('More about this request', 'Copy as cURL');
  await expect.poll(copied).toContain(`-H 'cookie: sid=it'\\''s secret; theme=dark'`);
  await more('More about this request', 'Copy as fetch');
  await expect.poll(copied).toContain('fetch("https://example.com/api/cart');
  await more('More about this request', 'Copy address');
  await expect.poll(copied).toMatch(/^https:\/\/example\.com\/api\/cart/);
  await more('More about this request', 'Copy response');
  await expect.poll(copied).toBe('{"error":"no stock","id":7}');
  await more('More about this request', 'Save response');
  await page.getByText('Saved as /files/network/t1-n6.json').waitFor();
  const terminal = made.first;
  await terminal?.draw('\x1b[?2004h');
  await button('Send to agent').click();
  await terminal?.until(() => terminal.input.toString().includes('cart.ts:41'));
  const text = terminal?.input.toString() ?? '';
  expect(text).toContain('[Failed request, from https://example.com]');
  expect(text).toContain('503 Service Unavailable');
  expect(text).not.toContain('secret');
});

it('exports all of them, clears, and reloads', async () => {
  await open();
  await more('More about the network', 'Export HAR');
  await page.getByText('7 requests, credentials masked: /files/har/t1.har').waitFor();
  await button('Copy path').click();
  await expect.poll(copied).toBe('/files/har/t1.har');
  await button('Download').click();
  await expect.poll(() => made.requests).toContain('/chat/file');
  await button('Dismiss').click();
  await more('More about the network', 'Export HAR with credentials');
  await page.getByText('7 requests: /files/har/t1.har').waitFor();
  expect(ran({ do: 'har' }).map(({ args }) => args?.masked)).toEqual([true, false]);
  await button('Clear the requests').click();
  await expect.poll(() => ran({ do: 'clear' }).length).toBe(1);
  await more('More about the network', 'Reload the page');
  await expect.poll(() => made.rooms.commands.at(-1)?.command).toBe('reload');
});

it('blocks, mocks and slows down, says so everywhere, and ends all with one press', async () => {
  await open();
  await row(/logo/).click();
  await more('More about this request', 'Block…');
  await button('Add').click();
  await page.getByText('Network: 1 blocked').waitFor();
  await button('Close the request').click();
  await row(/cart/).click();
  await more('More about this request', 'Mock…');
  const form = inRoom().getByRole('form', { name: 'New rule' });
  await expect.poll(() => form.getByLabel('Body of the answer').inputValue()).toContain('no stock');
  await form.getByLabel('Status').fill('200');
  await form.getByLabel('Headers').fill('content-type: application/json\nx-a: b');
  await button('Add').click();
  await inRoom().getByText('Mock 200').waitFor();
  expect(ran({ do: 'mock' })[0]?.args?.headers).toEqual([
    'content-type: application/json',
    'x-a: b',
  ]);
  await inRoom()
    .getByRole('combobox', { name: /^Throttle/ })
    .selectOption('slow-3g');
  await page.getByText('Network: slowed to slow-3g, 1 blocked, 1 mocked').waitFor();
  await page.getByRole('tab', { name: 'Network, !' }).waitFor();
  await button(/^Block, mock or throttle: slowed/).waitFor();
  await form.getByLabel('What to do').selectOption('block');
  await form.getByLabel('Address').fill('bad');
  await button('Add').click();
  await page.getByText('bad is no pattern').waitFor();
  await button('Remove the rule for https://cdn.example/logo.png').click();
  await page.getByText('Network: slowed to slow-3g, 1 mocked').waitFor();
  await button('Turn all off').click();
  await page.getByText('Network: slowed').waitFor({ state: 'detached' });
  expect(network).toEqual({ rules: [], throttle: '' });
  await button('Close the changes').click();
  // An agent slows the tab down while the drawer is closed.
  await page.getByRole('button', { name: 'Close the drawer' }).click();
  made.rooms.feed('signals', {
    errors: 0,
    warnings: 0,
    blocked: 0,
    mocked: 0,
    throttle: 'offline',
  });
  await page.getByText('Network: offline').waitFor();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await inRoom().getByRole('region', { name: 'Changes of the network' }).waitFor();
  await page.getByRole('button', { name: 'Turn off', exact: true }).click();
  await page.getByText('Network: offline').waitFor({ state: 'detached' });
});

it('stays quick with 5,000 requests, and follows their end', async () => {
  await open();
  const many = Array.from({ length: 5000 }, (_, at) => request(at + 10));
  for (let from = 0; from < many.length; from += 500)
    made.rooms.feed('network', ...many.slice(from, from + 500));
  await row(/app-5009\.js/).waitFor();
  await page.getByText('5000 requests', { exact: false }).waitFor();
  expect((await rows()).length).toBeLessThan(60); // only those in view are drawn
});

it('says why the feed ended, and begins again', async () => {
  await open();
  await page.evaluate(() => undefined);
  made.rooms.fail('network', 'tab t1 is closed');
  await page.getByText('tab t1 is closed').waitFor();
  await button('Try again').click();
  await page.getByText('tab t1 is closed').waitFor({ state: 'detached' });
});

it('is accessible in the light and in the dark', async () => {
  await open();
  made.rooms.feed('signals', { errors: 1, warnings: 0, blocked: 1, mocked: 0 });
  await button(/^Block, mock or throttle/).click();
  await row(/cart/).click();
  await inRoom().getByLabel('Response headers').waitFor();
  for (const part of ['Headers', 'Timing', 'Response']) {
    await tab(part).click();
    await accessible(page, { parts: ['.drawer', '.notice'] });
  }
  expect(await page.evaluate(() => document.body.scrollWidth)).toBeLessThanOrEqual(320);
});

it('shows what is in force after a refusal, and no reply that comes late', async () => {
  await open();
  await button('Block, mock or throttle').click();
  const answer = made.rooms.answers.get('network');
  made.rooms.answers.set('network', (request) =>
    request.args?.do === 'throttle'
      ? { ok: false, error: { code: 'gone', message: `no ${String(request.args.what)}` } }
      : (answer?.(request) ?? {}),
  );
  const throttle = inRoom().getByRole('combobox', { name: /^Throttle/ });
  await throttle.selectOption('offline');
  await inRoom().getByText('no offline').waitFor();
  await expect.poll(() => throttle.inputValue()).toBe('off');
  const signals = { errors: 0, warnings: 0, blocked: 0, mocked: 0, throttle: 'slow-3g' };
  made.rooms.feed('signals', signals);
  await expect.poll(() => throttle.inputValue()).toBe('slow-3g');
  const read = ran({ do: 'rules' }).length;
  await button('Turn all off').click();
  await expect.poll(() => ran({ do: 'rules' }).length).toBeGreaterThan(read);
  await inRoom().getByText('no off', { exact: true }).waitFor();
  await button('Close the changes').click();

  await row(/cart/).click();
  await inRoom().locator('dd').filter({ hasText: '(masked)' }).first().waitFor();
  let release: () => void = () => undefined;
  const held = new Promise<void>((go) => (release = go));
  await page.route('**/command', async (route) => {
    const { args } = route.request().postDataJSON() as { args: Record<string, unknown> };
    if (args.masked === false) await held;
    await route.continue();
  });
  await button('Show cookies and credentials').click();
  const late = page.waitForResponse(
    (reply) => reply.request().postData()?.includes('"masked":false') === true,
  );
  await button('Hide cookies and credentials').click();
  await expect.poll(() => ran({ do: 'show', masked: true }).length).toBe(2);
  release();
  await (await late).finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(
    await inRoom()
      .getByText(/it's secret/)
      .count(),
  ).toBe(0);
});
