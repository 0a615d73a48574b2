import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { accessible } from '../../frontend/test/face/violations';
import { backend, openPanel } from './fakes/face';
import type { FakeTerminal } from './fakes/terminal';
import { approval } from './states';
import { picture, shot } from './tools-states';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
});

/** Opens the panel at 320 px, with a face. */
async function open(face = 'terminal'): Promise<void> {
  page = await openPanel(made, { width: 320, face });
  await page.getByRole('toolbar', { name: 'Quick actions' }).waitFor();
}

/** Opens the panel and waits until its first terminal is live. */
async function openLive(): Promise<FakeTerminal> {
  await open();
  await page.getByText('Live', { exact: true }).waitFor();
  const terminal = made.first;
  if (terminal === undefined) throw new Error('no terminal was started');
  return terminal;
}

/** Waits until the program has received this input. */
async function got(terminal: FakeTerminal, text: string): Promise<void> {
  await terminal.until(() => terminal.input.toString().includes(text));
}

const quick = (name: string) =>
  page.getByRole('toolbar', { name: 'Quick actions' }).getByRole('button', { name });

const palette = () => page.getByRole('dialog', { name: 'Search everything' });
const query = () => palette().getByRole('combobox');
const options = () => palette().getByRole('option');

/** The letters that are highlighted in an option. */
const marked = (name: string): Promise<string[]> =>
  options().filter({ hasText: name }).first().locator('mark').allTextContents();

/** Sets what the page beside the panel has selected. */
async function select(text: string): Promise<void> {
  await page.evaluate(
    (selected) => {
      globalThis.fakeChrome.script = () => [{ text: '', url: '' }, selected];
    },
    { text, url: 'https://example.com/a' },
  );
}

describe('Send to agent', () => {
  it('pastes the selection into the terminal, marked, and never presses Enter', async () => {
    const terminal = await openLive();
    await terminal.draw('\x1b[?2004h');
    await select('Buy now\nrm -rf /');
    await quick('Send to agent').click();
    await page.getByRole('menuitem', { name: 'Selected text' }).click();
    await page.getByText('Pasted into the terminal').waitFor();
    await got(terminal, '\x1b[201~');
    const pasted = terminal.input.toString().replaceAll('\x1b', '^').replaceAll('\r', '|');
    expect(pasted).toMatch(
      /^\^\[200~\[Selected text, from https:\/\/example\.com\]\|<page-(\w{16}) origin="https:\/\/example\.com">\|Buy now\|rm -rf \/\|<\/page-\1>\^\[201~$/,
    );
  });

  it('asks before it pastes lines into a program without bracketed paste', async () => {
    const terminal = await openLive();
    await select('one\ntwo');
    await quick('Send to agent').click();
    await page.getByRole('menuitem', { name: 'Selected text' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste 5 lines?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(terminal.input.toString()).toBe('');
    expect(await page.getByText('Pasted into the terminal').count()).toBe(0);
  });

  it('says what is missing: a selection, an agent, a page that can be read', async () => {
    const terminal = await openLive();
    const send = async (what: string): Promise<void> => {
      await quick('Send to agent').click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await send('Selected text');
    await page.getByText('Nothing is selected in the page.').waitFor();
    await page.evaluate(() => {
      globalThis.fakeChrome.script = () => {
        throw new Error('Cannot access a chrome:// URL');
      };
    });
    await send('Selected text');
    await page.getByText('The browser does not let Pilotfish read this page.').waitFor();
    await send('Page as Markdown');
    await page.getByText('There is no command markdown.').waitFor();
    terminal.exit(0);
    await page.getByRole('button', { name: 'Start again' }).waitFor();
    await select('text');
    await send('Selected text');
    await page.getByText('No agent runs in this terminal.').waitFor();
  });

  it('adds the page and a screenshot to the message in Chat', async () => {
    made.rooms.answers.set('markdown', () => ({
      data: {
        url: 'https://example.com/',
        title: 'T',
        text: '# Title\n'.repeat(400),
        length: 3200,
      },
    }));
    made.chat.picture = { kind: 'image', name: 'Screenshot', mime: 'image/png', data: 'iVBORw0K' };
    await open('chat');
    const field = page.getByRole('textbox', { name: 'Message to' });
    await field.fill('Look:');
    await page.keyboard.press('Control+Shift+E');
    const scoped = page.getByRole('dialog', { name: 'Send to agent' });
    await scoped.getByRole('combobox').fill('markd');
    await page.keyboard.press('Enter');
    await page.getByText('Added to your message.').waitFor();
    expect(await field.inputValue()).toBe('Look:\n[Page as Markdown, from https://example.com]\n');
    await page.getByRole('button', { name: 'Remove Page as Markdown.txt' }).waitFor();
    expect(made.rooms.commands.at(-1)).toMatchObject({ command: 'markdown', tab: 't1' });
    await quick('Send to agent').click();
    await page.getByRole('menuitem', { name: 'Screenshot' }).click();
    await page.getByRole('list', { name: 'Attached' }).getByRole('listitem').nth(1).waitFor();
    expect(made.requests).not.toContain('/chat/send');
  });

  it('attaches a selection to a message, without the marks that are for agents', async () => {
    await open('chat');
    await select('Buy now');
    await quick('Send to agent').click();
    await page.getByRole('menuitem', { name: 'Selected text' }).click();
    await page.getByRole('button', { name: 'Remove Selected text' }).waitFor();
    const field = page.getByRole('textbox', { name: /^Message to/ });
    expect(await field.inputValue()).toBe('');
    await field.fill('Why?');
    await field.press('Enter');
    await made.until(() => made.requests.includes('/chat/send'));
    expect(made.chat.asked.find(({ path }) => path === '/chat/send')?.body).toMatchObject({
      text: 'Why?',
      attachments: [{ kind: 'text', text: 'Buy now', origin: 'https://example.com' }],
    });
    await page.locator('article', { hasText: 'Selected text' }).waitFor();
  });

  it('adds an element that the user picks to the goal of a task', async () => {
    made.rooms.answers.set('inspect', ({ args }) => ({
      text: `button "Buy" [ref=${JSON.stringify(args?.element)}]`,
    }));
    made.chat.pickable = [{ ref: 'e7', role: 'button', name: 'Buy' }];
    await open('task');
    await page.getByRole('textbox', { name: 'What should be done' }).fill('Press this:');
    await quick('Send to agent').click();
    await page.getByRole('menuitem', { name: 'An element' }).click();
    const bar = page.getByRole('region', { name: 'Pick an element' });
    await bar.getByRole('option').first().click();
    await page.getByText('Added to the task.').waitFor();
    const field = page.getByRole('textbox', { name: 'What should be done' });
    expect(await field.inputValue()).toMatch(
      /^Press this:\n\[Element e\d+, from https:\/\/example.com\]\nbutton "Buy".*\n$/,
    );
  });
});

describe('the command palette', () => {
  it('finds an action by letters, runs it with the keyboard, and shows it first next time', async () => {
    await open('chat');
    await page.getByRole('textbox', { name: 'Message to' }).waitFor();
    await page.keyboard.press('Control+K');
    await query().waitFor();
    await expect.poll(() => options().count()).toBeGreaterThan(8);
    await page.keyboard.type('thdk');
    expect(await marked('Theme: dark')).toEqual(['Th', 'd', 'k']);
    await page.keyboard.press('Enter');
    await palette().waitFor({ state: 'detached' });
    await made.until(() =>
      made.messages.some(({ type, theme }) => type === 'theme' && theme === 'dark'),
    );
    // The focus is where it was.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await page.keyboard.press('Control+K');
    await options().first().getByText('Theme: dark').waitFor();
    await page.keyboard.press('Control+K');
    await palette().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('textbox', { name: 'Message to' }).waitFor();
    await page.keyboard.press('Control+K');
    await options().first().getByText('Theme: dark').waitFor();
  });

  it('opens the settings in the window, as the menu does', async () => {
    const shown = (): unknown[] =>
      made.messages.filter(({ type }) => type === 'window').map((one) => one.window);
    await openLive();
    await quick('Search everything').click();
    await query().fill('settings');
    await options().first().getByText('Settings', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await made.until(() => shown().length === 1);
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Schedules' }).click();
    await made.until(() => shown().length === 2);
    expect(shown()).toEqual([{ page: 'settings' }, { page: 'schedules' }]);
  });

  it('says when nothing matches, and Escape closes it', async () => {
    await open();
    await quick('Search everything').click();
    await query().fill('zzzz q');
    await palette().getByText('Nothing matches “zzzz q”.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Search everything' }).click();
    await query().waitFor();
  });

  it('leaves Ctrl+K in a terminal to the shell, and opens with Shift', async () => {
    const terminal = await openLive();
    await page.locator('.terminal-view:not([hidden])').click();
    await page.keyboard.press('Control+k');
    await got(terminal, '\x0b');
    expect(await palette().count()).toBe(0);
    await page.keyboard.press('Control+Shift+K');
    await query().waitFor();
    expect(terminal.input.toString()).toBe('\x0b');
  });

  it('goes to tabs, conversations, tasks, routines, terminals, faces and help', async () => {
    made.tasks.routines = [
      {
        name: 'weekly',
        title: 'Weekly report',
        goal: 'Make the report of ${week}',
        params: ['week'],
        steps: [],
        created: '2026-11-21T09:30:00Z',
      },
    ];
    made.chat.add('c9', { title: 'About the invoice' });
    const first = made.add('t1');
    const shell = made.add('t2', { name: 'Shell', agent: 'shell', title: 'make test' });
    await open();
    await first.until(() => first.controls.length > 0);
    const go = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+Shift+K');
      await query().fill(text);
      await options().first().waitFor();
      await page.keyboard.press('Enter');
    };
    await go('about invoice');
    await page.getByRole('tab', { name: 'Chat', selected: true }).waitFor();
    await page.getByText('About the invoice').first().waitFor();
    await go('face task');
    await page.getByRole('tab', { name: 'Task', selected: true }).waitFor();
    await go('weekly');
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor();
    made.tasks.routines = [];
    await go('terminal face');
    await page.getByRole('tab', { name: 'Terminal', selected: true }).waitFor();
    await go('keyboard short');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await go('websocket');
    await expect.poll(() => page.evaluate(() => globalThis.fakeChrome.active())).toBe(12);
    await go('make test');
    await page.getByRole('tab', { name: 'Terminal', selected: true }).waitFor();
    await expect.poll(() => shell.controls.length).toBeGreaterThan(0);
  });
});

describe('the context menu of a page', () => {
  /** Leaves a choice for the panel, as the worker does. */
  const choose = (part: object): Promise<void> =>
    page.evaluate(
      (wish) =>
        chrome.storage.session.set({
          'pilotfish.menu': { ...wish, id: crypto.randomUUID(), at: Date.now() },
        }),
      { window: 1, tab: 11, url: 'https://example.com/', text: '', target: '', ...part },
    );

  it('does what was chosen, once, and says what is not known', async () => {
    made.rooms.answers.set('snapshot', () => ({
      data: { items: [{ role: 'main' }, { ref: 'e4' }] },
    }));
    made.rooms.answers.set('inspect', () => ({ text: 'link "More"' }));
    made.rooms.answers.set('screenshot', () => ({ ok: true, data: shot }));
    await open('task');
    made.chat.picture = await picture(page, 80, 60);
    const field = page.getByRole('textbox', { name: 'What should be done' });
    await field.waitFor();
    await choose({ choice: 'selection', text: 'two\nlines' });
    await expect.poll(() => field.inputValue()).toMatch(/^\[Selected text.*\ntwo\nlines\n/);
    await field.fill('');
    await choose({ choice: 'link', text: 'https://example.com/b' });
    await expect.poll(() => field.inputValue()).toContain('[Link, from https://example.com]');
    await field.fill('');
    await choose({ choice: 'element', target: '[data-pilotfish-1]' });
    await expect.poll(() => field.inputValue()).toMatch(/^\[Element e4, from .*\nlink "More"/);
    expect(made.rooms.commands.map(({ command, args }) => [command, args])).toEqual([
      ['snapshot', { scope: '[data-pilotfish-1]', items: true }],
      ['inspect', { element: 'e4', max: 4000 }],
    ]);
    await choose({ choice: 'shot', target: '[data-pilotfish-1]' });
    await page.getByRole('img', { name: 'The screenshot' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await choose({ choice: 'element' });
    await page.getByText('It is not known which element was meant.').waitFor();
    await choose({ choice: 'image', text: 'data:image/png;base64,AAAA' });
    await page.getByText('This image has no address.').waitFor();
  });

  it('waits for the panel that opens, and leaves another tab alone', async () => {
    await open('task');
    const field = page.getByRole('textbox', { name: 'What should be done' });
    await field.waitFor();
    await choose({ choice: 'link', text: 'https://example.com/other', tab: 12 });
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await expect.poll(() => field.inputValue()).toContain('https://example.com/other');
  });
});

describe('the drawer', () => {
  const strip = () => page.getByRole('tablist', { name: 'Rooms' });
  const edge = () => page.getByRole('separator', { name: 'Height of the drawer' });
  const height = (): Promise<number> =>
    page.locator('.drawer').evaluate((element) => (element as HTMLElement).offsetHeight);
  const focused = (selector: string): Promise<boolean> =>
    page.evaluate((inside) => document.activeElement?.closest(inside) != null, selector);

  /** Waits until the terminal has as many rows as fit into its place, and the program knows it. */
  async function fits(terminal: FakeTerminal): Promise<number> {
    const rows = (): Promise<{ fit: number; shown: number }> =>
      page.locator('.terminal-view:not([hidden])').evaluate((view) => {
        const all = view.querySelectorAll('.xterm-rows > div');
        const row = all[0]?.getBoundingClientRect().height ?? 1;
        return { fit: Math.floor(view.clientHeight - 10) / row, shown: all.length };
      });
    await expect
      .poll(async () => {
        const { fit, shown } = await rows();
        const resize = terminal.controls.findLast(({ type }) => type === 'resize');
        return Math.floor(fit) === shown && resize?.rows === shown;
      })
      .toBe(true);
    return (await rows()).shown;
  }

  it('opens by key, is resized by keys, remembers its height, and the terminal follows', async () => {
    const terminal = await openLive();
    await page.locator('.terminal-view:not([hidden])').click();
    await page.keyboard.press('Control+Shift+J');
    await edge().waitFor();
    const half = await fits(terminal);
    await page.keyboard.press('Control+F6');
    expect(await focused('.drawer [role=tab]')).toBe(true);
    await edge().focus();
    await page.keyboard.press('Home');
    await expect.poll(height).toBe(96);
    expect(await fits(terminal)).toBeGreaterThan(half);
    expect(await edge().getAttribute('aria-valuenow')).toBe(String(await height()));
    await page.keyboard.press('ArrowUp');
    await expect.poll(height).toBeGreaterThan(110);
    const kept = await height();
    await page.keyboard.press('Escape');
    expect(await focused('.terminal-view')).toBe(true);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(height).toBe(kept);
    await edge().focus();
    await page.keyboard.press('End');
    await fits(terminal);
    await page.keyboard.press('Control+J');
    await edge().waitFor({ state: 'detached' });
    expect(await focused('.terminal-view')).toBe(true);
    expect(await fits(terminal)).toBeGreaterThan(half);
  });

  it('takes the full panel and gives it back, with an exact terminal and approvals in view', async () => {
    const terminal = await openLive();
    await quick('Rooms').click();
    const before = await fits(terminal);
    await edge().dblclick();
    await page.locator('.terminal-view').first().waitFor({ state: 'hidden' });
    terminal.print(Array.from({ length: 60 }, (_, n) => `line ${String(n)}\r\n`).join(''));
    made.push({ type: 'session', session: { ...made.session(), approvals: [approval()] } });
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    made.push({ type: 'session', session: made.session() });
    await page.getByRole('button', { name: 'Deny' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the face again' }).click();
    await page.getByText('line 59').waitFor();
    expect(await fits(terminal)).toBe(before);
    await page.getByRole('button', { name: 'Close the drawer' }).click();
    await edge().waitFor({ state: 'detached' });
    await page.getByText('line 59').waitFor();
    await fits(terminal);
  });

  it('moves between rooms with the arrow keys, and is dragged with the mouse', async () => {
    await open('chat');
    await page.getByRole('textbox', { name: 'Message to' }).waitFor();
    await page.keyboard.press('Control+J');
    const tabs = strip().getByRole('tab');
    await strip().getByRole('tab', { selected: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await tabs.nth(1).getAttribute('aria-selected')).toBe('true');
    const from = await height();
    const box = await edge().boundingBox();
    await page.mouse.move(160, (box?.y ?? 0) + 3);
    await page.mouse.down();
    await page.mouse.move(160, (box?.y ?? 0) + 43, { steps: 4 });
    await page.mouse.up();
    await expect.poll(height).toBe(from - 40);
    await page.keyboard.press('Control+F6');
    expect(await focused('textarea')).toBe(true);
  });
});

it('is clean for axe at 320 px in the light and in the dark', async () => {
  await openLive();
  await page.keyboard.press('Control+Shift+J');
  await page.getByRole('separator', { name: 'Height of the drawer' }).waitFor();
  await accessible(page);
  await page.keyboard.press('Control+Shift+K');
  await query().fill('t');
  await options().first().waitFor();
  await accessible(page);
  const wide = (): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await wide()).toBe(false);
});
