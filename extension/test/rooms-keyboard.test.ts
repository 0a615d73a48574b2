import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { fillActivity } from './activity-states';
import { furnish } from './elements-states';
import type { FakeBackend } from './fakes/backend';
import { backend, openPanel } from './fakes/face';
import { furnishInspector } from './inspector-states';
import { line, shop } from './network-kit';

// Every control of every room is reached with the keyboard, shows its focus, and is
// left again.

let made: FakeBackend;
let page: Page;

beforeEach(async () => {
  made = await backend();
  fillActivity(made);
  furnish(made);
  made.rooms.feed('network', ...shop);
  made.rooms.feed('console', line(1), line(2, { level: 'error', text: 'It failed' }));
  page = await openPanel(made, { width: 320, face: 'terminal' });
});

/** What the keyboard finds in the drawer, and what it cannot reach. */
interface Walk {
  readonly missed: string[];
  readonly unseen: string[];
}

/**
 * Notes each element of the drawer that gets the focus, and at the end compares them with
 * what can be pressed there.
 */
function watch(): void {
  const reached = new Set<Element>();
  const unseen = new Set<string>();
  let comparing = false;
  const shown = (one: Element) =>
    `${one.tagName.toLowerCase()} ${one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 40)}`;
  // What one stop of the Tab key stands for: its parts are reached with the arrows.
  const composite =
    '[role=tablist], [role=listbox], [role=toolbar], [role=grid], [role=tree], [role=radiogroup], [role=log], [role=feed]';
  const drawer = document.querySelector('.drawer');
  if (drawer === null) throw new Error('there is no drawer');
  const over = new AbortController();
  const noted = ({ target }: Event): void => {
    if (!(target instanceof HTMLElement) || comparing) return;
    comparing = true;
    reached.add(target);
    const look = (): string => {
      const { outlineStyle, boxShadow, borderColor, backgroundColor } = getComputedStyle(target);
      return [outlineStyle, boxShadow, borderColor, backgroundColor].join();
    };
    const focused = look();
    target.blur();
    const same = focused === look();
    target.focus();
    comparing = false;
    // A field has its cursor; what is inside a composite may be marked by its selection.
    if (same && !target.matches('input, textarea, [role=log]')) unseen.add(shown(target));
  };
  drawer.addEventListener('focusin', noted, { signal: over.signal });
  Object.assign(globalThis, {
    walked: (): Walk => {
      over.abort(); // it takes the focus away and gives it back, which ends what is being edited
      const all = [
        ...drawer.querySelectorAll('button, a[href], input, select, textarea, summary, [tabindex]'),
      ].filter(
        (one) =>
          one.checkVisibility({ visibilityProperty: true }) &&
          !one.matches(':disabled, [popover] *'),
      );
      const missed = all.filter((one) => {
        if (reached.has(one)) return false;
        const group = one.closest(composite);
        return group === null || ![...reached].some((other) => group.contains(other));
      });
      return { missed: missed.map(shown), unseen: [...unseen] };
    },
  });
}

/** Opens a room with the keyboard. */
async function open(name: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('tab', { name: new RegExp(`^${name}`) }).press('Enter');
  await page.getByRole('tabpanel', { name }).waitFor();
}

/** Walks through the drawer with the Tab key, and says what was missed. */
async function walk(most = 100): Promise<Walk> {
  await page.evaluate(watch);
  await page.getByRole('separator', { name: 'Height of the drawer' }).focus();
  const inside = () => page.evaluate(() => document.activeElement?.closest('.drawer') !== null);
  let steps = 0;
  do {
    await page.keyboard.press('Tab');
    steps += 1;
  } while (steps < most && (await inside()));
  expect(steps).toBeLessThan(most);
  return page.evaluate(() => (globalThis as unknown as { walked: () => Walk }).walked());
}

it.each([
  ['Activity', '[data-row="12"]'],
  ['Elements', '#element-e1'],
  ['Network', '[role=option]:has-text("cart")'],
  ['Console', '.line:has-text("It failed")'],
])('the room %s is worked with the keyboard alone', async (name, content) => {
  await open(name);
  // A room is loaded when it is first opened, and its controls are off while it is empty.
  await page.locator(content).waitFor();
  expect(await walk()).toEqual({ missed: [], unseen: [] });
});

it('the room Inspector is worked with the keyboard alone', async () => {
  const at = furnishInspector(made);
  at.edits = {
    url: 'https://shop.example/',
    edits: [1, 2].map((number) => ({
      number,
      what: 'style',
      element: 'div',
      ref: 'e5',
      selector: '.box',
      before: 'width: 1px',
      after: 'width: 2px',
      ...(number === 2 && { undone: true }),
    })),
    diff: '/* _box.scss:7 */',
  };
  made.rooms.answers.set('pick', () => ({
    data: { url: '', element: { ref: 'e5', role: 'button' } },
  }));
  const press = (name: string, key = 'Enter') =>
    page.getByRole('button', { name, exact: true }).press(key);
  const type = async (field: string, text: string) => {
    await page.getByLabel(field, { exact: true }).focus();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  const ran = async (command: string, args: Record<string, unknown>) => {
    await expect
      .poll(() =>
        made.rooms.commands
          .filter((one) => one.args?.['history'] !== true && one.command !== 'details')
          .at(-1),
      )
      .toMatchObject({ command, args });
  };
  await open('Inspector');
  // A key does nothing on a button that is off, as this one is until the tab is known.
  const pick = page.getByRole('button', { name: 'Pick', exact: true });
  await expect.poll(() => pick.isEnabled()).toBe(true);
  await press('Pick');
  await page.getByText('1 match', { exact: true }).waitFor();
  // Everything is open, so that the walk meets what the sections hold.
  for (const summary of await page.locator('.drawer summary').all()) {
    const closed = await summary.evaluate(
      (one) => one.parentElement?.hasAttribute('open') === false,
    );
    if (closed) await summary.press('Enter');
  }
  await page.getByRole('list', { name: 'History' }).waitFor();
  expect(await walk(200)).toEqual({ missed: [], unseen: [] });

  await press('Value of width: 200px'); // which selects the value
  await page.keyboard.type('300px');
  await page.keyboard.press('Enter');
  await ran('edit', { what: 'style', rule: 'k1', index: 0, value: '300px' });
  // The focus stays where the value is.
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toMatch(/^Value of width/);
  await page.getByLabel('width on', { exact: true }).press('Space');
  await ran('edit', { what: 'style', rule: 'k1', index: 0, off: true });
  await press('Add a declaration to .box');
  await page.keyboard.type('color: tomato');
  await page.keyboard.press('Enter');
  await ran('edit', { what: 'style', rule: 'k1', name: 'color', value: 'tomato' });
  await type('Add a class', 'wide');
  await ran('edit', { what: 'class', name: 'wide' });
  await press('Remove the class card', 'Space');
  await ran('edit', { what: 'class', name: 'card', remove: true });
  await press(':hover', 'Space');
  await ran('force', { element: 'e5', states: 'hover' });
  await press('Dark', 'Space');
  await ran('emulate', { scheme: 'dark' });
  await page.getByLabel('Page size').focus();
  await page.keyboard.press('P');
  await ran('viewport', { size: '390x844' });
  await press('Undo');
  await ran('edit', { undo: true });
  await press('Redo');
  await ran('edit', { redo: true });
  await press('Parent');
  await expect
    .poll(() => made.rooms.commands.at(-1)?.args)
    .toEqual({ element: 'e5', step: 'parent' });
  await page.getByLabel('Send Selectors', { exact: true }).press('Space');
  expect(await page.getByLabel('Send Selectors', { exact: true }).isChecked()).toBe(false);
  await press('Send to agent');
  await press('Paste');
  const terminal = made.first;
  if (terminal === undefined) throw new Error('no terminal was started');
  await terminal.until(() => terminal.input.toString().includes('_box.scss:7'));
  expect(terminal.input.toString()).not.toContain('#card (1)');
});
