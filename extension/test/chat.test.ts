import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settleTime } from '$ui/settled';
import {
  ask,
  conversation,
  crash,
  fill,
  page as pickable,
  picture,
  shell,
  toChat,
  which,
} from './chat-states';
import type { FakeBackend } from './fakes/backend';
import { backend, launch, openPanel } from './fakes/face';

let browser: Browser;
let made: FakeBackend;
let page: Page;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  made = await backend();
});
afterEach(async () => {
  await context.close();
  await made.stop();
});

async function open(): Promise<void> {
  ({ page, context } = await openPanel(browser, made));
  await toChat(page);
}

const message = () => page.getByRole('textbox', { name: /^Message to/ });
const entry = (text: string) => page.locator('article', { hasText: text }).first();
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const asked = (path: string) =>
  made.chat.asked.filter((one) => one.path === path).map(({ body }) => body);

async function say(text: string): Promise<void> {
  await message().fill(text);
  await message().press('Enter');
}

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

  it('is for the agent of Settings, also when that changes', async () => {
    await open();
    made.settings = { ...made.settings, chatAgent: 'pilot' };
    made.push({ type: 'settings', settings: made.settings });
    await button('Agent: Pilot').waitFor();
    await say('hello');
    await made.until(() => asked('/chat/send').length === 1);
    // The backend, not the panel, says what Settings mean.
    expect(asked('/chat/start')).toEqual([{ conversation: made.chat.first, tab: 't1' }]);
  });

  it('cannot go to an agent that is missing, but says how to get it', async () => {
    await open();
    await button('Agent: Claude Code').click();
    await page.getByRole('menuitem', { name: /Codex/ }).click();
    await page.getByRole('dialog').getByText('npm install -g @openai/codex').waitFor();
  });
});

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

it('a picture of the page goes with a message by one press', async () => {
  await open();
  made.chat.picture = { kind: 'image', name: 'The page', mime: 'image/png', data: 'iVA=' };
  await button('Attach a screenshot').click();
  await button('Remove The page').waitFor();
  expect(asked('/chat/screenshot')).toEqual([{ tab: 't1' }]);
});

describe('typing', () => {
  it('sends on Enter, and breaks the line on Shift+Enter', async () => {
    await open();
    await message().focus();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ text: 'one\ntwo' }]);
  });

  it('does not send what an input method still composes', async () => {
    await open();
    await message().focus();
    const session = await context.newCDPSession(page);
    await session.send('Input.imeSetComposition', {
      text: 'に',
      selectionStart: 1,
      selectionEnd: 1,
    });
    await page.keyboard.press('Enter');
    await session.send('Input.insertText', { text: '日本' });
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ text: '日本' }]);
  });

  it('keeps a draft, which is there when the panel is opened again', async () => {
    await open();
    await message().fill('not finished');
    await made.until(() => made.chat.heads()[0]?.draft === 'not finished');
    await page.reload();
    await message().waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('form textarea')?.value === 'not finished',
    );
    await message().press('Enter');
    await made.until(() => made.chat.heads()[0]?.draft === '');
  });

  it('completes commands of the agent and titles of tabs', async () => {
    fill(made);
    await open();
    await message().focus();
    await page.keyboard.type('/rev');
    await page.getByRole('option', { name: /review/ }).waitFor();
    await page.keyboard.press('Tab');
    expect(await message().inputValue()).toBe('/review ');
    await page.keyboard.type('against @mdn');
    await page.getByRole('listbox').getByRole('option').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      { attachments: [{ kind: 'tab', tab: 't2', text: made.tabs[1]?.url }] },
    ]);
  });

  it('takes a picture that is pasted', async () => {
    await open();
    await message().focus();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([137, 80])], 'shot.png', { type: 'image/png' }));
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await button('Remove shot.png').waitFor();
    await message().press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      { text: '', attachments: [{ kind: 'image', name: 'shot.png', data: 'iVA=' }] },
    ]);
  });
});

it('a picture that is dropped goes with a message, and a file as a file', async () => {
  await open();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([137, 80])], 'shot.png', { type: 'image/png' }));
    data.items.add(new File(['a,b'], 'prices.csv', { type: 'text/csv' }));
    for (const type of ['dragover', 'drop'])
      document
        .querySelector('form textarea')
        ?.dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
  });
  await button('Remove prices.csv').waitFor();
  await message().press('Enter');
  await made.until(() => asked('/chat/send').length === 1);
  expect(asked('/chat/send')).toMatchObject([
    {
      attachments: [
        { kind: 'image', name: 'shot.png' },
        { kind: 'file', name: 'prices.csv' },
      ],
    },
  ]);
});

describe('a mention of an element', () => {
  const field = () => page.getByRole('combobox', { name: 'Find an element' });
  const sent = () => asked('/inspector/pick');
  const start = { panel: 'p1', action: 'start', tab: 't1' };

  beforeEach(async () => {
    fill(made);
    pickable(made);
    await open();
    await message().focus();
    await page.keyboard.type('press @ele');
    await page.getByRole('option', { name: /Pick an element/ }).waitFor();
    await page.keyboard.press('Enter');
    await field().waitFor();
  });

  it('is what was clicked on the page', async () => {
    expect(sent()).toEqual([start]);
    const element = { ref: 'e3', role: 'button', name: 'Save' };
    made.push({ type: 'picked', panel: 'another', tab: 't1', element: { ...element, ref: 'e7' } });
    made.push({ type: 'picked', panel: 'p1', tab: 't1', element });
    await button('Remove button "Save"').waitFor();
    expect(await message().inputValue()).toBe('press @e3 button "Save" ');
    await page.keyboard.type('now');
    await page.keyboard.press('Enter');
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([
      {
        text: 'press @e3 button "Save" now',
        attachments: [{ kind: 'element', name: 'button "Save"', tab: 't1', ref: 'e3' }],
      },
    ]);
    expect(sent()).toEqual([start]);
  });

  it('can be chosen with the keyboard, and is shown on the page', async () => {
    await page.keyboard.type('save');
    await made.until(() => sent().some((one) => (one as { ref?: string }).ref === 'e3'));
    await page.keyboard.press('ArrowDown');
    await made.until(() => sent().some((one) => (one as { ref?: string }).ref === 'f2e1'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => document.querySelector('form textarea') === document.activeElement,
    );
    expect(await message().inputValue()).toBe('press @f2e1 button "Save in the frame" ');
    expect(sent().at(-1)).toEqual({ panel: 'p1', action: 'stop' });
  });

  it('is given up with Escape, which stops nothing else', async () => {
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
    expect(await message().inputValue()).toBe('press @ele');
    expect(sent().at(-1)).toEqual({ panel: 'p1', action: 'stop' });
    expect(asked('/chat/cancel')).toEqual([]);
  });

  it('ends with the socket, and with what the page says', async () => {
    const watched = () => made.messages.filter(({ type }) => type === 'chat_watch').length;
    const before = watched();
    made.dropPanels();
    await field().waitFor({ state: 'detached' });
    await made.until(() => watched() > before);
    made.chat.refusePick = {
      code: 'dialog',
      message: 'The tab shows a dialog.',
      hint: 'Answer it.',
    };
    await button('Add').click();
    await page.getByRole('menuitem', { name: 'Pick an element' }).click();
    const said = page.getByText('The tab shows a dialog. Answer it.');
    await said.waitFor();
    // A draft that is saved takes it back no more than what is written.
    const saved = asked('/chat/set').length;
    await message().press('End');
    await message().pressSequentially(' and look');
    await made.until(() => asked('/chat/set').length > saved);
    expect(await said.isVisible()).toBe(true);
  });
});

it('a mention of a file is completed, a folder step by step', async () => {
  fill(made);
  made.chat.paths = ['src/', 'src/my notes.txt'];
  await open();
  await message().focus();
  await page.keyboard.type('read @sr');
  await page.getByRole('option', { name: /my notes/ }).waitFor();
  await page.keyboard.press('Enter');
  expect(await message().inputValue()).toBe('read @src/');
  await page.keyboard.type('my');
  await page.getByRole('option', { name: /my notes/ }).waitFor();
  await page.getByRole('option', { name: 'src/ folder' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  expect(await message().inputValue()).toBe('read @"src/my notes.txt" ');
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
    await button('Remove').first().click();
    await page.getByText('1 queued').waitFor();
    await button('Remove').click();
    await made.until(() => texts().length === 0);
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

  /** The page's own clock passes the moment in which a click does not count. */
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

describe('what was said', () => {
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

  it('is edited and sent again', async () => {
    fill(made);
    await open();
    await page.getByRole('log').press('Home');
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
    await open();
    await page.getByRole('log').press('Home');
    await button('opus').click();
    await page.getByText('Because you asked what.').waitFor();
    await button('Use the fast model').click();
    await made.until(() => asked('/chat/send').length === 1);
    expect(asked('/chat/send')).toMatchObject([{ route: 'fast', replaces: 'e1' }]);
  });

  it('changes which messages are for the strong model, for good', async () => {
    fill(made);
    await open();
    await page.getByRole('log').press('Home');
    await button('opus').click();
    await button('Never use the strong model because of “what”').click();
    await page.getByText('“what” no longer selects the strong model.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('no longer selects').waitFor({ state: 'hidden' });
    expect(await button('opus').evaluate((chip) => chip === document.activeElement)).toBe(true);
    expect(asked('/chat/route-rule')).toEqual([{ word: 'what', strong: false }]);
  });

  it('is copied as Markdown', async () => {
    fill(made);
    await open();
    await entry('one heading').hover();
    await button('Copy as Markdown').click();
    await button('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('**one heading**');
  });
});

it('a conversation is exported as a file', async () => {
  fill(made);
  await open();
  await button('Conversation').click();
  const file = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
  expect((await file).suggestedFilename()).toBe('What this page says.md');
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
    // They were answered.
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
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
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
    const log = page.getByRole('log');
    const height = await log.evaluate((one) => one.scrollHeight);
    await log.press('Home');
    await page.waitForFunction(
      (before) => (document.querySelector('[role=log]')?.scrollHeight ?? 0) > before,
      height,
    );
    expect(asked('/chat/history')[0]).toEqual({ conversation, before: 9_901, limit: 200 });
    // What came before the first moved nothing that was read.
    await entry('entry number 9900').waitFor();
    await log.press('Home');
    await page.waitForFunction(() =>
      /number 97/.test(document.querySelector('article')?.textContent ?? ''),
    );
  });

  it('follows its end, unless the reader reads', async () => {
    const log = page.getByRole('log');
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

  it('follows its end, also when the list turns out shorter and grows again at once', async () => {
    const log = page.getByRole('log');
    await log.evaluate(async (one) => {
      const frame = (): Promise<number> => new Promise(requestAnimationFrame);
      const space = document.createElement('div');
      const tall = (height: number): void => {
        space.style.height = `${String(height)}px`;
        one.scrollTop = one.scrollTop + 0; // lays it out, and moves it as a browser does
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

it('the face that was chosen is there when the panel is opened again', async () => {
  await open();
  await page.reload();
  await message().waitFor();
  expect(await page.getByRole('tab', { name: 'Chat' }).getAttribute('aria-selected')).toBe('true');
});
