// A conversation in the window: it is read and answered, and is the same as in the panel.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

let page: Page;

/** Opens the conversation with a question, or another one by the start of its title. */
async function open(show: Show = {}, title = 'Why does the coupon'): Promise<void> {
  page = await openWindow({ scenario: 'conversations', ...show });
  await row(title).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

const row = (title: string) =>
  page.getByRole('listitem').getByRole('button', { name: title }).first();
const calls = (method: string) =>
  page.evaluate((name) => (window.fake?.calls ?? []).filter(([one]) => one === name), method);
const articles = () => page.locator('article').allInnerTexts();

test.each([320, 640, 900])('at %i pixels nothing is cut, and axe finds nothing', async (width) => {
  await open({ width, height: 640 });
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await accessible(page);
  const over = await page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
      .filter((element) => element.closest('pre, .lines') === null)
      .filter((element) => getComputedStyle(element).display !== 'inline')
      .map((element) => element.className),
  );
  expect(over).toEqual([]);
});

test('the question is judged and answered where it stands', async () => {
  await open();
  const asked = page.locator('article', { hasText: 'wants to change a file' });
  await asked.getByText('const keep = ["items", "coupon"];').waitFor();
  await asked.getByText('all edits of files').waitFor();
  // A click that was under way when the question appeared does not count.
  await expect
    .poll(async () => {
      await asked.getByRole('button', { name: 'Allow once' }).click();
      return calls('AnswerQuestion');
    })
    .toEqual([
      ['AnswerQuestion', 'default', { conversation: 'c1', approval: 'n7', option: 'once' }],
    ]);
  await page.getByText('by you in the window').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped by you').waitFor();
});

test('what is said while it is in view is painted once, also when it is said again', async () => {
  await open({}, 'Summarise this page');
  await page.evaluate(() => {
    const conversations = window.fake?.conversations;
    conversations?.put('c2', { kind: 'user', text: 'Summarise this page', message: 'm1' });
    conversations?.put('c2', { id: 'a', kind: 'text', text: 'It is', open: true });
    for (const word of [' about', ' two', ' things.']) conversations?.append('c2', 'a', word);
    conversations?.repeat('c2');
  });
  await page.getByText('It is about two things.').waitFor();
  expect((await articles()).map((text) => text.split('\n')[0])).toEqual([
    'Summarise this page',
    'It is about two things.',
  ]);
  expect(await calls('NextSaid')).not.toHaveLength(0);
});

test('it goes on where it was after the list, and after its session came back', async () => {
  await open({}, 'Summarise this page');
  await page.evaluate(() => window.fake?.conversations.put('c2', { kind: 'text', text: 'One.' }));
  await page.getByText('One.').waitFor();
  await page.getByRole('button', { name: 'Back to the sessions' }).click();
  await row('Summarise this page').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Summarise');
  await page.evaluate(() => window.fake?.conversations.put('c2', { kind: 'text', text: 'Two.' }));
  await page.keyboard.press('Enter');
  await page.getByText('Two.').waitFor();
  expect(await calls('WatchConversation')).toEqual([
    ['WatchConversation', 'default', { conversation: 'c2', after: 0 }],
    ['WatchConversation', 'default', { conversation: 'c2', after: 1 }],
  ]);

  await page.evaluate(() => {
    const fake = window.fake;
    fake?.conversations.end();
    fake?.push({
      sessions: fake.state.sessions.map((one) => ({ ...one, state: 'restarting' as const })),
    });
  });
  await page.getByText('The session is starting.').waitFor();
  await page.evaluate(() => {
    const fake = window.fake;
    fake?.conversations.put('c2', { kind: 'text', text: 'Three.' });
    fake?.push({
      sessions: fake.state.sessions.map((one) => ({ ...one, state: 'running' as const })),
    });
  });
  await page.getByText('Three.').waitFor();
  expect((await articles()).map((text) => text.trim())).toEqual(['One.', 'Two.', 'Three.']);
});

test('with the keyboard alone: opened, read up to its beginning, shown in the browser', async () => {
  page = await openWindow({ scenario: 'conversations' });
  await row('Why does the coupon').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.focus();
  await expect
    .poll(async () => {
      await page.keyboard.press('Home');
      return page.getByText('Word 1 of before.').count();
    })
    .toBe(1);
  await page.getByRole('button', { name: 'Show in browser' }).press('Enter');
  expect(await calls('ShowConversation')).toEqual([
    ['ShowConversation', 'default', { conversation: 'c1' }],
  ]);
});

test('a link opens in the browser of the session, and nothing can be written', async () => {
  await open();
  await page.getByRole('link', { name: 'its page' }).click();
  expect(await calls('OpenLink')).toEqual([
    ['OpenLink', 'default', 'https://docs.example.com/cart'],
  ]);
  expect(await page.getByRole('textbox').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
});

test('one that was deleted says so', async () => {
  await open({}, 'Summarise this page');
  await page.evaluate(() => {
    window.fake?.conversations.put('c2', { kind: 'text', text: 'One.' });
  });
  await page.getByText('One.').waitFor();
  await page.evaluate(() => {
    window.fake?.conversations.kept.delete('c2');
    window.fake?.conversations.end();
  });
  await page.getByText('Disconnected from this').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('There is no conversation').waitFor();
});

test('a stopped session is started from its conversation', async () => {
  await open();
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
  await page.getByRole('button', { name: 'Start session' }).click();
  await expect.poll(() => calls('StartSession')).toHaveLength(1);
});
