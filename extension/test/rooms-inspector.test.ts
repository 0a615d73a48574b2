import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandReply, CommandRequest } from '$ui/protocol/protocol';
import type { FakeBackend } from './fakes/backend';
import { accessible } from '../../frontend/test/face/violations';
import { backend, openPanel } from './fakes/face';
import { furnishInspector, type FakeElement } from './inspector-states';

let made: FakeBackend;
let page: Page;
let at: FakeElement;

const button = (name: string) => page.getByRole('button', { name, exact: true });
/** The commands that the room ran, without the reading ones. */
const ran = (): string[] =>
  made.rooms.commands
    .filter(({ command, args }) => command !== 'details' && args?.['history'] !== true)
    .map(({ command, args }) => `${command} ${JSON.stringify(args)}`);
const last = (): string => ran().at(-1) ?? '';
const reads = (): number =>
  made.rooms.commands.filter(({ command }) => command === 'details').length;

/** What the picker answers; a promise that never ends is a user who does not pick. */
let picked: () => Promise<Partial<CommandReply>>;

async function pick(): Promise<void> {
  await button('Pick an element').click();
  await page.getByText('1 match', { exact: true }).waitFor();
}

describe('the room Inspector', () => {
  beforeEach(async () => {
    made = await backend();
    at = furnishInspector(made);
    page = await openPanel(made, { width: 320, face: 'terminal' });
    picked = () =>
      Promise.resolve({ ok: true, data: { url: '', element: { ref: 'e5', role: 'button' } } });
    await page.route('**/command', async (route) => {
      const { command } = route.request().postDataJSON() as CommandRequest;
      if (command !== 'pick') return route.fallback();
      const json = { text: '', durationMs: 1, ...(await picked()) };
      await route.fulfill({ json }).catch(() => undefined); // the panel gave up
    });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Inspector' }).click();
    await button('Pick').waitFor();
  });

  it('picks an element and shows what is known of it', async () => {
    picked = () => new Promise(() => undefined);
    await button('Pick').click();
    await page.getByText('Click an element of the page. Escape gives up.').waitFor();
    await page.keyboard.press('Escape');
    await button('Pick').waitFor();
    picked = () => Promise.resolve({ ok: false, error: { code: 'timeout', message: 'too late' } });
    await button('Pick').click();
    await page.getByText('Nothing was picked in time.').waitFor();
    picked = () => Promise.resolve({ ok: true, data: { url: '' } }); // Escape in the page
    await button('Pick').click();
    await button('Pick').waitFor();
    picked = () =>
      Promise.resolve({ ok: true, data: { url: '', element: { ref: 'e5', role: 'button' } } });
    await pick();
    for (const text of [
      '12 matches',
      'e5, frame f2, closed shadow root',
      '0,1,0',
      '_box.scss:7',
      '@layer base',
      'Inherited from ancestor 1',
      'Contrast 4.08 (fails AA, which needs 4.5)',
      'in main › region Basket',
      'without a name',
    ])
      expect(await page.getByText(text).count(), text).toBeGreaterThan(0);
    await page
      .getByRole('img', { name: /^Box: margin 4 5 4 5, border 2 2 2 2.*content 200 × 34/ })
      .waitFor();
    // The direction mark of the page's text is not there.
    expect(await page.getByRole('tabpanel', { name: 'Inspector' }).innerText()).not.toContain(
      '\u202e',
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await button('main#content.wide-layout-of-the-page').click();
    await expect.poll(() => made.rooms.commands.at(-1)?.args).toEqual({ element: 'e22' });
    await button('Parent').click();
    await expect
      .poll(() => made.rooms.commands.at(-1)?.args)
      .toEqual({ element: 'e5', step: 'parent' });
    expect(await button('Child').isDisabled()).toBe(true);
    await page.getByLabel('Rules of the browser').check();
    await page.getByText('block', { exact: true }).waitFor();
    await page.getByText('Computed', { exact: true }).click();
    await page.getByLabel('Filter computed values').fill('nothing');
    await page.getByText('No value passes the filter.').waitFor();
    await button('Copy #card').click();
    await page.getByText('Copied').waitFor();
  });

  it('edits rules in place', async () => {
    await pick();
    const value = button('Value of width: 200px');
    await value.click();
    await page.getByLabel('Value of width').fill('300px');
    await page.keyboard.press('Escape');
    await value.waitFor();
    expect(ran().filter((one) => one.startsWith('edit'))).toEqual([]);
    await value.press('Enter');
    await page.getByLabel('Value of width').fill('300px');
    await page.keyboard.press('Enter');
    const edit = (args: Record<string, unknown>): Promise<void> =>
      expect.poll(last).toBe(`edit ${JSON.stringify({ element: 'e5', ...args })}`);
    await edit({ what: 'style', rule: 'k1', index: 0, value: '300px' });
    await value.waitFor();
    await button('Property: width').click();
    await page.getByRole('textbox', { name: 'Property' }).fill('min-width');
    await page.keyboard.press('Enter');
    await edit({ what: 'style', rule: 'k1', index: 0, name: 'min-width' });
    await page.getByLabel('width on', { exact: true }).uncheck();
    await edit({ what: 'style', rule: 'k1', index: 0, off: true });
    await page.getByLabel('margin on', { exact: true }).check();
    await edit({ what: 'style', rule: 'k1', index: 3, on: true });
    await button('Remove top').click();
    await edit({ what: 'style', index: 0, remove: true });
    await button('Add a declaration to .box').click();
    await page.getByLabel('New declaration in .box').fill('color: tomato');
    await page.keyboard.press('Enter');
    await edit({ what: 'style', rule: 'k1', name: 'color', value: 'tomato' });
    await button('Add a declaration to main').click();
    await page.keyboard.press('Escape');
    await button('Add a declaration to main').waitFor();
    // What the browser refuses stays open, with the reason.
    made.rooms.answers.set('edit', () => ({
      ok: false,
      error: { code: 'bad_argument', message: 'the browser does not understand width: x' },
    }));
    await value.click();
    await page.getByLabel('Value of width').fill('x');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not understand width: x').waitFor();
    expect(await page.getByLabel('Value of width').inputValue()).toBe('x');
  });

  it('edits attributes, classes and text, and forces states', async () => {
    await pick();
    const edit = (args: Record<string, unknown>): Promise<void> =>
      expect.poll(last).toBe(`edit ${JSON.stringify({ element: 'e5', ...args })}`);
    await page.getByLabel('Add a class').fill('wide');
    await page.keyboard.press('Enter');
    await edit({ what: 'class', name: 'wide' });
    await button('Remove the class card').click();
    await edit({ what: 'class', name: 'card', remove: true });
    await page.getByRole('button', { name: /^Value of title/ }).click();
    await page.getByLabel('Value of title').fill('Other');
    await page.keyboard.press('Enter');
    await edit({ what: 'attribute', name: 'title', value: 'Other' });
    expect(await page.getByRole('button', { name: /^Value of value/ }).isDisabled()).toBe(true);
    await button('Remove the attribute title').click();
    await edit({ what: 'attribute', name: 'title', remove: true });
    await page.getByLabel('Add an attribute').fill('data-x="1 2"');
    await page.keyboard.press('Enter');
    await edit({ what: 'attribute', name: 'data-x', value: '1 2' });
    await button('Text: Text of it').click();
    await page.getByLabel('Text', { exact: true }).fill('New');
    await page.keyboard.press('Enter');
    await edit({ what: 'text', value: 'New' });
    await button(':hover').click();
    await expect.poll(last).toBe('force {"element":"e5","states":"hover"}');
    at.details = { ...at.details, states: ['hover'] };
    await button('Read again').click();
    await expect.poll(() => button(':hover').getAttribute('aria-pressed')).toBe('true');
    await button(':hover').click();
    await expect.poll(last).toBe('force {"element":"e5","states":"none"}');
    for (const [name, args] of [
      ['Dark', { scheme: 'dark' }],
      ['Print', { media: 'print' }],
      ['Reduced motion', { motion: 'reduce' }],
    ] as const) {
      at.emulation = args;
      await button(name).click();
      await expect.poll(last).toBe(`emulate ${JSON.stringify(args)}`);
      await expect.poll(() => button(name).getAttribute('aria-pressed')).toBe('true');
    }
    await page.getByLabel('Page size').selectOption('Phone 390 × 844');
    await expect.poll(last).toBe('viewport {"size":"390x844"}');
    for (const [name, to] of [
      ['Tablet 820 × 1180', { size: '820x1180' }],
      ['Laptop 1366 × 768', { size: '1366x768' }],
      ['Own size', { reset: true }],
    ] as const) {
      await page.getByLabel('Page size').selectOption(name);
      await expect.poll(last).toBe(`viewport ${JSON.stringify(to)}`);
    }
  });

  it('keeps the focus beside what was removed, and shows what is in force after a refusal', async () => {
    await pick();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    at.details = {
      ...at.details,
      rules: at.details.rules.map((rule) => ({
        ...rule,
        declarations: rule.declarations.filter(({ name }) => name !== 'color'),
      })),
      attributes: [{ name: 'class', value: 'box' }],
    };
    await button('Remove color').press('Enter');
    await expect.poll(focused).toBe('Add a declaration to .box');
    await page.keyboard.press('Enter');
    await page.getByLabel('New declaration in .box').fill('color: tomato');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Add a declaration to .box');
    made.rooms.answers.set('viewport', () => ({
      ok: false,
      error: { code: 'gone', message: 'the tab is gone' },
    }));
    await page.getByLabel('Page size').selectOption('Phone 390 × 844');
    await page.getByText('the tab is gone').waitFor();
    expect(await page.getByLabel('Page size').inputValue()).toBe('');
    made.rooms.answers.set('edit', () => ({
      ok: false,
      error: { code: 'bad_argument', message: 'no such rule' },
    }));
    await page.getByLabel('width on', { exact: true }).click();
    await page.getByRole('alert').getByText('no such rule').waitFor();
    await expect.poll(() => page.getByLabel('width on', { exact: true }).isChecked()).toBe(true);
  });

  it('leaves the user where they went while an edit was saved', async () => {
    await pick();
    let release: () => void = () => undefined;
    let held = new Promise<void>((go) => (release = go));
    await page.route('**/command', async (route) => {
      if (route.request().postData()?.includes('"edit"') === true) await held;
      await route.continue();
    });
    await button('Value of width: 200px').click();
    await page.getByLabel('Value of width').fill('300px');
    await page.keyboard.press('Enter');
    await page.getByLabel('Add a class').focus();
    release();
    await button('Value of width: 200px').waitFor();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.getByLabel('Add a class').evaluate((one) => one.matches(':focus'))).toBe(
      true,
    );
    held = new Promise<void>((go) => (release = go));
    await button('Add a declaration to .box').click();
    await page.getByLabel('New declaration in .box').fill('color: tomato');
    await page.keyboard.press('Enter');
    await button('Add a declaration to main').click();
    await page.getByLabel('New declaration in main').fill('top: 0');
    const read = page.waitForResponse(
      (one) => one.request().postData()?.includes('"details"') === true,
    );
    release();
    await (await read).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.getByLabel('New declaration in main').inputValue()).toBe('top: 0');
    await page.keyboard.press('Enter');
    await expect
      .poll(last)
      .toBe('edit {"element":"e5","what":"style","rule":"k3","name":"top","value":"0"}');
  });

  it('undoes, sends what was ticked, and says what is stale', async () => {
    await pick();
    expect(await button('Undo').isDisabled()).toBe(true);
    at.edits = {
      url: 'https://shop.example/',
      edits: [
        {
          number: 1,
          what: 'style',
          element: 'div',
          ref: 'e5',
          selector: '.box',
          before: 'width: 1px',
          after: 'width: 2px',
        },
        {
          number: 2,
          what: 'class',
          element: 'div',
          ref: 'e5',
          before: '',
          after: 'class="a"',
          undone: true,
        },
      ],
      diff: '/* scss/_box.scss:7 */\n .box {\n-  width: 1px;\n+  width: 2px;\n }',
    };
    made.rooms.feed('inspector', { index: 1, kind: 'edited', tab: 't1' });
    await page
      .getByRole('list', { name: 'History' })
      .getByText('width: 1px → width: 2px')
      .waitFor();
    await button('Undo').click();
    await expect.poll(last).toBe('edit {"undo":true}');
    await button('Redo').click();
    await expect.poll(last).toBe('edit {"redo":true}');
    await button('Undo all').click();
    await expect.poll(last).toBe('edit {"undo":true,"all":true}');
    await button('Parent').focus();
    await page.keyboard.press('Control+z');
    await expect.poll(last).toBe('edit {"undo":true}');
    await page.keyboard.press('Control+Shift+Z');
    await expect.poll(last).toBe('edit {"redo":true}');
    await button('Copy the diff').click();
    await page.getByText('Copied').waitFor();
    for (const name of ['Selectors', 'Rules', 'Accessibility'])
      await page.getByLabel(`Send ${name}`, { exact: true }).uncheck();
    await page.getByLabel('Send Colours').check();
    await button('Send to agent').click();
    const terminal = made.first;
    if (terminal === undefined) throw new Error('no terminal was started');
    await page.getByRole('button', { name: 'Paste', exact: true }).click();
    await terminal.until(() => terminal.input.toString().includes('_box.scss:7'));
    const sent = terminal.input.toString();
    for (const there of [
      'e5 div#card.box.card',
      '4.08 (fails AA',
      '+  width: 2px;',
      'https://shop.example',
    ])
      expect(sent).toContain(there);
    for (const missing of ['#card (1)', 'Listeners', 'role generic'])
      expect(sent).not.toContain(missing);

    made.rooms.feed('inspector', { index: 2, kind: 'changed', tab: 't1', about: 'styles' });
    await page.getByText('The page changed: what is shown may be old.').waitFor();
    const before = reads();
    await button('Refresh').click();
    await page.getByText('The page changed').waitFor({ state: 'detached' });
    expect(reads()).toBe(before + 1);
    made.rooms.feed('inspector', { index: 3, kind: 'gone', tab: 't1' }, { kind: 'unheard of' });
    await page.getByText('The element is not on the page any more.').waitFor();
    made.rooms.answers.set('details', () => ({
      ok: false,
      error: { code: 'no_element', message: 'e5 was not found' },
    }));
    await button('Read again').click();
    await page.getByRole('alert').getByText('e5 was not found').waitFor();
    made.rooms.answers.set('details', () => ({ data: { odd: true } }));
    await button('Read again').click();
    await page.getByRole('alert').getByText('cannot be read').waitFor();
  });

  it('keeps nothing when it is closed', async () => {
    await pick();
    await button('Close the drawer').click();
    await expect.poll(() => made.rooms.followed).not.toContain('inspector');
    await page.getByRole('tab', { name: 'Inspector' }).click();
    await button('Pick').waitFor();
    await expect.poll(() => made.rooms.followed).toContain('inspector');
  });

  it('is accessible in light and dark', async () => {
    await pick();
    await accessible(page);
  });
});
