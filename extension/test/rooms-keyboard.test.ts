import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { fillActivity } from './activity-states';
import { furnish } from './elements-states';
import type { FakeBackend } from './fakes/backend';
import { backend, launch, openPanel } from './fakes/face';
import { line, shop } from './network-kit';

// Every control of every room is reached with the keyboard, shows its focus, and is
// left again.

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
  fillActivity(made);
  furnish(made);
  made.rooms.feed('network', ...shop);
  made.rooms.feed('console', line(1), line(2, { level: 'error', text: 'It failed' }));
  ({ page, context } = await openPanel(browser, made, { width: 320, face: 'terminal' }));
});
afterEach(async () => {
  await context.close();
  await made.stop();
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
  drawer.addEventListener('focusin', ({ target }) => {
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
  });
  Object.assign(globalThis, {
    walked: (): Walk => {
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

it.each(['Activity', 'Elements', 'Network', 'Console'])(
  'the room %s is worked with the keyboard alone',
  async (name) => {
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('tab', { name: new RegExp(`^${name}`) }).press('Enter');
    await page.getByRole('tabpanel', { name }).waitFor();
    await page.evaluate(watch);
    await page.getByRole('separator', { name: 'Height of the drawer' }).focus();
    const inside = () => page.evaluate(() => document.activeElement?.closest('.drawer') !== null);
    let steps = 0;
    do {
      await page.keyboard.press('Tab');
      steps += 1;
    } while (steps < 100 && (await inside()));
    expect(steps).toBeLessThan(100);
    const walked = () =>
      page.evaluate(() => (globalThis as unknown as { walked: () => Walk }).walked());
    expect(await walked()).toEqual({ missed: [], unseen: [] });
  },
);
