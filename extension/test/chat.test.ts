import { beforeEach, describe, expect, it } from 'vitest';
import { settleTime } from '$ui/settled';
import { asked, button, eachWithBackend, entry, made, message, open, page, say } from './chat-kit';
import { ask, conversation, crash, fill, shell } from './chat-states';

eachWithBackend();

describe('the first message', () => {
  it('starts a conversation beside the tab, and is shown once it is written', async () => {
    await open();
    await say('go to example.org');
    await entry('go to example.org').waitFor();
    expect(await message().inputValue()).toBe('');
    expect(asked('/chat/start')).toEqual([{ conversation: made.chat.first, tab: 't1' }]);
    expect(asked('/chat/send')).toMatchObject([{ text: 'go to example.org', attachments: [] }]);
  });

  it('can be one of the examples', async () => {
    await open();
    await button('List the links').click();
    await entry('List the links').waitFor();
  });

  it('stays in the input when it is refused, with the reason', async () => {
    await open();
    made.chat.refuse = { code: 'busy', message: 'Not now.', hint: 'Try later.' };
    await say('hello');
    expect(await page.getByRole('alert').textContent()).toContain('Not now. Try later.');
    expect(await message().inputValue()).toBe('hello');
  });

  it('goes to the agent that was chosen', async () => {
    await open();
    await button('Agent: Claude Code').click();
    await page.getByRole('menuitemradio', { name: /Pilot/ }).click();
    await say('hello');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/start')).toMatchObject([{ agent: 'pilot' }]);
  });

  it('is typed at once after the agent was chosen, or after a click anywhere in the box', async () => {
    await open();
    await button(/^Agent: /).click();
    await page.getByRole('menuitemradio', { name: 'Claude Code' }).click();
    await page.keyboard.type('hello');
    await expect.poll(() => message().inputValue()).toBe('hello');
    const typing = (): Promise<boolean> =>
      message().evaluate((one) => one === document.activeElement);
    await button('Send').focus();
    const box = await page.locator('form .options').boundingBox();
    await page.mouse.click((box?.x ?? 0) + 8, (box?.y ?? 0) + 8);
    expect(await typing()).toBe(true);
  });

  it('is for the agent of Settings, also when that changes', async () => {
    await open();
    made.settings = { ...made.settings, chatAgent: 'pilot' };
    made.push({ type: 'settings', settings: made.settings });
    await button('Agent: Pilot').waitFor();
    await say('hello');
    await made.until(() => asked('/chat/send').length === 1);
    // The backend, not the panel, interprets the settings.
    expect(asked('/chat/start')).toEqual([{ conversation: made.chat.first, tab: 't1' }]);
  });

  it('cannot go to an agent that is missing, but says how to get it', async () => {
    await open();
    await button('Agent: Claude Code').click();
    await page.getByRole('menuitem', { name: /Codex/ }).click();
    await page.getByRole('dialog').getByText('npm install -g @openai/codex').waitFor();
  });
});

describe('a turn', () => {
  beforeEach(async () => {
    fill(made);
    await open();
    await say('Follow the link.');
    await button('Stop').waitFor();
  });

  it('grows word by word, and nothing twice', async () => {
    const { chat } = made;
    const id = chat.put(conversation, { kind: 'text', text: 'I read', open: true });
    chat.append(conversation, id, ' the **page**.');
    await entry('I read the page.').waitFor();
    chat.repeat(conversation);
    chat.append(conversation, id, ' Done.');
    await entry('I read the page. Done.').waitFor();
    expect(await page.locator('article', { hasText: 'I read the' }).count()).toBe(1);
  });

  it('goes on where it was when the socket comes back, and when the panel does', async () => {
    const { chat } = made;
    const id = chat.put(conversation, { kind: 'text', text: 'one', open: true });
    await entry('one').waitFor();
    const { index } = chat.get(conversation).head;
    made.dropPanels();
    chat.append(conversation, id, ' two');
    await entry('one two').waitFor();
    const watches = made.messages.filter(({ type }) => type === 'chat_watch');
    expect(watches.at(-1)).toMatchObject({ after: index });
    await page.reload();
    chat.append(conversation, id, ' three');
    await entry('one two three').waitFor();
    expect(await page.locator('article', { hasText: 'two' }).count()).toBe(1);
  });

  it('is stopped by Escape', async () => {
    await message().press('Escape');
    await entry('Stopped by you').waitFor();
    expect(asked('/chat/cancel')).toEqual([{ conversation }]);
  });

  it('has five messages wait behind it; the sixth stays in the input', async () => {
    for (let at = 1; at <= 5; at++) {
      await say(`message ${String(at)}`);
      await page
        .getByText(`${String(at)} queued`, { exact: false })
        .first()
        .waitFor();
      await made.until(() => made.chat.get(conversation).head.queue.length === at);
    }
    await say('message 6');
    expect(await page.getByRole('alert').textContent()).toContain('5 messages are queued already.');
    expect(await message().inputValue()).toBe('message 6');
    expect(made.chat.get(conversation).head.queue).toHaveLength(5);
  });

  it('lets the queue be edited, moved by keys, and emptied', async () => {
    const texts = (): string[] => made.chat.get(conversation).head.queue.map(({ text }) => text);
    await say('first');
    await say('second');
    await made.until(() => texts().length === 2);
    const second = page.getByRole('listitem').filter({ hasText: 'second' });
    await second.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await made.until(() => texts()[0] === 'second');
    await second.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Edit message 1' }).fill('other');
    await page.keyboard.press('Enter');
    await made.until(() => texts()[0] === 'other');
    const focused = (name: string): Promise<void> =>
      expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
        .toBe(name);
    await focused('Edit');
    await button('Remove').first().press('Enter');
    await page.getByText('1 queued').waitFor();
    await focused('Edit');
    await button('Remove').click();
    await made.until(() => texts().length === 0);
  });
});

describe('a queued message that is sent while it is edited', () => {
  const edit = async (): Promise<void> => {
    fill(made);
    await open();
    await say('Follow the link.');
    await button('Stop').waitFor();
    await say('first');
    await button('Edit').click();
    await message().fill('half a thought');
    await page.getByRole('textbox', { name: 'Edit message 1' }).fill('first, and more');
  };

  it('leaves what was typed in the message below', async () => {
    await edit();
    made.chat.change(conversation, { queue: [] });
    await expect.poll(() => message().inputValue()).toBe('half a thought\nfirst, and more\n');
    await expect.poll(() => message().evaluate((one) => one === document.activeElement)).toBe(true);
    await expect
      .poll(() => made.chat.get(conversation).head.draft)
      .toBe('half a thought\nfirst, and more\n');
  });

  it('leaves it there, too, when it is saved too late', async () => {
    await edit();
    await page.route('**/chat/queue', (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'gone', message: 'it was sent' } } }),
    );
    await page.getByRole('textbox', { name: 'Edit message 1' }).press('Enter');
    await expect.poll(() => message().inputValue()).toBe('half a thought\nfirst, and more\n');
  });
});

describe('a permission', () => {
  beforeEach(async () => {
    fill(made);
    await open();
    await entry('Done in').waitFor();
    ask(made);
    await button('Allow once').waitFor();
  });

  /** Waits until the time in which a click does not count has passed, by the page's own clock. */
  async function settle(): Promise<void> {
    await page.waitForFunction(([began, wait]) => performance.now() - began > wait, [
      await page.evaluate(() => performance.now()),
      settleTime,
    ] as const);
  }

  it('shows what is to be judged, and the scope of always', async () => {
    const card = entry('wants to change a file');
    expect(await card.innerText()).toContain('export const retries = 5;');
    expect(await card.innerText()).toContain('https://example.com');
    expect(await card.innerText()).toContain('all edits of files in this conversation');
  });

  it('says everything once', async () => {
    shell(made);
    const card = entry('wants to run a command');
    await card.waitFor();
    const said = await card.innerText();
    expect(said).toContain('npm test && echo "it is done"');
    expect(said).not.toContain('u0026');
    for (const once of ['npm test', 'Runs the tests', 'don’t ask again'])
      expect(said.split(once).length - 1, once).toBe(1);
    const buttons = await card.getByRole('button').allInnerTexts();
    expect(buttons).toEqual(['Yes', 'Yes, and don’t ask again for npm', 'No']);
  });

  it('is answered once, by a press that was meant', async () => {
    await settle();
    await page.evaluate(() => {
      for (const one of document.querySelectorAll<HTMLElement>('.permission button')) one.click();
    });
    await message().focus();
    await page.keyboard.press('Enter');
    await button('Always allow edits').dblclick();
    await made.until(() => asked('/chat/answer').length > 0);
    expect(asked('/chat/answer')).toEqual([{ conversation, approval: 'n7', option: 'always' }]);
  });

  it('is one line when it was answered elsewhere', async () => {
    const { chat } = made;
    const question = chat.get(conversation).entries.find(({ id }) => id === 'ask');
    if (question?.permission === undefined) throw new Error('nothing was asked');
    const { approval, ...rest } = question.permission;
    chat.put(conversation, {
      ...question,
      permission: {
        ...rest,
        answer: 'once',
        outcome: `allowed once in the tray (${approval ?? ''})`,
      },
    });
    await page.getByText('allowed once in the tray').waitFor();
    expect(await button('Allow once').count()).toBe(0);
  });

  it('is a badge on the face of Chat while the terminal is shown', async () => {
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.getByRole('tab', { name: 'Chat needs you' }).waitFor();
  });
});

it('a turn that says nothing is offered to be ended', async () => {
  fill(made);
  await open();
  await say('Follow the link.');
  await button('Stop').waitFor();
  made.chat.change(conversation, { quiet: true });
  await button('Stop waiting').click();
  await entry('Stopped by you').waitFor();
});

it('the Stop button keeps its place, whatever is typed meanwhile', async () => {
  fill(made);
  await open();
  const place = async () => button('Stop').boundingBox();
  await say('Follow the link.');
  await button('Stop').waitFor();
  const before = await place();
  expect(before).not.toBeNull();
  await message().fill('and then');
  expect(await place()).toEqual(before);
  expect(await button('Queue').boundingBox()).not.toEqual(before);
  await message().fill('');
  expect(await place()).toEqual(before);
});

it('why a model failed is said once', async () => {
  fill(made);
  made.chat.change(conversation, { agent: 'model:a1', agentName: 'OpenAI' });
  await open();
  const error = { code: 'navigation' as const, message: 'OpenAI stopped with an error: no luck' };
  made.chat.put(conversation, { kind: 'end', end: { reason: 'failed', error, durationMs: 5 } });
  made.chat.change(conversation, { state: 'failed', error });
  await page.getByText('no luck').first().waitFor();
  await page.getByRole('alert').getByText('no luck').waitFor();
  expect(await page.getByText('no luck').count()).toBe(1);
});

describe('an agent that stopped', () => {
  it('is told once, with its log behind a press', async () => {
    fill(made);
    await open();
    crash(made);
    await button('Restart').waitFor();
    expect(await page.getByText('was killed (SIGKILL)').count()).toBe(1);
    expect(await button('Restart').count()).toBe(1);
    expect(await page.getByText('at node:internal').isVisible()).toBe(false);
    await page.getByText('Details').click();
    await page.getByText('at node:internal').waitFor();
    await button('Restart').click();
    await made.until(() => asked('/chat/restart').length === 1);
    await button('Try again').click();
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ text: 'Go on.', now: true }]);
  });
});

it('a sign-in says what is missing', async () => {
  fill(made);
  await open();
  made.chat.change(conversation, {
    state: 'sign_in',
    signIn: [{ id: 'key', name: 'Gemini API key' }],
    error: {
      code: 'unauthorized',
      message: 'Gemini CLI is still not signed in: API key is missing',
      hint: 'put GEMINI_API_KEY=your-key into the file ~/.gemini/.env',
    },
  });
  await page.getByText('Gemini CLI is still not signed in: API key is missing.').waitFor();
  await page.getByText('Put GEMINI_API_KEY=your-key into the file ~/.gemini/.env.').waitFor();
});

it('a model that lacks its key is given one at once', async () => {
  made.tasks.profile({ id: 'a1', name: 'Anthropic', provider: 'anthropic', model: 'large' });
  made.chat.add('c1', { tab: 't1', agent: 'model:a1', agentName: 'Anthropic' });
  await open();
  made.chat.change('c1', { state: 'sign_in', signIn: [{ id: 'no_key', name: 'Try again' }] });
  await button('Enter the key').click();
  await page.locator('input[type=password]:focus').waitFor();
  await page.keyboard.type('not-a-key');
  await page.keyboard.press('Enter');
  await made.until(() => made.tasks.asked.some(({ path }) => path === '/llm/save'));
  expect(made.tasks.asked.find(({ path }) => path === '/llm/save')?.body).toMatchObject({
    key: 'not-a-key',
    profile: { id: 'a1', provider: 'anthropic' },
  });
});

it('the face that was chosen is there when the panel is opened again', async () => {
  await open();
  await page.reload();
  await message().waitFor();
  expect(await page.getByRole('tab', { name: 'Chat' }).getAttribute('aria-selected')).toBe('true');
});
