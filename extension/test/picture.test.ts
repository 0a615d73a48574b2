import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FakeBackend } from './fakes/backend';
import { backend, launch, openPanel, type FaceOptions } from './fakes/face';
import type { FakeTerminal } from './fakes/terminal';

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
  made.tellsFirst = true;
});
afterEach(async () => {
  await context.close();
  await made.stop();
});

const past = Array.from({ length: 300 }, (_, n) => `line ${String(n)} of a log\r\n`).join('');
const inks = [31, 92, 33, 94, 30, 37, 90, 97].map((n) => `\x1b[${String(n)}mink ${String(n)}`);
/** All that a program draws with. */
const colourful = [
  inks.join(' '),
  '\x1b[0;1;31mbold\x1b[0m \x1b[3mitalic\x1b[0m \x1b[4munderlined\x1b[0m \x1b[9mstruck\x1b[0m',
  '\x1b[2mdim \x1b[32mgreen \x1b[38;5;208mof 256 \x1b[38;2;90;90;90mgrey\x1b[0m',
  '\x1b[7minverse\x1b[0m \x1b[7;34mblue\x1b[0m \x1b[7;1;41mred\x1b[0m \x1b[8mhidden\x1b[0m',
  '\x1b[38;5;17mdark \x1b[38;5;231mlight \x1b[38;5;244mgrey \x1b[38;2;1;2;3mblack\x1b[0m',
  '\x1b[44mground \x1b[31mred on blue\x1b[0m \x1b[48;5;236;38;5;240mgrey on grey\x1b[0m',
  '\x1b[35m╭────────────╮\x1b[0m after a box',
  '│ \x1b[36m✻\x1b[0m 漢字 and 👍 │ after wide ones',
  '  \x1b[4m   \x1b[0m \x1b[43m    \x1b[0m',
  'ünïcode → “quotes” … ●',
].join('\r\n');

/** Prints something with a past, and closes the panel when its picture was told. */
async function closed(options: FaceOptions, text = colourful): Promise<FakeTerminal> {
  const terminal = made.add('t1');
  terminal.print(past + text);
  ({ page, context } = await openPanel(browser, made, options));
  await told(terminal);
  await context.close();
  return terminal;
}

const told = (terminal: FakeTerminal): Promise<void> =>
  terminal.until(() =>
    terminal.controls.some(
      ({ type, offset }) => type === 'picture' && offset === terminal.output.length,
    ),
  );

/** The letters of an element that can be seen: where each stands, and in which colours. */
const letters = (part: string): Promise<(string | number)[][]> =>
  page.locator(part).evaluate((element) => {
    const all: (string | number)[][] = [];
    const clear = 'rgba(0, 0, 0, 0)';
    for (const [row, line] of [...element.children].entries()) {
      const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
        const within = node.parentElement;
        if (within?.classList.contains('xterm-cursor') !== false) continue;
        const { color, backgroundColor, fontWeight, fontStyle, textDecorationLine } =
          getComputedStyle(within);
        const ground = backgroundColor === getComputedStyle(element).backgroundColor;
        const text = node.textContent ?? '';
        let at = 0;
        for (const letter of text) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, (at += letter.length));
          const seen = letter.trim() !== '' || textDecorationLine !== 'none';
          if (letter === '\u200b' || !(seen || backgroundColor !== clear)) continue;
          if (!seen && ground) continue;
          const { x, y, height } = range.getBoundingClientRect();
          const bold = Number(fontWeight === 'bold' ? 700 : fontWeight) >= 600;
          const how = [bold, fontStyle, textDecorationLine].join();
          const colour = seen ? color : '';
          all.push([
            letter.trim(),
            row,
            x,
            y + height / 2,
            how,
            colour,
            ground ? clear : backgroundColor,
          ]);
        }
      }
    }
    return all;
  });

it.each([
  { dark: false, size: 13 },
  { dark: true, size: 13 },
  { dark: true, size: 16 },
])('shows what the last panel showed, to the letter ($dark, $size px)', async ({ dark, size }) => {
  made.settings = { ...made.settings, fontSize: size };
  const terminal = await closed({ dark, width: 620 });
  made.holds = true;
  ({ page, context } = await openPanel(browser, made, { dark, width: 620 }));
  const picture = page.locator('.first-picture');
  await picture.waitFor();
  await page.locator('.xterm-rows').first().waitFor({ state: 'attached' });
  const drawn = await letters('.first-picture');
  made.release();
  await picture.waitFor({ state: 'detached' });
  await page.getByText('ünïcode').first().waitFor();
  const rows = await letters('.terminal-view:not([hidden]) .xterm-rows');

  const plain = ([letter = '', row = 0, , , ...how]: (string | number)[]): string =>
    [letter, row, ...how].join(' ');
  expect(drawn.map(plain)).toEqual(rows.map(plain));
  expect(drawn.length).toBeGreaterThan(300);
  for (const [at, [letter, , x, y]] of drawn.entries()) {
    const [, , itsX, itsY] = rows[at] ?? [];
    expect(Math.abs(Number(itsX) - Number(x)), `${String(letter)} x`).toBeLessThanOrEqual(1);
    expect(Math.abs(Number(itsY) - Number(y)), `${String(letter)} y`).toBeLessThanOrEqual(1);
  }
  expect(terminal.controls.filter(({ type }) => type === 'attach')).toHaveLength(2);
});

it('waits for the place that the browser gives the panel', async () => {
  await closed({});
  made.holds = true;
  ({ page, context } = await openPanel(browser, made, { placeless: true }));
  await page.locator('.xterm-rows').first().waitFor({ state: 'attached' });
  expect(await page.locator('.first-picture').count()).toBe(0);
  await page.evaluate(() => dispatchEvent(new Event('resize')));
  await page.locator('.first-picture', { hasText: 'ünïcode' }).waitFor();
  made.release();
  await page.locator('.first-picture').waitFor({ state: 'detached' });
  await page.locator('.xterm-rows > div', { hasText: 'ünïcode' }).waitFor();
  await context.close();

  // The terminal was there first.
  ({ page, context } = await openPanel(browser, made, { placeless: true }));
  await page.locator('.xterm-rows > div', { hasText: 'ünïcode' }).waitFor();
  await page.evaluate(() => dispatchEvent(new Event('resize')));
  expect(await page.locator('.first-picture').count()).toBe(0);
});

it('shows none when something was written since, in another size, or of what it cannot read', async () => {
  const none = async (options: FaceOptions): Promise<void> => {
    ({ page, context } = await openPanel(browser, made, options));
    await page.locator('.xterm-rows > div', { hasText: 'ünïcode' }).waitFor();
    expect(await page.locator('.first-picture').count()).toBe(0);
    await context.close();
  };
  // Each look tells a picture of its own.
  const terminal = await closed({ width: 400 });
  await none({ width: 420 });
  await closedAgain(terminal, { width: 400 });
  await none({ width: 400, dark: true });
  await closedAgain(terminal, { width: 400 });
  terminal.print(' and more');
  await none({ width: 400 });
  terminal.controls.push({
    type: 'picture',
    epoch: terminal.info.epoch,
    offset: terminal.output.length,
    data: '{"lines":[[["<img src=x>"]]]}',
  });
  await none({ width: 400 });
});

async function closedAgain(terminal: FakeTerminal, options: FaceOptions): Promise<void> {
  terminal.controls.length = 0;
  ({ page, context } = await openPanel(browser, made, options));
  await told(terminal);
  await context.close();
}
