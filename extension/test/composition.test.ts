// An input method composes words from several keys, and only the committed text is typed: Chinese,
// Japanese, Korean, accents, dictation.
import type { CDPSession, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';
import type { FakeTerminal } from './fakes/terminal';

let made: FakeBackend;
let page: Page;
let method: CDPSession;

beforeEach(async () => {
  made = await backend();
  page = await openPanel(made);
  method = await page.context().newCDPSession(page);
  await page.getByText('Live', { exact: true }).waitFor();
});

/** Shows text that is not committed yet, as an input method does. */
const compose = (text: string): Promise<unknown> =>
  method.send('Input.imeSetComposition', {
    text,
    selectionStart: text.length,
    selectionEnd: text.length,
  });

/** Commits the text. */
const commit = (text: string): Promise<unknown> => method.send('Input.insertText', { text });

/** Presses a key that the input method handles. */
const takenKey = async (key: string, shift = false): Promise<void> => {
  for (const type of ['rawKeyDown', 'keyUp'] as const) {
    await method.send('Input.dispatchKeyEvent', {
      type,
      key,
      windowsVirtualKeyCode: 229,
      modifiers: shift ? 8 : 0,
    });
  }
};

describe('in the terminal', () => {
  let terminal: FakeTerminal;

  beforeEach(async () => {
    if (made.first === undefined) throw new Error('no terminal was started');
    terminal = made.first;
    terminal.print('\r\nprompt> ');
    await page.locator('.xterm-rows > div', { hasText: 'prompt>' }).first().waitFor();
    await page.locator('.xterm-helper-textarea').first().focus();
  });

  it('shows what is composed at the cursor, and types what is committed, once', async () => {
    await compose('に');
    await compose('にほん');
    const view = page.locator('.composition-view.active');
    await expect.poll(() => view.textContent()).toBe('にほん');
    const [box, prompt] = await Promise.all([
      view.boundingBox(),
      page.locator('.xterm-rows > div', { hasText: 'prompt>' }).first().boundingBox(),
    ]);
    const cell = (prompt?.width ?? 0) / terminal.info.cols;
    expect(Math.abs((box?.y ?? 0) - (prompt?.y ?? 0))).toBeLessThanOrEqual(2);
    expect(Math.abs((box?.x ?? 0) - (prompt?.x ?? 0) - 8 * cell)).toBeLessThanOrEqual(2);
    expect(terminal.input.toString()).toBe('');

    await commit('日本');
    await terminal.until(() => terminal.input.toString().includes('日本'));
    // The next input shows that nothing else was sent.
    await page.keyboard.type('x');
    await terminal.until(() => terminal.input.toString().endsWith('x'));
    expect(terminal.input.toString()).toBe('日本x');
    await expect.poll(() => view.count()).toBe(0);
  });

  it('types nothing of what is given up, nor of the keys of the input method', async () => {
    await compose('か');
    await takenKey('Enter', true);
    await takenKey('Enter');
    await takenKey('F6');
    await compose('');
    await page.keyboard.type('x');
    await terminal.until(() => terminal.input.toString().endsWith('x'));
    expect(terminal.input.toString()).toBe('x');
  });
});

it('ends neither the search in a terminal nor goes on in it', async () => {
  await page.keyboard.press('Control+Shift+F');
  const find = page.getByRole('textbox', { name: 'Find in terminal' });
  await find.waitFor();
  await compose('に');
  await takenKey('Escape');
  await takenKey('Enter');
  expect(await find.isVisible()).toBe(true);
  await compose('');
  await find.press('Escape');
  await find.waitFor({ state: 'detached' });
});

it('sends no message and begins no task before its words are committed', async () => {
  for (const [face, name] of [
    ['Chat', /^Message to/],
    ['Task', /^What should/],
  ] as const) {
    await page.getByRole('tab', { name: face }).click();
    const field = page.getByRole('textbox', { name }).first();
    await field.focus();
    await compose('にほん');
    await takenKey('Enter');
    await commit('日本');
    await expect.poll(() => field.inputValue()).toBe('日本');
  }
  expect(made.chat.asked.filter(({ path }) => path === '/chat/send')).toEqual([]);
});
