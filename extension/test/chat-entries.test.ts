import { beforeEach, describe, expect, it } from 'vitest';
import { asked, button, eachWithBackend, entry, made, message, open, page } from './chat-kit';
import { conversation, fill, picture, which } from './chat-states';
import { furnish } from './elements-states';

eachWithBackend();

describe('what was said', () => {
  /** Opens the panel, and scrolls to the first entry once there are entries to scroll. */
  async function openAtTop(): Promise<void> {
    await open();
    await entry('one heading').waitFor();
    await page.getByRole('log', { name: 'Conversation' }).press('Home');
  }

  it('opens links beside the page, and runs nothing', async () => {
    fill(made);
    await open();
    await page.getByRole('link', { name: 'IANA' }).click();
    expect(await page.evaluate(() => globalThis.fakeChrome.opened)).toMatchObject([
      { url: 'https://www.iana.org/domains/example' },
    ]);
    made.chat.put(conversation, {
      kind: 'text',
      text: '<img src=x onerror="document.title=1"> [x](javascript:alert(1)) ![p](https://e.example/?q)',
    });
    await entry('onerror').waitFor();
    expect(await entry('onerror').locator('img, a[href^=javascript]').count()).toBe(0);
  });

  it('shows an element in Elements, from a text and from a tool call', async () => {
    furnish(made);
    fill(made);
    await open();
    const selected = page.locator('[role=option][aria-selected=true]');
    made.chat.put(conversation, { kind: 'text', text: 'I press `e1`, not e3.' });
    await page.getByRole('button', { name: 'e1', exact: true }).press('Enter');
    await expect.poll(() => selected.getAttribute('id')).toBe('element-e1');
    made.chat.put(conversation, {
      kind: 'tool',
      tool: {
        call: 'c7',
        title: 'click',
        line: 'Clicking f1e1',
        kind: 'browser',
        status: 'done',
        input: '{\n  "ref": "@f1e1"\n}',
        content: [{ kind: 'text', text: 'clicked' }],
      },
    });
    await page.getByText('Clicking f1e1').click();
    await page.getByRole('button', { name: 'f1e1', exact: true }).click();
    await expect.poll(() => selected.getAttribute('id')).toBe('element-f1e1');
    expect(await page.getByRole('button', { name: 'e3', exact: true }).count()).toBe(0);
  });

  it('has no words that are for agents: a denied step, and text of a page', async () => {
    fill(made);
    await open();
    const tool = { title: 'act', kind: 'browser', status: 'failed' as const };
    const content = [{ kind: 'text' as const, text: 'the user denied click: do not try again' }];
    made.chat.put(conversation, {
      kind: 'tool',
      tool: { ...tool, call: 'c8', line: 'Could not click: denied by you', content, denied: true },
    });
    // A tooltip repeats a text only where it is cut off.
    const line = entry('denied by you').locator('.line');
    await line.hover();
    expect(await line.getAttribute('title')).toBeNull();
    await line.evaluate((one) => (one.style.maxWidth = '40px'));
    await page.mouse.move(0, 0);
    await line.hover();
    expect(await line.getAttribute('title')).toBe('Could not click: denied by you');
    await entry('denied by you').locator('summary').click();
    await entry('denied by you').getByText('Denied by you.').waitFor();
    expect(await page.getByText('do not try again').count()).toBe(0);
    const page1 = (text: string): string =>
      `<page-1a origin="https://a.example">\n${text}\n</page-1a>`;
    made.chat.put(conversation, {
      kind: 'tool',
      tool: {
        ...tool,
        call: 'c9',
        line: 'Listed the menu',
        content: [{ kind: 'text', text: page1('Menu') }],
      },
    });
    await entry('Listed the menu').locator('summary').click();
    expect(await entry('Listed the menu').locator('pre').textContent()).toBe('Menu');
    made.chat.put(conversation, { kind: 'user', text: `Why?\n${page1('quoted')}`, message: 'm8' });
    expect(await entry('quoted').locator('p').textContent()).toBe('Why?\nquoted');
  });

  it('is edited and sent again', async () => {
    fill(made);
    await openAtTop();
    await entry('What does this page say').hover();
    await button('Edit and resend').click();
    await message().fill('What does it cost?');
    await message().press('Enter');
    await entry('What does it cost?').waitFor();
    expect(asked('/chat/send')).toMatchObject([{ text: 'What does it cost?', replaces: 'e1' }]);
    expect(await page.locator('article', { hasText: 'one heading' }).count()).toBe(0);
  });

  it('is sent again another way', async () => {
    fill(made);
    await openAtTop();
    await button('opus').click();
    await page.getByText('Because you asked what.').waitFor();
    await button('Use the fast model').click();
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ route: 'fast', replaces: 'e1' }]);
  });

  it('changes which messages are for the strong model, for good', async () => {
    fill(made);
    await openAtTop();
    await button('opus').click();
    await button('Never use the model for hard questions because of “what”').click();
    await page.getByText('“what” no longer selects the model for hard questions.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('no longer selects').waitFor({ state: 'hidden' });
    expect(await button('opus').evaluate((chip) => chip === document.activeElement)).toBe(true);
    expect(asked('/chat/route-rule')).toEqual([{ word: 'what', strong: false }]);
  });

  it('in several parts is copied whole', async () => {
    fill(made);
    made.chat.put(conversation, { kind: 'user', text: 'What is it?', message: 'm9' });
    made.chat.put(conversation, { kind: 'text', text: 'I look.' });
    made.chat.put(conversation, { kind: 'text', text: 'It is **ten**.' });
    await open();
    await page.getByText('It is ten.').waitFor();
    const before = await button('Copy the whole answer').count();
    made.chat.put(conversation, {
      kind: 'end',
      message: 'm9',
      end: { reason: 'done', durationMs: 900 },
    });
    await expect.poll(() => button('Copy the whole answer').count()).toBe(before + 1);
    await button('Copy the whole answer').last().click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('I look.\n\nIt is **ten**.');
  });

  it('is copied as Markdown', async () => {
    fill(made);
    await open();
    await entry('one heading').hover();
    await button('Copy as Markdown').click();
    await button('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('**one heading**');
    // A refusal is said, until it works again.
    await page.evaluate(() => {
      const { clipboard } = navigator;
      const write = clipboard.writeText.bind(clipboard);
      clipboard.writeText = () => {
        clipboard.writeText = write;
        return Promise.reject(new DOMException('no focus', 'NotAllowedError'));
      };
    });
    await button('Copied').click();
    await button('Not copied. Click here and try again.').click();
    await button('Copied').waitFor();
  });
});

describe('elements that may have been meant', () => {
  beforeEach(async () => {
    fill(made);
    await open();
    which(made);
    await page.getByRole('list', { name: 'Choose one' }).waitFor();
  });

  it('are buttons; the one that is pressed is meant', async () => {
    await button(/Add to basket.*in Green tea/).click();
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      {
        text: 'click Add to basket\ntake a screenshot',
        route: 'instant',
        attachments: [
          { kind: 'element', tab: 't1', ref: 'e3', name: '@e3' },
          { kind: 'element', tab: 't1', ref: 'e9', name: '“Add to basket” (button) in Green tea' },
        ],
      },
    ]);
    // They have been answered.
    await page.waitForFunction(
      () => document.querySelector<HTMLButtonElement>('[aria-label="Choose one"] button')?.disabled,
    );
  });

  it('are shown on the page while the pointer or the focus is on them', async () => {
    const shown = () =>
      (asked('/inspector/pick') as { tab: string; ref: string }[]).map(
        ({ tab, ref }) => `${tab} ${ref}`,
      );
    await button(/in Green tea/).hover();
    await made.until(() => shown().at(-1) === 't1 e9');
    await page.mouse.move(0, 0);
    await made.until(() => shown().at(-1) === 't1 ');
    await button(/in Black tea/).focus();
    await made.until(() => shown().at(-1) === 't1 e8');
    await page.keyboard.press('Tab');
    await made.until(() => shown().at(-1) === 't1 e9');
    await page.keyboard.press('Enter');
    await made.until(() => shown().at(-1) === 't1 ');
    await made.until(() => asked('/chat/send').length === 1);
  });

  it('are no question any more once something else was said', async () => {
    made.chat.put(conversation, { kind: 'user', text: 'Never mind.', message: 'm9' });
    await entry('Never mind.').waitFor();
    expect(await button(/in Green tea/).isDisabled()).toBe(true);
  });
});

it('a picture is opened in a tab of its own, and copied', async () => {
  fill(made);
  made.chat.picture = picture;
  await open();
  made.chat.put(conversation, {
    kind: 'text',
    text: 'Took a screenshot of what is in view.',
    images: [{ kind: 'image', name: 'Screenshot', mime: 'image/png', path: 'shots/a.png' }],
  });
  await button('Open the image').click();
  const [opened] = (await page.evaluate(() => globalThis.fakeChrome.opened)) as { url: string }[];
  expect(opened?.url).toMatch(/^blob:/);
  await button('Copy the image').click();
  await button('Copied').waitFor();
  const copied = await page.evaluate(async () =>
    (await navigator.clipboard.read()).flatMap(({ types }) => types),
  );
  expect(copied).toEqual(['image/png']);
});

it('what was asked stays in view while its answer is read', async () => {
  fill(made);
  await open();
  const pinned = page.getByRole('button', { name: 'You: Read it all.' });
  made.chat.put(conversation, { kind: 'user', text: 'Read it all.', message: 'm5' });
  await entry('Read it all.').waitFor();
  expect(await pinned.count()).toBe(0);
  const id = made.chat.put(conversation, { kind: 'text', text: 'It begins.', open: true });
  for (let at = 0; at < 60; at++)
    made.chat.append(conversation, id, `\n\nParagraph ${String(at)} of the page.`);
  await pinned.waitFor();
  await pinned.click();
  await entry('Read it all.').waitFor();
  await pinned.waitFor({ state: 'hidden' });
});

it('the options of an agent say what they are', async () => {
  fill(made);
  await open();
  for (const name of ['Mode', 'Model']) {
    const label = page.locator('label', { hasText: name }).first();
    expect(await label.isVisible()).toBe(true);
    expect(await page.getByRole('combobox', { name }).first().isVisible()).toBe(true);
  }
});
