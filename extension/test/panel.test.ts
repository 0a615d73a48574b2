import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Theme } from '$ui/protocol/protocol';
import type { FakeBackend } from './fakes/backend';
import { RESIZE_QUIET } from '../src/panel/core/timing';
import { backend, openPanel } from './fakes/face';
import type { FakeTerminal } from './fakes/terminal';
import { approval, crashed, pasteInto } from './states';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
});

async function open(): Promise<void> {
  page = await openPanel(made);
}

/** Opens the panel and waits until its first terminal is live. */
async function openLive(): Promise<FakeTerminal> {
  await open();
  await page.getByText('Live', { exact: true }).waitFor();
  return first();
}

function first(): FakeTerminal {
  const terminal = made.first;
  if (terminal === undefined) throw new Error('no terminal was started');
  return terminal;
}

const rows = (): Promise<string> =>
  page
    .locator('.terminal-view:not([hidden]) .xterm-rows')
    .evaluate((element) => [...element.children].map((row) => row.textContent).join('\n'));

/** Waits until the visible terminal shows a text. */
async function shows(text: string): Promise<void> {
  await page
    .locator('.terminal-view:not([hidden]) .xterm-rows > div', { hasText: text })
    .first()
    .waitFor();
}

/** Waits until the program has received this input. */
async function got(terminal: FakeTerminal, text: string): Promise<void> {
  await terminal.until(() => terminal.input.toString().includes(text));
}

const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

describe('starting', () => {
  it('starts the first terminal by itself, at the size of the panel', async () => {
    const terminal = await openLive();
    expect(made.terminals.size).toBe(1);
    expect(terminal.info.tab).toBe('t1');
    const attach = terminal.controls[0];
    expect(attach).toMatchObject({
      type: 'attach',
      cols: terminal.info.cols,
      rows: terminal.info.rows,
    });
    expect(terminal.info.cols).toBeGreaterThan(30);
    expect(terminal.info.rows).toBeGreaterThan(20);
    // The browser draws no scroll bar of its own beside that of xterm.
    const overflow = await page
      .locator('.xterm-viewport')
      .first()
      .evaluate((one) => getComputedStyle(one).overflowY);
    expect(overflow).toBe('hidden');
  });

  it('attaches to a terminal that the backend had started, and starts no second one', async () => {
    made.add('t1').print('already here');
    await open();
    await shows('already here');
    expect(made.terminals.size).toBe(1);
    expect(made.requests).toEqual(['/pty-session']);
  });

  it.each([
    { size: 13, width: 400, dark: false },
    { size: 17, width: 320, dark: true },
  ])('shows the first prompt where the terminal stands already ($size px)', async (how) => {
    made.settings = { ...made.settings, fontSize: how.size };
    const terminal = made.add('t1');
    terminal.print('Welcome.\r\n\r\nyou@host:~$ ');
    made.tellsFirst = made.holds = true;
    page = await openPanel(made, how);
    await page.getByRole('button', { name: 'New terminal' }).waitFor();
    const view = page.locator('.terminal-view:not([hidden]) .xterm-screen');
    await view.waitFor();
    const place = await view.boundingBox();
    const cursor = page.locator('.xterm-cursor');
    await cursor.waitFor({ state: 'attached' });
    // A visible cursor would jump from the first row to the prompt.
    expect(await cursor.isVisible()).toBe(false);
    await page.keyboard.type('early');
    made.release();
    await shows('you@host:~$');
    await cursor.waitFor();
    // The view does not move, and text typed before the first prompt goes to the shell.
    expect(await view.boundingBox()).toEqual(place);
    await got(terminal, 'early');
    expect(await rows()).toMatch(/^Welcome\.\s*\n\s*\nyou@host:~\$/);
    expect(terminal.controls.filter(({ type }) => type === 'attach')).toHaveLength(1);
    expect(made.requests).toEqual([]); // the key in hello was enough
  });

  it('takes no size before the browser has given the panel its place', async () => {
    const terminal = made.add('t1');
    terminal.print('you@host:~$ ');
    made.tellsFirst = true;
    page = await openPanel(made, { width: 1, height: 1 });
    const sizes = (): unknown[] =>
      terminal.controls.filter(({ type }) => type === 'resize').map(({ cols }) => cols);
    await terminal.until(() => sizes().length > 0);
    expect(sizes()).toEqual([terminal.info.cols]);
    await page.setViewportSize({ width: 400, height: 640 });
    await terminal.until(() => sizes().length > 1);
    expect(sizes()[1]).toBeGreaterThan(40);
    expect(sizes()[1]).toBeLessThan(60);
    await shows('you@host:~$');
  });

  it('shows the face that was chosen, though its terminal is attached to', async () => {
    made.add('t1').print('one');
    made.tellsFirst = made.holds = true;
    page = await openPanel(made, { face: 'chat' });
    await page.getByRole('tab', { name: 'Chat', selected: true }).waitFor();
    made.release();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await shows('one');
  });

  it('has the theme of Settings in all its parts, whatever the desktop has', async () => {
    const grounds = async (theme: Theme, dark: boolean): Promise<string[]> => {
      made.settings = { ...made.settings, theme };
      page = await openPanel(made, { dark });
      await page.getByText('Live', { exact: true }).waitFor();
      const parts = page.locator('body, header, .xterm-scrollable-element');
      const all = await parts.evaluateAll((them) =>
        them.map((one) => getComputedStyle(one).backgroundColor),
      );
      return all;
    };
    const dark = await grounds('system', true);
    const light = await grounds('system', false);
    expect(dark).not.toEqual(light);
    expect(await grounds('dark', false)).toEqual(dark);
    expect(await grounds('light', true)).toEqual(light);
  });

  it('tells the worker that it is connected, and again when a welcome page comes', async () => {
    await openLive();
    const sent = (): Promise<unknown> => page.evaluate(() => globalThis.fakeChrome.sent);
    const connected = { kind: 'rpc:call', v: 1, method: 'connected' };
    expect(await sent()).toMatchObject([connected]);
    await page.evaluate(
      (loaded) => {
        globalThis.fakeChrome.hear({ ...loaded, deadline: Date.now() + 1e4 }, 'another');
        globalThis.fakeChrome.hear({ ...loaded, deadline: Date.now() + 1e4 }, 'panel');
      },
      { kind: 'tab:event', v: 1, id: 'x', event: 'welcome-loaded' },
    );
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    expect(await sent()).toMatchObject([connected, connected]);
  });

  it('starts beside another tab on Enter', async () => {
    await openLive();
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await page.getByRole('button', { name: 'Start Claude Code beside this tab' }).waitFor();
    await page.keyboard.press('Enter');
    await made.until(() => made.terminals.size === 2);
    expect([...made.terminals.values()].map(({ info }) => info.tab)).toEqual(['t1', 't2']);
  });

  it('starts on Enter, also when it comes into view later', async () => {
    await openLive();
    await page.getByRole('tab', { name: 'Chat' }).click();
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await page.getByRole('textbox', { name: /^Message to/ }).waitFor();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Start Claude Code beside this tab' }).waitFor();
    await page.keyboard.press('Enter');
    await made.until(() => made.terminals.size === 2);
  });

  it('starts what Settings name beside another tab, and in a new terminal', async () => {
    made.settings = { ...made.settings, agent: 'shell' };
    await openLive();
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await page.getByRole('button', { name: 'Start Shell beside this tab' }).click();
    await made.until(() => made.terminals.size === 2);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New terminal' }).click();
    await made.until(() => made.terminals.size === 3);
    expect([...made.terminals.values()].map(({ info }) => info.agent)).toEqual(
      Array(3).fill('shell'),
    );
  });

  it('starts beside each tab that is looked at, when Settings say so', async () => {
    made.settings = { ...made.settings, everyTab: true };
    await openLive();
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await made.until(() => made.terminals.size === 2);
  });

  it('does not start again what the person closed', async () => {
    await openLive();
    await page.getByRole('button', { name: 'Close terminal' }).click();
    await page.getByRole('button', { name: /^Start Claude Code/ }).waitFor();
    expect(made.requests.filter((path) => path === '/pty-session')).toHaveLength(1);
  });

  it('says why a start failed and what to do', async () => {
    made.refuseStart = { code: 'busy', message: '32 terminals run already.', hint: 'Close one.' };
    await open();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('32 terminals run already. Close one.');
    made.refuseStart = undefined;
    await page.getByRole('button', { name: /^Start Claude Code/ }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  it('keeps the screens of several tabs', async () => {
    made.add('t1').print('one');
    made.add('t2').print('two');
    await open();
    await shows('one');
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await shows('two');
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(11);
    });
    await shows('one');
    expect(made.requests).toEqual(['/pty-session', '/pty-session']);
  });
});

describe('the program', () => {
  it('gets what is typed, and Shift+Enter as a line break', async () => {
    const terminal = await openLive();
    await page.keyboard.type('ls');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Enter');
    await got(terminal, '\x1b\r');
    expect(terminal.input.toString()).toBe('ls\r\x1b\r');
  });

  it('gets what an input method composes', async () => {
    const terminal = await openLive();
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', {
      text: 'に',
      selectionStart: 1,
      selectionEnd: 1,
    });
    await session.send('Input.insertText', { text: '日本' });
    await got(terminal, '日本');
    expect(terminal.input.toString()).toBe('日本');
  });

  it('answers no question of a replay, and every question after it', async () => {
    const terminal = made.add('t1');
    terminal.print('\x1b[c\x1b[6n\x1b]11;?\x07\x1b[?1004hready');
    await open();
    await page.getByText('Live', { exact: true }).waitFor();
    terminal.print('\x1b[6n');
    await got(terminal, 'R');
    expect(terminal.input.toString()).toMatch(/^.\[1;\d+R$/);
  });

  it('never learns its title or the clipboard', async () => {
    const terminal = await openLive();
    await page.evaluate(() => navigator.clipboard.writeText('secret'));
    terminal.print('\x1b]2;echo owned\x07\x1b[21t\x1b[20t\x1b]52;c;?\x07\x1bP$q"p\x1b\\\x1b[6n');
    await got(terminal, 'R');
    const input = terminal.input.toString();
    expect(input).not.toContain('owned');
    expect(input).not.toContain('52;');
    expect(input).not.toContain(Buffer.from('secret').toString('base64'));
  });

  it('may put a text on the clipboard', async () => {
    const terminal = await openLive();
    terminal.print(`\x1b]52;c;${Buffer.from('from the program ✓').toString('base64')}\x07\x1b[6n`);
    await got(terminal, 'R');
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes('✓'));
  });

  it('learns a new size once the panel stands still', async () => {
    const terminal = await openLive();
    await terminal.until(() => terminal.controls.some(({ type }) => type === 'resize'));
    const before = terminal.controls.length;
    await page.setViewportSize({ width: 600, height: 500 });
    // The panel also reports what it has drawn.
    const sized = (): (typeof terminal.controls)[number] | undefined =>
      terminal.controls.slice(before).find(({ type }) => type === 'resize');
    await terminal.until(() => sized() !== undefined);
    const resize = sized();
    expect(resize?.cols).toBeGreaterThan(terminal.info.cols);
  });
});

describe('pasting', () => {
  it('takes out what would end the brackets', async () => {
    const terminal = await openLive();
    terminal.print('\x1b[?2004h\x1b[6n');
    await got(terminal, 'R');
    await pasteInto(page, 'a\x1b[201~\n\x9btouch /tmp/x\n');
    await got(terminal, '\x1b[201~');
    expect(terminal.input.toString().split('R')[1]).toBe(
      '\x1b[200~a[201~\rtouch /tmp/x\r\x1b[201~',
    );
  });

  it('asks before two lines go to a program that did not ask for brackets', async () => {
    const terminal = await openLive();
    const text = 'one\ntwo';
    await pasteInto(page, text);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByLabel('The text').textContent()).toContain('one↵\ntwo');
    expect(await page.evaluate(() => document.activeElement?.textContent.trim())).toBe('Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await pasteInto(page, text);
    await dialog.getByRole('button', { name: 'Paste' }).click();
    await got(terminal, 'two');
    expect(terminal.input.toString()).toBe(text.replaceAll('\n', '\r'));
  });
});

describe('copying', () => {
  it('copies a selection with Ctrl+C, and interrupts without one', async () => {
    const terminal = await openLive();
    terminal.print('\r\ncopy-me\r\n');
    await shows('copy-me');
    const line = await page.locator('.xterm-rows > div', { hasText: 'copy-me' }).boundingBox();
    await page.mouse.dblclick((line?.x ?? 0) + 10, (line?.y ?? 0) + 6);
    await page.keyboard.press('Control+C');
    await page.waitForFunction(async () => (await navigator.clipboard.readText()) === 'copy-me');
    expect(terminal.input.toString()).toBe('');
    await page.keyboard.press('Control+C');
    await got(terminal, '\x03');
    expect(await clipboard()).toBe('copy-me');
  });
});

describe('links', () => {
  async function click(text: string, modifier?: 'Control'): Promise<void> {
    const line = await page.locator('.xterm-rows > div', { hasText: text }).boundingBox();
    await page.mouse.move((line?.x ?? 0) + 30, (line?.y ?? 0) + 6);
    if (modifier) await page.keyboard.down(modifier);
    await page.mouse.click((line?.x ?? 0) + 31, (line?.y ?? 0) + 6);
    if (modifier) await page.keyboard.up(modifier);
  }
  const opened = (): Promise<unknown[]> => page.evaluate(() => globalThis.fakeChrome.opened);

  it('opens beside the tab with Ctrl, and shows where it really leads', async () => {
    const terminal = await openLive();
    terminal.print('\r\n\x1b]8;;https://real.example/path\x1b\\harmless words\x1b]8;;\x1b\\\r\n');
    await shows('harmless');
    await click('harmless');
    await page.getByText('https://real.example/path').waitFor();
    expect(await opened()).toEqual([]);
    await click('harmless', 'Control');
    expect(await opened()).toEqual([
      { url: 'https://real.example/path', windowId: 1, openerTabId: 11, index: 1 },
    ]);
  });

  it('opens nothing but http and https', async () => {
    const terminal = await openLive();
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'chrome://settings'])
      terminal.print(`\r\n\x1b]8;;${url}\x1b\\link to ${url}\x1b]8;;\x1b\\`);
    await shows('chrome://settings');
    for (const url of ['javascript', 'file:', 'chrome:']) await click(`link to ${url}`, 'Control');
    expect(await opened()).toEqual([]);
  });
});

describe('losing and finding again', () => {
  it('comes back to the same screen after the terminal’s socket was lost', async () => {
    const terminal = await openLive();
    terminal.print('\r\nbefore');
    await shows('before');
    terminal.drop();
    terminal.print('\r\nmeanwhile');
    await shows('meanwhile');
    expect((await rows()).match(/before/g)).toHaveLength(1);
    const attaches = terminal.controls.filter(({ type }) => type === 'attach');
    expect(attaches.at(-1)?.offset).toBeGreaterThan(0);
  });

  it('says that it reconnects, and is live again when the backend is', async () => {
    await openLive();
    const { port } = made;
    await made.stop();
    await page.getByText('Disconnected from Pilotfish.').waitFor();
    await made.start(port);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('Disconnected from Pilotfish.').count()).toBe(0);
  });

  it('follows a new pairing at once', async () => {
    await openLive();
    const next = await backend();
    next.add('t1').print('from the next run');
    await page.evaluate((pairing) => {
      globalThis.fakeChrome.pair(pairing);
    }, next.pairing);
    await shows('from the next run');
  });

  it('leaves a terminal to the panel that shows it last, and takes it back on demand', async () => {
    const terminal = await openLive();
    terminal.print('\r\nshared');
    const other = await openPanel(made, { beside: true });
    await other.getByText('Live', { exact: true }).waitFor();
    await page.getByText('This terminal is shown in another panel.').waitFor();
    await page.getByRole('button', { name: 'Show it here' }).click();
    await other.getByText('This terminal is shown in another panel.').waitFor();
    // The last panel that shows it has left.
    await page.goto('about:blank');
    await other.getByText('Live', { exact: true }).waitFor();
  });
});

describe('in the user’s own browser', () => {
  it('gives a tab to agents and takes it back, and says why when that fails', async () => {
    const share = (given: boolean): void => {
      made.tabs = made.tabs.map((tab) => ({ ...tab, given, private: !given }));
      made.push({ type: 'tabs', tabs: made.tabs });
    };
    await openLive();
    expect(await page.getByText(/^Agents can/).count()).toBe(0);
    share(false);
    const give = page.getByRole('button', { name: 'Give it to agents' });
    await give.click();
    await page.getByText('There is no command givetab.').waitFor();
    made.rooms.answers.set('givetab', ({ args }) => {
      share(args?.back !== true);
      return {};
    });
    await give.press('Enter');
    await page.getByText('Agents can use this tab.').waitFor();
    // The button has another meaning, and keeps the focus.
    await page.keyboard.press('Enter');
    await page.getByText('Agents cannot see this tab.').waitFor();
    expect(made.rooms.commands.map(({ args }) => args)).toEqual(
      [false, false, true].map((back) => ({ tab: 't1', back })),
    );
  });
});

describe('the last row', () => {
  it('is seen whole at every height, with one terminal and with two', async () => {
    await openLive();
    const cut = async (height: number): Promise<number> => {
      await page.setViewportSize({ width: 400, height });
      return page.evaluate(
        async ([height, quiet]) => {
          const frame = (): Promise<number> => new Promise(requestAnimationFrame);
          while (innerHeight !== height) await frame();
          // The panel is notified of its new size in a frame. It uses the size once no other one has come
          // for a while.
          await frame();
          await frame();
          await new Promise((done) => setTimeout(done, quiet));
          // The rows are drawn in a frame of their own.
          await frame();
          await frame();
          const view = document.querySelector('.terminal-view:not([hidden])');
          const last = view?.querySelector('.xterm-rows')?.lastElementChild;
          const [box, row] = [view, last].map((it) => it?.getBoundingClientRect().bottom ?? 0);
          return (row ?? 0) - (box ?? 0);
        },
        [height, RESIZE_QUIET] as const,
      );
    };
    for (let height = 560; height < 580; height++) expect(await cut(height)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'New terminal' }).click();
    await page.getByRole('tab').nth(1).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    for (let height = 560; height < 580; height++) expect(await cut(height)).toBeLessThanOrEqual(0);
  });
});

describe('a checkpoint', () => {
  const flood = 'x'.repeat(70_000) + '\r\n';
  const last = (terminal: FakeTerminal) =>
    terminal.controls.findLast(({ type }) => type === 'checkpoint');

  it('draws the same screen in the next panel, with its modes', async () => {
    const terminal = await openLive();
    terminal.print(
      `${flood}\x1b[?1049h\x1b[H\x1b[2J\x1b[31mfull screen\x1b[5;3Hfive\x1b[?25l\x1b[?1000h\x1b[?1006h\x1b[?2004h`,
    );
    await terminal.until(() => last(terminal) !== undefined);
    await shows('full screen');
    const before = await rows();
    terminal.checkpoint = last(terminal);
    expect(terminal.checkpoint?.offset).toBe(terminal.output.length);
    await open();
    await shows('full screen');
    expect(await rows()).toBe(before);
    terminal.print('\x1b[?1049lbehind it');
    await shows('behind it');
    expect(await rows()).toContain('xxx');
  });
});

describe('the end', () => {
  it('says how it ended, and starts again under the same id', async () => {
    const terminal = await openLive();
    terminal.exit(-1, 'SIGKILL');
    await page.getByText('Claude Code was ended by SIGKILL.').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(made.terminals.size).toBe(1);
    expect(terminal.info.epoch).toBe(2);
  });

  it('asks before it closes an agent that works', async () => {
    const terminal = await openLive();
    terminal.change({ status: 'working' });
    await page.getByText('Working').waitFor();
    await page.getByRole('button', { name: 'Close terminal' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(made.terminals.size).toBe(1);
    await page.getByRole('button', { name: 'Close terminal' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await made.until(() => made.terminals.size === 0);
  });
});

describe('choosing', () => {
  it('runs another agent in a new terminal, with the keyboard alone', async () => {
    await openLive();
    await page.keyboard.press('Control+F6');
    await page.keyboard.press('Enter');
    // The menu gets the focus a moment after it is visible.
    await page.locator('[role=menuitemradio]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await made.until(() => made.terminals.size === 2);
    await page.getByRole('tab', { name: 'Shell' }).waitFor();
    expect([...made.terminals.values()].map(({ info }) => info.agent)).toEqual(['claude', 'shell']);
  });

  it('runs a command line', async () => {
    await openLive();
    await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
    expect(
      await page
        .getByRole('menu')
        .getByText(/^Command/)
        .count(),
    ).toBe(1);
    await page.getByRole('menuitem', { name: 'Command line…' }).click();
    await page.keyboard.type('top -d 1');
    await page.keyboard.press('Enter');
    await made.until(() => made.terminals.size === 2);
    await page.getByRole('tab', { name: 'top' }).waitFor();
  });

  it('finds in the terminal with the buttons of the bar', async () => {
    await openLive();
    const terminal = [...made.terminals.values()][0];
    terminal?.print('tide one\r\ntide two\r\ntide three\r\n');
    await page.keyboard.press('Control+Shift+F');
    const field = page.getByRole('textbox', { name: 'Find in terminal' });
    const count = page.getByRole('search').getByRole('status');
    await field.fill('nothing of it');
    const next = page.getByRole('button', { name: 'Next match (Enter)' });
    expect(await next.isDisabled()).toBe(true);
    await field.fill('tide');
    await expect.poll(() => count.innerText()).toMatch(/of 3|\/ ?3/);
    const first = await count.innerText();
    await next.click();
    await expect.poll(() => count.innerText()).not.toBe(first);
    await page.getByRole('button', { name: 'Previous match (Shift+Enter)' }).click();
    await expect.poll(() => count.innerText()).toBe(first);
    await page.getByRole('button', { name: 'Close (Escape)' }).click();
    await field.waitFor({ state: 'detached' });
  });

  it('starts a missing agent once it is there', async () => {
    made.agents = { ...made.agents, default: 'codex' };
    await open();
    await page.getByRole('heading', { name: 'Codex is not installed' }).waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).toBe('npm install -g @openai/codex');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Still not found').waitFor();
    // The other way on: a shell in the place of the agent, and back.
    await page.getByRole('button', { name: 'Use a shell instead' }).click();
    await page.getByRole('heading', { name: 'Codex is not installed' }).waitFor({
      state: 'detached',
    });
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('starts a missing agent when it is looked for again', async () => {
    made.agents = { ...made.agents, default: 'codex' };
    await open();
    await page.getByRole('heading', { name: 'Codex is not installed' }).waitFor();
    made.agents = {
      ...made.agents,
      agents: made.agents.agents.map((agent) => ({ ...agent, installed: true })),
    };
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
  });
});

describe('an agent that is installed from its dialog', () => {
  it('is looked for, and what came of it is said', async () => {
    await openLive();
    await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
    await page.getByRole('menuitem', { name: /Codex/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Check again' }).click();
    await dialog.getByText('Still not found: not on the PATH.').waitFor();
    const agents = made.agents.agents.map((agent) =>
      agent.kind === 'codex' ? { ...agent, installed: true, version: '0.44.0' } : agent,
    );
    made.agents = { ...made.agents, agents };
    await dialog.getByRole('button', { name: 'Check again' }).click();
    await dialog.getByText('Found Codex, version 0.44.0.').waitFor();
    await dialog.getByRole('button', { name: 'Start it' }).waitFor();
  });
});

it('a crash of the browser is said in one sentence, until it is dismissed', async () => {
  await openLive();
  const tell = (message: string): void => {
    made.push({
      type: 'session',
      session: { ...made.session(), warnings: [{ ...crashed, message }] },
    });
  };
  tell(crashed.message);
  const notice = page.getByText(crashed.message);
  await notice.waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await notice.waitFor({ state: 'detached' });
  // It stays dismissed in a panel that is opened again, and another notice is shown.
  await page.reload();
  await page.getByText('Live', { exact: true }).waitFor();
  tell(crashed.message);
  made.first?.print('\r\nafter the crash');
  await shows('after the crash');
  expect(await notice.count()).toBe(0);
  tell('The browser crashed at 15:05 (SIGSEGV) and was restarted. Your tabs are back.');
  await page.getByText('15:05 (SIGSEGV)').waitFor();
});

it('a face that is not in view says that an approval waits in it', async () => {
  await openLive();
  await page.getByRole('tab', { name: 'Task' }).click();
  const waits = approval({
    actor: { kind: 'terminal', id: first().info.id, name: 'claude in t1' },
  });
  made.push({ type: 'session', session: { ...made.session(), approvals: [waits] } });
  await page.getByRole('tab', { name: /^Terminal.*needs you/i }).waitFor();
  made.push({ type: 'session', session: made.session() });
  await page.getByRole('tab', { name: 'Terminal', exact: true }).waitFor();
});

describe('finding', () => {
  it('counts matches, goes round, and gives the focus back', async () => {
    const terminal = await openLive();
    terminal.print('\r\nfish and fish and fish');
    await shows('fish and');
    await page.keyboard.press('Control+Shift+F');
    await page.keyboard.type('fish');
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 of 3').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('q');
    await got(terminal, 'q');
  });
});
