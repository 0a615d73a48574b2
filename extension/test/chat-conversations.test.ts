import { beforeEach, describe, expect, it } from 'vitest';
import { asked, button, eachWithBackend, entry, made, message, open, page, say } from './chat-kit';
import { ask, conversation, fill } from './chat-states';

eachWithBackend();

it('what was begun elsewhere is shown where nobody began anything', async () => {
  await open();
  fill(made);
  await entry('one heading').waitFor();
});

it('a conversation whose tab was closed goes on where its page is opened again', async () => {
  const id = 'c3';
  made.chat.add(id, { title: 'Prices', url: made.tabs[0]?.url ?? '', entries: 1 });
  made.chat.put(id, { kind: 'text', text: 'They rose.' });
  made.chat.add('c4', { title: 'Elsewhere', url: 'https://elsewhere.example/', entries: 1 });
  await open();
  await button(/^Continue here: Prices/).click();
  await entry('They rose.').waitFor();
  await made.until(() => asked('/chat/set').length === 1);
  expect(asked('/chat/set')).toEqual([{ conversation: id, tab: 't1' }]);
});

it('a conversation is exported as a file', async () => {
  fill(made);
  await open();
  await button('Conversation').click();
  const file = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
  expect((await file).suggestedFilename()).toBe('What this page says.md');
});

describe('a long conversation', () => {
  beforeEach(async () => {
    made.chat.add(conversation, { tab: 't1', title: 'Long' });
    for (let at = 0; at < 10_000; at++)
      made.chat.put(conversation, { kind: 'text', text: `entry number ${String(at)}` });
    await open();
    await entry('entry number 9999').waitFor();
  });

  it('draws what is in view, and fetches what is scrolled to', async () => {
    expect(await page.locator('article').count()).toBeLessThan(80);
    const log = page.getByRole('log', { name: 'Conversation' });
    const height = await log.evaluate((one) => one.scrollHeight);
    await log.press('Home');
    await page.waitForFunction(
      (before) => (document.querySelector('[role=log]')?.scrollHeight ?? 0) > before,
      height,
    );
    await expect
      .poll(() => asked('/chat/history')[0])
      .toEqual({ conversation, before: 9_901, limit: 200 });
    // Older entries above did not move what the user was reading.
    await entry('entry number 9900').waitFor();
    // The oldest that is there comes into view, and stays when older ones come above it.
    await log.press('Home');
    await entry('entry number 9701').waitFor();
  });

  it('follows its end, unless the reader reads', async () => {
    const log = page.getByRole('log', { name: 'Conversation' });
    const rest = (): Promise<number> =>
      log.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
    made.chat.put(conversation, { kind: 'text', text: 'the newest' });
    await entry('the newest').waitFor();
    await page.waitForFunction(() => {
      const one = document.querySelector('[role=log]');
      return one !== null && one.scrollHeight - one.scrollTop - one.clientHeight < 2;
    });
    await log.hover();
    await page.mouse.wheel(0, -200);
    await button('Jump to the end').waitFor();
    await page.waitForFunction(() => {
      const one = document.querySelector('[role=log]');
      return one !== null && one.scrollHeight - one.scrollTop - one.clientHeight >= 200;
    });
    const before = await log.evaluate((one) => one.scrollTop);
    made.chat.put(conversation, { kind: 'text', text: 'newer still' });
    await button('New messages').waitFor();
    expect(await log.evaluate((one) => one.scrollTop)).toBe(before);
    expect(await rest()).toBeGreaterThan(100);
    await button('New messages').click();
    await entry('newer still').waitFor();
  });

  it('says that an approval below the view needs you, and goes there', async () => {
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.press('Home');
    await button('Jump to the end').waitFor();
    ask(made);
    await button('Needs you').click();
    await page.getByRole('heading', { name: /wants to/ }).waitFor();
    // The animated scroll of the key may go on for a moment.
    const allow = button('Allow once');
    await expect
      .poll(() =>
        allow.evaluate((one) => {
          const { bottom } = one.getBoundingClientRect();
          return (
            bottom <= (document.querySelector('[role=log]')?.getBoundingClientRect().bottom ?? 0)
          );
        }),
      )
      .toBe(true);
  });

  it('follows its end, also when the list turns out shorter and grows again at once', async () => {
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.evaluate(async (one) => {
      const frame = (): Promise<number> => new Promise(requestAnimationFrame);
      const space = document.createElement('div');
      const tall = (height: number): void => {
        space.style.height = `${String(height)}px`;
        one.scrollTop = one.scrollTop + 0; // forces a layout, and scrolls as a browser does
      };
      one.append(space);
      tall(2000);
      one.scrollTop = one.scrollHeight;
      await frame();
      await frame();
      tall(0);
      tall(600);
      await frame();
      await frame();
    });
    expect(await button('Jump to the end').count()).toBe(0);
    expect(
      await log.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight),
    ).toBeLessThan(2);
  });
});

it('what stays in view stays drawn while more comes behind it', async () => {
  made.chat.add(conversation, { tab: 't1', title: 'One' });
  made.chat.put(conversation, { kind: 'user', text: 'say a lot', message: 'm1' });
  made.chat.put(conversation, { kind: 'text', text: 'many words '.repeat(130) });
  await open();
  await entry('many words').waitFor();
  const missed = await page.evaluateHandle(() => {
    const missed: string[] = [];
    new MutationObserver(() => {
      const drawn = [...document.querySelectorAll('article.text')];
      if (!drawn.some((one) => one.textContent.includes('many words')))
        missed.push(drawn.map((one) => one.textContent).join('; '));
    }).observe(document, { subtree: true, childList: true });
    return missed;
  });
  for (let at = 0; at < 5; at++)
    made.chat.put(conversation, { kind: 'text', text: `a line ${String(at)}` });
  await entry('a line 4').waitFor();
  await page.waitForFunction(() => {
    const one = document.querySelector('[role=log]');
    return one !== null && one.scrollHeight - one.scrollTop - one.clientHeight < 2;
  });
  expect(await missed.jsonValue()).toEqual([]);
});

describe('several conversations', () => {
  beforeEach(async () => {
    fill(made);
    made.chat.add('c2', { tab: 't2', title: 'Other tab', entries: 1 });
    made.chat.put('c2', { kind: 'text', text: 'said in the other tab' });
    await open();
    await entry('one heading').waitFor();
  });

  it('are one per tab, and never mix', async () => {
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await entry('said in the other tab').waitFor();
    expect(await page.locator('article', { hasText: 'one heading' }).count()).toBe(0);
  });

  it('are found by their words', async () => {
    await button('What this page says').click();
    await page.getByRole('searchbox').fill('other tab');
    await page.getByRole('button', { name: /said in the/ }).click();
    await entry('said in the other tab').waitFor();
    await page.locator('article.found').waitFor();
  });

  it('are brought forward from the window, beside their tab or the one in front', async () => {
    await page.getByRole('tab', { name: 'Terminal' }).click();
    // Its tab comes to the front a moment later.
    made.push({ type: 'show', tab: 't2', conversation: 'c2' });
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await entry('said in the other tab').waitFor();
    made.chat.add('c3', { title: 'Floating', entries: 1 });
    made.chat.put('c3', { kind: 'text', text: 'said where no tab is' });
    made.push({ type: 'show', tab: 't2', conversation: 'c3' });
    await entry('said where no tab is').waitFor();
    await expect.poll(() => asked('/chat/set')).toEqual([{ conversation: 'c3', tab: 't2' }]);
  });

  it('get a message back that was refused after the user had gone to another one', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((go) => (release = go));
    await page.route('**/chat/send', async (route) => {
      await held;
      await route.abort();
    });
    await say('for the first');
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await entry('said in the other tab').waitFor();
    const failed = page.waitForEvent('requestfailed');
    release();
    await failed;
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(11);
    });
    await entry('one heading').waitFor();
    await expect.poll(() => message().inputValue()).toBe('for the first');
    expect(made.chat.get('c2').head.draft ?? '').toBe('');
  });

  it('that cannot be deleted say why, in the list', async () => {
    await page.route('**/chat/delete', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { code: 'not_writable', message: 'the disk is full' } },
      }),
    );
    await button('What this page says').click();
    await button('More for Other tab').click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await button('Delete').click();
    await page.getByRole('alert').getByText('The disk is full').waitFor();
  });

  it('leave the focus in the list when they are deleted', async () => {
    await button('What this page says').click();
    await button('More for Other tab').click();
    await page.getByRole('menuitem', { name: 'Delete…' }).press('Enter');
    await button('Delete').press('Enter');
    await page.locator('li:focus', { hasText: 'What this page says' }).waitFor();
  });

  it('are renamed and deleted', async () => {
    await button('Conversation').click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Renamed');
    await page.keyboard.press('Enter');
    await button('Renamed').waitFor();
    await button('Conversation').click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await button('Delete').click();
    await page.getByText('What do you want to do on this page?').waitFor();
    expect(made.chat.kept.has(conversation)).toBe(false);
  });
});
