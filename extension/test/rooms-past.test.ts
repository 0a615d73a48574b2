import { expect, it } from 'vitest';
import { asked, button, eachWithBackend, entry, made, open, page } from './chat-kit';
import { pastSessions } from './fakes/past';

eachWithBackend();

const row = (name: RegExp) =>
  page.getByRole('list', { name: 'Sessions begun elsewhere' }).getByRole('button', { name });

/** Opens the panel at 320 px, and in Chat the list of conversations. */
async function list(): Promise<void> {
  await open();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByTitle('All conversations', { exact: true }).click();
}

it('sessions that were begun elsewhere are listed, found and continued', async () => {
  const [first, ...others] = pastSessions();
  if (first === undefined) throw new Error('there are no sessions');
  // One that is a conversation already is not listed twice.
  made.chat.past = [first, { ...first, id: 'a-2', conversation: 'c1', title: 'Here' }, ...others];
  await list();
  await row(/Why is the cart/).waitFor();
  expect(await row(/./).count()).toBe(3);
  // The title is text, without characters that turn its direction.
  expect(await row(/Why is the cart empty <b>after<\/b>/).count()).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.getByRole('searchbox', { name: 'Search all conversations' }).fill('changelog');
  await expect.poll(() => row(/./).count()).toBe(1);
  await row(/Write the changelog/).focus();
  await page.keyboard.press('Enter');
  await made.until(() => asked('/chat/start').length === 1);
  expect(asked('/chat/start')[0]).toMatchObject({
    tab: 't1',
    agent: 'codex',
    resume: 'c-1',
    folder: '/home/ada/src/shop',
    title: 'Write the changelog',
  });
  // The fake has no entries for it, so the agent is asked to repeat them.
  await made.until(() => asked('/chat/restart').length === 1);
  await page.getByText('Write the changelog').first().waitFor();
});

it('what its files tell is shown at once', async () => {
  made.chat.past = pastSessions();
  made.chat.defaults = { entries: 1 };
  await list();
  await row(/Why is the cart/).click();
  await made.until(() => asked('/chat/start').length === 1);
  const { conversation } = asked('/chat/start')[0] as { conversation: string };
  made.chat.put(conversation, { kind: 'text', text: 'It is never saved.' });
  await entry('It is never saved.').waitFor();
  expect(asked('/chat/restart')).toEqual([]);
});

it('the agent is asked when the user wants that, and a problem is told', async () => {
  await list();
  await page.getByText('No sessions were found on this machine.').waitFor();
  made.rooms.routes.set('/chat/past', (body) => {
    expect(body).toEqual({ agent: 'claude' });
    return [200, { sessions: [], problem: { code: 'timeout', message: 'It did not answer.' } }];
  });
  await button('Ask Claude Code for its sessions').click();
  await page.getByText('It did not answer.').waitFor();
  expect(await button('Ask Claude Code for its sessions').count()).toBe(0);
});
