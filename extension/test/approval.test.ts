import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { settleTime } from '$ui/settled';
import { backend, openPanel } from './fakes/face';
import type { FakeBackend } from './fakes/backend';
import { approval, login, script, trust } from './states';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
  page = await openPanel(made);
  await page.getByText('Live', { exact: true }).waitFor();
});

const answers = () => made.messages.filter(({ type }) => type === 'answer');
const button = (name: string) => page.getByRole('button', { name, exact: true });

function ask(...approvals: ReturnType<typeof approval>[]): void {
  made.push({ type: 'session', session: { ...made.session(), approvals } });
}

/** Waits until the time in which a click does not count has passed, by the page's own clock. */
async function settle(): Promise<void> {
  await page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
    await page.evaluate(() => performance.now()),
    settleTime,
  ] as const);
}

test.each([
  ['Allow once', 'once'],
  ['Always on example.com', 'always'],
  ['Deny', 'deny'],
])('%s is said over the socket, once', async (name, answer) => {
  ask(approval());
  await button(name).waitFor();
  await settle();
  await button(name).dblclick();
  await made.until(() => answers().length > 0);
  ask();
  await button(name).waitFor({ state: 'detached' });
  expect(answers()).toEqual([{ type: 'answer', approval: 'n1', answer }]);
});

test('trust in a folder is an answer that lasts', async () => {
  ask(trust());
  await button('Trust this folder').waitFor();
  expect(await button('Allow once').count()).toBe(0);
  await settle();
  await button('Trust this folder').click();
  await made.until(() => answers().length > 0);
  expect(answers()).toEqual([{ type: 'answer', approval: 'n1', answer: 'always' }]);
});

test('a login is typed, sent once, and not kept in the page', async () => {
  ask(login());
  const password = page.getByRole('textbox', { name: 'Password' });
  await password.waitFor();
  await page.getByText('The last login was not accepted.').waitFor();
  expect(await page.getByRole('textbox', { name: 'User name' }).inputValue()).toBe('ada');
  expect(await password.getAttribute('type')).toBe('password');
  await settle();
  await page.getByLabel('Save as a secret').check();
  await password.fill('hush hush');
  await password.press('Enter');
  await made.until(() => answers().length > 0);
  expect(await password.inputValue()).toBe('');
  ask();
  await password.waitFor({ state: 'detached' });
  ask(login({ id: 'n2' }));
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  await settle();
  await button('Cancel').click();
  await made.until(() => answers().length > 1);
  expect(answers()).toEqual([
    {
      type: 'answer',
      approval: 'n1',
      answer: 'once',
      login: { user: 'ada', password: 'hush hush', save: true },
    },
    { type: 'answer', approval: 'n2', answer: 'deny' },
  ]);
});

test('a click of a script is no answer', async () => {
  ask(approval());
  await button('Allow once').waitFor();
  await settle();
  await page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>('.approval button')) one.click();
  });
  // Messages on the socket keep their order, so the next one shows that none came before it.
  await page.evaluate(() => {
    globalThis.fakeChrome.activate(12);
  });
  await made.until(() => made.messages.at(-1)?.type === 'viewing');
  expect(answers()).toEqual([]);
});

test('the question takes no key from the terminal, and none to the page', async () => {
  await page.locator('.xterm-helper-textarea').focus();
  ask(approval());
  await button('Allow once').waitFor();
  await settle();
  expect(await page.evaluate(() => document.activeElement?.className)).toContain('xterm');
  await page.keyboard.press('Enter');
  await page.keyboard.type('y');
  expect(answers()).toEqual([]);
  await button('Deny').focus();
  await page.keyboard.press('Enter');
  await made.until(() => answers().length > 0);
  expect(answers()).toEqual([{ type: 'answer', approval: 'n1', answer: 'deny' }]);
});

test('the focus goes to the next question, and stays beside the terminal after the last', async () => {
  ask(approval(), approval({ id: 'n2' }));
  await button('Deny').nth(1).waitFor();
  await settle();
  await button('Deny').first().press('Enter');
  await made.until(() => answers().length > 0);
  ask(approval({ id: 'n2' }));
  await page.locator('.approval:focus').waitFor();
  await settle();
  await button('Deny').press('Enter');
  await made.until(() => answers().length > 1);
  ask();
  await page.locator('.approvals:focus').waitFor({ state: 'attached' });
});

test('foreign text is text, with a mark where it would deceive', async () => {
  ask(
    approval({
      words: {
        ...script('<img src=x onerror="document.title=1">\u202e\n\tx\u0007'),
        who: '<b>you</b>\u202e in the terminal of t1',
        where: 'https://a\u202emoc.elgoog',
      },
    }),
  );
  const card = page.locator('.approval');
  await card.waitFor();
  expect(await card.locator('h2').innerText()).toBe(
    '<b>you</b> in the terminal of t1 wants to run JavaScript',
  );
  expect(await card.locator('.origin').innerText()).toBe('https://a moc.elgoog');
  await card.getByText('Details').click();
  expect(await card.locator('pre').last().textContent()).toBe(
    '<img src=x onerror="document.title=1">\ufffd\n\tx\ufffd',
  );
  expect(await card.locator('img, b').count()).toBe(0);
});

test('a page without a site has no "always"; a question that is over goes', async () => {
  ask(approval({ origin: 'data:', site: '' }), approval({ id: 'n2' }));
  await page.getByText('2 approvals are waiting', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /^Always/ }).count()).toBe(1);
  ask(approval({ id: 'n2' }));
  await page.getByText('2 approvals are waiting', { exact: true }).waitFor({ state: 'detached' });
  expect(await page.locator('.approval').count()).toBe(1);
});

test('a question that moves under the pointer is not answered by the click meant for another', async () => {
  ask(approval(), approval({ id: 'n2' }));
  await page.getByText('2 approvals are waiting', { exact: true }).waitFor();
  await settle();
  await button('Deny').first().click();
  await made.until(() => answers().length > 0);
  ask(approval({ id: 'n2' }));
  const moved = await page.waitForFunction(() => {
    const left = document.querySelectorAll('.approval').length;
    return left === 1 ? performance.now() : undefined;
  });
  await button('Deny').click();
  const took = (await page.evaluate(() => performance.now())) - Number(await moved.jsonValue());
  // On a very slow machine that time has passed, and the click counts.
  if (took < settleTime) expect(answers()).toHaveLength(1);
  await settle();
  if (answers().length === 1) await button('Deny').click();
  await made.until(() => answers().length === 2);
  expect(answers().at(-1)).toEqual({ type: 'answer', approval: 'n2', answer: 'deny' });
});

test('a long script is allowed only after it was unfolded', async () => {
  const steps = Array.from({ length: 40 }, (_, n) => `step(${String(n)});`).join('\n');
  ask(approval({ words: script(steps) }));
  await page.getByText('41 lines are folded. Open the details before you allow it.').waitFor();
  for (const name of ['Allow once', 'Always on example.com'])
    expect(await button(name).isDisabled()).toBe(true);
  expect(await button('Deny').isDisabled()).toBe(false);
  await page.getByText('Details · 41 lines').click();
  await settle();
  await button('Allow once').click();
  await made.until(() => answers().length > 0);
  expect(answers()).toEqual([{ type: 'answer', approval: 'n1', answer: 'once' }]);
});

test('a long line is folded, too', async () => {
  ask(approval({ words: script('x'.repeat(5000)) }));
  await page.getByText(/^5,0\d\d characters are folded/).waitFor();
  expect(await button('Allow once').isDisabled()).toBe(true);
});

test.each([
  [320, 640],
  [400, 480],
])('the answers stay in view in a panel of %i × %i', async (width, height) => {
  await page.setViewportSize({ width, height });
  const value = Array.from({ length: 60 }, (_, n) => `line ${String(n)}`).join('\n');
  const actor = { kind: 'task', id: 'k1', name: 'Order flowers for Ada', agent: 'Task' } as const;
  ask(approval({ actor, words: script(value) }), approval({ id: 'n2' }));
  await page.getByText('Details', { exact: false }).first().click();
  const inView = (name: string) =>
    button(name)
      .first()
      .evaluate((at) => {
        const { left, top, right, bottom } = at.getBoundingClientRect();
        const on = (x: number, y: number) => at.contains(document.elementFromPoint(x, y));
        return on(left + 9, top + 9) && on(right - 9, bottom - 9);
      });
  expect([await inView('Allow once'), await inView('Deny')]).toEqual([true, true]);
});
