import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';
import { pastSessions } from './fakes/past';
import type { FakeTerminal } from './fakes/terminal';

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
});

/** Opens the panel at 320 px with its first terminal. */
async function open(): Promise<FakeTerminal> {
  page = await openPanel(made, { width: 320, face: 'terminal' });
  await page.getByText('Live', { exact: true }).waitFor();
  const terminal = made.first;
  if (terminal === undefined) throw new Error('no terminal was started');
  return terminal;
}

const tabs = () =>
  page.getByRole('tablist', { name: 'Terminals beside this tab' }).getByRole('tab');

/** Opens a second terminal, which is then in view. */
async function second(): Promise<void> {
  await page.getByRole('button', { name: 'New terminal' }).click();
  await tabs().nth(1).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Chooses from the menu of the terminal in view. */
async function more(item: string): Promise<void> {
  await page.getByRole('button', { name: 'More about this terminal' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

const divider = () => page.getByRole('separator', { name: 'Size of the two terminals' });

/** The two places of terminals, each with its box and whether it has the keyboard. */
const places = () =>
  page.evaluate(() =>
    ['first', 'second'].map((place) => {
      const view = document.querySelector(`.terminal-view[data-place=${place}]:not([hidden])`);
      const box = view?.getBoundingClientRect();
      return {
        x: box?.x ?? -1,
        y: box?.y ?? -1,
        width: box?.width ?? 0,
        height: box?.height ?? 0,
        focused: view?.contains(document.activeElement) ?? false,
        // What is drawn, without the space at the end of the rows.
        text: [...(view?.querySelectorAll('.xterm-rows > div') ?? [])]
          .map((row) => row.textContent.trimEnd())
          .join('\n')
          .trimEnd(),
      };
    }),
  );
const focused = async (): Promise<boolean[]> => (await places()).map((one) => one.focused);

/** Splits the panel; both terminals have half of it, and the second one has the keyboard. */
async function split(): Promise<[FakeTerminal, FakeTerminal]> {
  const first = await open();
  const whole = size(first).rows;
  await more('Split: a new terminal beside it');
  await tabs().nth(1).waitFor();
  await expect.poll(focused).toEqual([false, true]);
  const two = [...made.terminals.values()].find((one) => one !== first);
  if (two === undefined) throw new Error('no second terminal was started');
  await expect
    .poll(() => size(first).rows <= whole / 2 && Math.abs(size(first).rows - size(two).rows) <= 1)
    .toBe(true);
  return [first, two];
}

/** The size that a terminal was last sent. */
const size = (terminal: FakeTerminal): { cols: number; rows: number } => {
  const resize = terminal.controls.findLast(({ rows }) => rows !== undefined);
  return { cols: resize?.cols ?? 0, rows: resize?.rows ?? 0 };
};

describe('Two terminals together', () => {
  it('are below each other at 320 px, and each key goes to the one that has the keyboard', async () => {
    const [first, two] = await split();
    const [above, below] = await places();
    expect(above?.width).toBe(320);
    expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0));
    await page.keyboard.type('b');
    await two.until(() => two.input.toString() === 'b');
    await page.keyboard.press('Control+Shift+ArrowUp');
    await expect.poll(focused).toEqual([true, false]);
    await page.keyboard.type('a');
    await first.until(() => first.input.toString() === 'a');
    expect(await tabs().nth(0).getAttribute('aria-selected')).toBe('true');
    await page.mouse.click(100, (below?.y ?? 0) + 20);
    await expect.poll(focused).toEqual([false, true]);
    expect(await tabs().nth(1).getAttribute('aria-selected')).toBe('true');
    expect(two.input.toString()).toBe('b');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      320,
    );
  });

  it('have a divider that is dragged and moved by keys, and both are told their size', async () => {
    const [first, two] = await split();
    const half = [size(first).rows, size(two).rows];
    await divider().focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('40');
    await expect.poll(() => size(first).rows < (half[0] ?? 0)).toBe(true);
    await expect.poll(() => size(two).rows > (half[1] ?? 0)).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('85');
    const bar = await divider().boundingBox();
    await page.mouse.move(160, (bar?.y ?? 0) + 4);
    await page.mouse.down();
    await page.mouse.move(160, (bar?.y ?? 0) - 120, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(async () => Number(await divider().getAttribute('aria-valuenow')) < 80)
      .toBe(true);
    const kept = await divider().getAttribute('aria-valuenow');
    await page.reload();
    await divider().waitFor();
    expect(await divider().getAttribute('aria-valuenow')).toBe(kept);
    await divider().press('Enter');
    await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('50');
  });

  it('are drawn exactly after the drawer was opened and closed', async () => {
    const [first, two] = await split();
    const lines = (name: string): string =>
      Array.from({ length: 60 }, (_, at) => `${name} ${String(at + 1)}`).join('\r\n');
    first.print(lines('one'));
    two.print(lines('two'));
    const ends = async (): Promise<boolean[]> =>
      (await places()).map(({ text }) => /(one|two) 60$/.test(text));
    await expect.poll(ends).toEqual([true, true]);
    const before = await places();
    await page.keyboard.press('Control+Shift+J');
    await page.locator('.drawer.open').waitFor();
    await expect.poll(async () => (await places())[0]?.height).toBeLessThan(before[0]?.height ?? 0);
    await expect.poll(ends).toEqual([true, true]);
    await page.getByRole('button', { name: 'Close the drawer' }).click();
    await expect.poll(places).toEqual(before);
  });

  it('are beside each other in a wide panel', async () => {
    await split();
    await page.setViewportSize({ width: 900, height: 640 });
    await expect.poll(() => divider().getAttribute('aria-orientation')).toBe('vertical');
    const [left, right] = await places();
    expect(left?.y).toBe(right?.y);
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
    await divider().press('ArrowRight');
    await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('55');
  });

  it('leave the whole place to the other when one is closed, or to each alone', async () => {
    const [first, two] = await split();
    await page.getByRole('button', { name: 'Close terminal' }).click();
    await expect.poll(() => made.terminals.has(two.info.id)).toBe(false);
    await expect.poll(() => divider().count()).toBe(0);
    const whole = page.locator('.terminal-view[data-place=whole]:not([hidden])');
    await expect
      .poll(() => whole.evaluate((view) => view.contains(document.activeElement)))
      .toBe(true);
    await page.keyboard.type('x');
    await first.until(() => first.input.toString() === 'x');
    await page.keyboard.press('Control+Shift+D');
    await divider().waitFor();
    await expect.poll(focused).toEqual([false, true]);
    await page.keyboard.press('Control+Shift+D');
    await expect.poll(() => divider().count()).toBe(0);
    await more('Show “Claude Code 1” beside it');
    await divider().waitFor();
    await more('Show it alone');
    await expect.poll(() => divider().count()).toBe(0);
    expect(made.terminals.size).toBe(2);
  });

  it('are not together when the second does not start', async () => {
    await open();
    made.refuseStart = { code: 'busy', message: 'there are too many terminals' };
    await more('Split: a new terminal beside it');
    await page.getByText('There are too many terminals').waitFor();
    expect(await divider().count()).toBe(0);
    expect(await page.locator('.terminal-view[data-place=whole]:not([hidden])').count()).toBe(1);
  });
});

describe('The order of the tabs', () => {
  const order = (): Promise<string[]> =>
    tabs().evaluateAll((all) => all.map((one) => one.textContent.trim()));

  it('changes by keys and by dragging, and stays after the panel was closed', async () => {
    await open();
    await second();
    await second();
    await tabs().nth(2).waitFor();
    await tabs().nth(2).dblclick();
    const field = page.getByRole('textbox', { name: 'Name of the terminal' });
    await field.fill('c');
    await field.press('Enter');
    await expect.poll(order).toEqual(['Claude Code 1', 'Claude Code 2', 'c']);
    await tabs().nth(2).press('Control+Shift+PageUp');
    await expect.poll(order).toEqual(['Claude Code 1', 'c', 'Claude Code 3']);
    // The keyboard stays on the tab, and in the terminal the same keys do the same.
    await page.keyboard.press('Control+Shift+PageUp');
    await expect.poll(order).toEqual(['c', 'Claude Code 2', 'Claude Code 3']);
    await page.locator('.terminal-view:not([hidden]) textarea').focus();
    await page.keyboard.press('Control+Shift+PageDown');
    await expect.poll(order).toEqual(['Claude Code 1', 'c', 'Claude Code 3']);
    await more('Move its tab to the right');
    await expect.poll(order).toEqual(['Claude Code 1', 'Claude Code 2', 'c']);
    await more('Move its tab to the left');
    await expect.poll(order).toEqual(['Claude Code 1', 'c', 'Claude Code 3']);
    await more('Move its tab to the right');
    await expect.poll(order).toEqual(['Claude Code 1', 'Claude Code 2', 'c']);
    const [from, to] = [await tabs().nth(2).boundingBox(), await tabs().nth(0).boundingBox()];
    await page.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((to?.x ?? 0) + 4, (to?.y ?? 0) + 10, { steps: 12 });
    await page.mouse.up();
    await expect.poll(order).toEqual(['c', 'Claude Code 2', 'Claude Code 3']);
    await page.reload();
    await expect.poll(order).toEqual(['c', 'Claude Code 2', 'Claude Code 3']);
  });
});

describe('Terminals as tabs', () => {
  it('opens, renames and closes them, and nothing overflows at 320 px', async () => {
    await open();
    expect(await tabs().count()).toBe(0);
    await second();
    await tabs().first().dblclick();
    const field = page.getByRole('textbox', { name: 'Name of the terminal' });
    await field.fill('build');
    await field.press('Enter');
    await page.getByRole('tab', { name: /build/ }).waitFor();
    await page.getByRole('tab', { name: /build/ }).press('F2');
    await field.fill('never');
    await field.press('Escape');
    await page.getByRole('tab', { name: /build/ }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      320,
    );
    await page.getByRole('tab', { name: /build/ }).press('ArrowRight');
    expect(await tabs().nth(1).getAttribute('aria-selected')).toBe('true');
    await tabs().nth(1).press('Delete');
    await expect.poll(() => made.terminals.size).toBe(1);
    await page.getByRole('tab', { name: /build/ }).waitFor();
  });

  it('shows progress and bells of a terminal that is not in view', async () => {
    const terminal = await open();
    await second();
    terminal.change({ progress: { state: 'normal', percent: 40 } });
    await expect.poll(() => tabs().first().getAttribute('title')).toContain('40 %');
    const bar = tabs().first().locator('.bar');
    const width = async (): Promise<number> =>
      ((await bar.boundingBox())?.width ?? 0) / ((await tabs().first().boundingBox())?.width ?? 1);
    await expect.poll(width).toBeCloseTo(0.4, 1);
    terminal.change({ bells: 1 });
    await tabs().first().getByRole('img', { name: 'rang' }).waitFor();
    await page.getByRole('tab', { name: /^Terminal.*rang/ }).waitFor();
    await tabs().first().click();
    await expect
      .poll(() => page.getByRole('tab', { name: /^Terminal/ }).getAttribute('title'))
      .toBe('Terminal: 40 %');
  });

  it.each([
    ['plain text', 'txt', 'a red <b> word'],
    ['text with colours (ANSI)', 'ansi', 'a \x1b[38;5;1mred\x1b[0m <b> word'],
    ['HTML', 'html', '>red</span> &#60;b&#62; word'],
  ])('saves as %s', async (name, ending, text) => {
    const terminal = await open();
    terminal.print('a \x1b[31mred\x1b[0m <b> word\r\n');
    await terminal.until(() =>
      terminal.controls.some(
        ({ type, offset = 0 }) => type === 'ack' && offset >= terminal.output.length,
      ),
    );
    const where = '/home/ada/.local/share/pilotfish/sessions/default/downloads/';
    let file = '';
    const watched = new Promise<void>((done) => {
      made.rooms.answers.set('watch', ({ args }) => {
        file = String(args?.value);
        done();
        return {};
      });
    });
    const done = { url: 'blob:', state: 'done', at: '2026-11-26T10:00:00Z', received: 9 };
    made.rooms.answers.set('downloads', () => ({
      data: [
        { ...done, id: 'd1', name: 'other.txt', path: `${where}other.txt` },
        { ...done, id: 'd2', name: file, path: where + file },
      ],
    }));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      more(`Save as ${name}`),
      watched,
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^terminal-.*\\.${ending}$`));
    expect(await readFile(await download.path(), 'utf8')).toContain(text);
    await page.getByText(`Saved as ${where}${download.suggestedFilename()}`).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      320,
    );
  });

  it('says where to look when the browser does not report the file', async () => {
    await open();
    await more('Save as plain text');
    await page.getByText('Look into the session’s downloads folder.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
  });

  it('continues a session from the agent’s own list, in a terminal of its own', async () => {
    made.agents = {
      version: 1,
      agents: [
        { kind: 'claude', name: 'Claude Code', installed: true },
        { kind: 'shell', name: 'Shell', installed: true },
      ],
      default: 'shell',
    };
    const first = await open();
    await page.getByRole('button', { name: /^Agent: / }).click();
    await page.getByRole('menuitem', { name: 'Continue a session…' }).click();
    await page.getByRole('button', { name: 'Claude Code’s own list' }).click();
    await tabs().nth(1).waitFor();
    expect(made.starts.at(-1)).toMatchObject({ agent: 'claude', command: '--resume' });
    expect(first.info.state).toBe('live');
  });

  it('continues a session that the agents’ files have, by keys alone', async () => {
    made.chat.past = pastSessions();
    await open();
    await page.getByRole('button', { name: /^Agent: / }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Continue a session…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Continue a session' });
    const rows = dialog.getByRole('listitem');
    // What only the agent knows is not for a terminal.
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      320,
    );
    await page.keyboard.type('nothing like it');
    await dialog.getByText('No session matches.').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('codex shop');
    await expect.poll(() => rows.count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tabs().nth(1).waitFor();
    expect(made.starts.at(-1)).toMatchObject({ agent: 'codex', resume: 'c-1' });
    await dialog.waitFor({ state: 'hidden' });
  });

  it('says why the sessions could not be listed, and why one does not start', async () => {
    made.rooms.routes.set('/chat/past', () => [
      500,
      { error: { code: 'internal', message: 'The disk is on fire.', hint: 'Leave.' } },
    ]);
    await open();
    await page.getByRole('button', { name: /^Agent: / }).click();
    await page.getByRole('menuitem', { name: 'Continue a session…' }).click();
    await page.getByText('The disk is on fire. Leave.').waitFor();
    await page.getByText('No sessions were found on this machine.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    made.rooms.routes.set('/chat/past', () => [200, { sessions: pastSessions() }]);
    made.refuseStart = { code: 'bad_argument', message: 'the folder of this session is gone' };
    await page.getByRole('button', { name: /^Agent: / }).click();
    await page.getByRole('menuitem', { name: 'Continue a session…' }).click();
    await page.getByRole('button', { name: /Why is the cart/ }).click();
    await page.getByText('The folder of this session is gone').waitFor();
  });
});
