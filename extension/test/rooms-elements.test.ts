import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PickRequest } from '$ui/protocol/protocol';
import { fillActivity } from './activity-states';
import { elementsStates, furnish, snapshot } from './elements-states';
import type { FakeBackend } from './fakes/backend';
import { accessible } from '../../frontend/test/face/violations';
import { backend, openPanel, picture } from './fakes/face';
import { furnishInspector } from './inspector-states';
import { take } from './states';

let made: FakeBackend;
let page: Page;

const option = (ref: string) => page.locator(`[role=option]#element-${ref}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const listbox = () => page.getByRole('listbox', { name: 'Elements of the page' });
/** What the room wanted to be drawn on the page. */
const drawn = (): string[] =>
  made.chat.asked.flatMap(({ path, body }) => {
    const { action, ref, on } = body as PickRequest;
    return path === '/inspector/pick' ? [`${action} ${ref ?? String(on)}`] : [];
  });
const ran = () =>
  made.rooms.commands.map(({ command, args }) =>
    [command, ...Object.values(args ?? {})].map(String).join(' '),
  );

describe('the room Elements', () => {
  beforeEach(async () => {
    made = await backend();
    furnish(made);
    page = await openPanel(made, { width: 320, face: 'terminal' });
    await page.getByText('Live', { exact: true }).waitFor();
    await made.first?.draw('\x1b[?2004h');
    await page.getByRole('tab', { name: 'Elements' }).click();
    await option('e1').waitFor();
  });

  it('lists what can be acted on and follows the page', async () => {
    await page.getByText('6 elements', { exact: true }).waitFor();
    expect(await page.locator('.list [role=option]').count()).toBe(6);
    // Text of the page cannot change the direction of other text.
    // The list shows a row when it has measured it; until then the row has no inner text.
    await expect.poll(() => option('f1e1').innerText()).toMatch(/Pay now$/);
    await expect.poll(() => option('e3').innerText()).toContain('Address');
    made.rooms.feed(
      'elements',
      { kind: 'put', after: 'e1', element: { ref: 'e9', role: 'button', name: 'New' } },
      { kind: 'gone', ref: 'e3' },
      { kind: 'nothing that is known' },
    );
    await option('e9').waitFor();
    await expect
      .poll(() => page.locator('.list [role=option]').nth(1).innerText())
      .toContain('New');
    await option('e3').waitFor({ state: 'detached' });
    made.rooms.feed('elements', {
      kind: 'failed',
      error: { code: 'dialog', message: 'the page shows a dialog' },
    });
    await page.getByText('Not current: the page shows a dialog').waitFor();
    made.rooms.feed('elements', { kind: 'page', url: '/', title: '', more: 40 });
    await page.getByText('6 elements, 40 more on the page are not listed').waitFor();
    made.rooms.feed('elements', { kind: 'new', url: '/b', title: '' });
    await page.getByText('Nothing on this page can be acted on.').waitFor();
    // A closed room follows nothing, and nothing remains on the page.
    await button('Close the drawer').click();
    await expect.poll(() => made.rooms.followed).not.toContain('elements');
  });

  it('does every action that is pressed, also while another one is on its way', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((go) => (release = go));
    await page.route('**/command', async (route) => {
      const { command } = route.request().postDataJSON() as { command: string };
      if (command === 'click') await held;
      await route.continue();
    });
    await option('e5').click();
    await button('Click').click();
    await page.getByText('Working…').waitFor();
    await button('Hover').click();
    await expect.poll(ran).toContain('hover e5');
    release();
    await expect.poll(ran).toContain('click e5');
    await page.getByText('Working…').waitFor({ state: 'detached' });
  });

  it('is filtered by text and by role', async () => {
    await page.getByLabel('Filter elements').fill('save pay');
    await page.getByText('1 of 6 elements').waitFor();
    await expect.poll(() => page.locator('.list [role=option]').innerText()).toContain('Payment');
    await page.getByLabel('Filter elements').fill('nothing like it');
    await page.getByText('No element passes the filter.').waitFor();
    await page.getByLabel('Filter elements').fill('');
    await page.getByLabel('Role').selectOption({ label: 'button (3)' });
    await page.getByText('3 of 6 elements').waitFor();
  });

  it('points at elements with the pointer', async () => {
    await option('e3').hover();
    await expect.poll(() => drawn().at(-1)).toBe('highlight e3');
    await page.getByLabel('Filter elements').hover();
    await expect.poll(() => drawn().at(-1)).toBe('highlight ');
    await option('e5').click();
    await expect.poll(() => drawn()).toContain('scroll e5');
    expect(await option('e5').getAttribute('aria-selected')).toBe('true');
    await button('Show the refs on the page').click();
    await expect.poll(() => drawn()).toContain('badges true');
    // Another document has none, and gets them again.
    made.rooms.feed('elements', { kind: 'new', url: '/b', title: '' });
    await expect.poll(() => drawn().filter((one) => one === 'badges true')).toHaveLength(2);
    await button('Show the refs on the page').click();
    await expect.poll(() => drawn()).toContain('badges false');
    await page.route('**/inspector/pick', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { code: 'dialog', message: 'The page shows a dialog.' } },
      }),
    );
    await button('Show the refs on the page').click();
    await page.getByText('The page shows a dialog.').waitFor();
    expect(await button('Show the refs on the page').getAttribute('aria-pressed')).toBe('false');
  });

  it('acts on an element by its buttons', async () => {
    await option('e2').click();
    for (const [name, said] of [
      ['Click', 'Clicked e2'],
      ['Hover', 'Hovers e2'],
      ['Focus', 'Focused e2'],
      ['Copy the ref (y)', 'Copied e2'],
    ] as const) {
      await button(name).click();
      await page.getByText(said, { exact: true }).waitFor();
    }
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('e2');
    await page.getByLabel('Text for e2').fill('Ada');
    await button('Fill').click();
    await page.getByText('Filled e2', { exact: true }).waitFor();
    expect(ran()).toEqual(['click e2', 'hover e2', 'focus e2', 'fill e2 Ada']);
    await button('Send to the agent (s)').click();
    await page.getByText('Pasted into the terminal').waitFor();
    // Only a field can be filled.
    await option('e3').click();
    expect(await button('Fill').count()).toBe(0);
    made.rooms.answers.set('click', () => ({
      ok: false,
      error: { code: 'covered', message: 'e3 is covered by a banner.' },
    }));
    await button('Click').click();
    await page.getByText('e3 is covered by a banner.').waitFor();
    made.rooms.feed('elements', { kind: 'gone', ref: 'e3' });
    await page.getByText('e3 is not on the page any more.').waitFor();
    expect(await button('Click').isDisabled()).toBe(true);
    await expect.poll(() => option('e3').innerText()).toContain('gone');
    await option('e2').click();
    await option('e3').waitFor({ state: 'detached' });
    await button('Send to the agent (s)').click();
    await page.getByText('Pasted into the terminal').waitFor();
    await made.first?.until(
      () =>
        made.first?.input.toString().includes('e2 searchbox "Search" [focused] ="pilot"') === true,
    );
  });

  it('opens at a ref that another room names', async () => {
    const did = fillActivity(made);
    did.add(
      { command: 'click', tab: 't1', args: { target: 'e4' }, summary: 'the fourth', durationMs: 1 },
      { command: 'click', tab: 't1', args: { target: 'e77' }, summary: 'the lost', durationMs: 1 },
    );
    await button('Use the full panel').click();
    for (const ref of ['e4', 'e77']) {
      await page.getByRole('tab', { name: 'Activity' }).click();
      await page.locator('[data-row]').filter({ hasText: ref }).last().click();
      await button(`Show ${ref} in Elements`).click();
      if (ref === 'e4') {
        await page.locator('#element-e4[aria-selected=true]').waitFor();
        await expect.poll(() => drawn()).toContain('scroll e4');
      } else await page.getByText('e77 is not on the page any more.').waitFor();
    }
  });

  it('looks for a ref of another tab in that tab only', async () => {
    const did = fillActivity(made);
    did.add({ command: 'click', tab: 't2', args: { target: 'e4' }, summary: 'the other' });
    await button('Use the full panel').click();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.locator('[data-row]').filter({ hasText: 'e4' }).last().click();
    // The browser shows the tab later than the panel shows the room.
    await page.evaluate(() => {
      chrome.tabs.update = () => new Promise(() => undefined);
    });
    await button('Show e4 in Elements').click();
    await option('e1').waitFor(); // the list of t1
    expect(await page.locator('[aria-selected=true][role=option]').count()).toBe(0);
    await page.evaluate(() => {
      globalThis.fakeChrome.activate(12);
    });
    await page.locator('#element-e4[aria-selected=true]').waitFor();
    const at = () =>
      made.chat.asked.flatMap(({ path, body }) =>
        path === '/inspector/pick' && (body as PickRequest).action === 'scroll'
          ? [(body as PickRequest).tab]
          : [],
      );
    await expect.poll(at).toEqual(['t2']);
    // A tab that is closed has no elements any more.
    did.add({ command: 'click', tab: 't9', args: { target: 'e5' } });
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.locator('[data-row]').filter({ hasText: 'e5' }).last().click();
    await button('Show e5 in Elements').click();
    await page.getByText('The tab of this element is closed.').waitFor();
  });

  it('opens the Inspector at an element, by its button and by a key', async () => {
    furnishInspector(made);
    const inspected = (): string[] =>
      ran().filter((one) => one.startsWith('details') || one.startsWith('inspect'));
    await option('e2').click();
    await button('Open in the Inspector (i)').click();
    await page.locator('[role=tab][aria-selected=true]', { hasText: 'Inspector' }).waitFor();
    await expect.poll(inspected).toEqual(['details e2']);
    await page.getByRole('tab', { name: 'Elements' }).click();
    await option('e3').click();
    await listbox().press('i');
    await page.locator('[role=tab][aria-selected=true]', { hasText: 'Inspector' }).waitFor();
    await expect.poll(() => inspected().at(-1)).toBe('details e3');
  });

  it('is operated by keyboard', async () => {
    await page.getByLabel('Filter elements').focus();
    await page.keyboard.press('ArrowDown');
    expect(await listbox().evaluate((el) => el === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => drawn().at(-1)).toBe('highlight e2');
    expect(await listbox().getAttribute('aria-activedescendant')).toBe('element-e2');
    await page.keyboard.press('Enter');
    await expect.poll(() => drawn().at(-1)).toBe('scroll e2');
    for (const [key, said] of [
      ['c', 'Clicked e2'],
      ['h', 'Hovers e2'],
      ['o', 'Focused e2'],
      ['y', 'Copied e2'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByText(said, { exact: true }).waitFor();
    }
    await page.keyboard.press('f');
    await page.keyboard.type('x');
    await page.keyboard.press('Enter');
    await page.getByText('Filled e2', { exact: true }).waitFor();
    expect(ran()).toEqual(['click e2', 'hover e2', 'focus e2', 'fill e2 x']);
    await listbox().focus();
    await page.keyboard.press('s');
    await page.getByText('Pasted into the terminal').waitFor();
    await listbox().focus();
    await page.keyboard.press('/');
    expect(await page.getByLabel('Filter elements').inputValue()).toBe('');
    await page.keyboard.type('save');
    await page.getByText('2 of 6 elements').waitFor();
    // What has no highlight of a row that the list has left.
    await expect.poll(() => drawn().at(-1)).toBe('highlight ');
  });

  it('shows the text that an agent gets, with its size', async () => {
    await button('Show the text that an agent gets').click();
    const n = snapshot.length;
    await page
      .getByText(`${String(n)} characters, about ${String(Math.ceil(n / 4))} tokens`)
      .waitFor();
    expect(await page.getByLabel('Text that an agent gets', { exact: true }).textContent()).toBe(
      snapshot,
    );
    await button('Copy the text').click();
    await page.getByText('Copied,').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(snapshot);
    await button('Send the text to the agent').click();
    await page.getByText('Pasted into the terminal').waitFor();
    await page.getByLabel('Interactive').check();
    await page.getByText('8 characters, about 2 tokens').waitFor();
    made.rooms.answers.set('snapshot', () => ({
      ok: false,
      error: { code: 'crashed', message: 'The page crashed.' },
    }));
    await button('Read again').click();
    await page.getByText('The page crashed.').waitFor();
    expect(await button('Copy the text').isDisabled()).toBe(true);
    await button('Show the text that an agent gets').click();
    await option('e1').waitFor();
  });
});

describe.each(elementsStates)('$name', (state) => {
  it('has no fault for axe at 320 px, and nothing overflows', async () => {
    const shown = await take(state);
    await accessible(shown, {
      parts: ['.drawer'],
      also: async (scheme) => {
        await picture(shown, `${state.name}-${scheme}`);
        const wide = await shown.evaluate(() =>
          [...document.querySelectorAll('.drawer, .tools, .list, .actions, .bar')]
            .filter((el) => el.scrollWidth > el.clientWidth + 1)
            .map((el) => el.className),
        );
        expect(wide).toEqual([]);
      },
    });
  });
});
