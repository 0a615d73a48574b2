import axe from 'axe-core';
import { mkdir } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activityStates } from './activity-states';
import { chatModelStates } from './chat-model-states';
import { chatStates } from './chat-states';
import { launch } from './fakes/face';
import { states, take } from './states';
import { taskStates } from './task-states';
import { toolStates } from './tools-states';

/** The folder for screenshots of every state, for users to inspect; none when it is not set. */
const pictures = process.env.PILOTFISH_PICTURES;
/** The widths of a panel: the narrowest, the usual one, a wide one. */
const widths = pictures === undefined ? [320] : [320, 400, 560];

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
});
afterAll(() => browser.close());

/** The violations that axe finds, as text. */
async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' | ')}`,
    );
  });
}

/** The elements that overflow their container. */
function cut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'header, main, .notice, .bar, article, dialog[open]',
      ),
    ]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.className || element.tagName),
  );
}

describe.each([
  ...states,
  ...chatStates,
  ...chatModelStates,
  ...taskStates,
  ...activityStates,
  ...toolStates,
])('$name', (state) => {
  it.each(widths)('%i px wide, in the light and in the dark', async (width) => {
    await take(browser, state, { width }, async (page) => {
      await page.evaluate(axe.source);
      for (const colorScheme of ['light', 'dark'] as const) {
        // Colours may still be in transition, and the terminal receives a change of the scheme
        // later than the page. So a violation counts only if it persists.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        if (pictures !== undefined) {
          const path = `${pictures}/${state.name}-${String(width)}-${colorScheme}.png`;
          await page.screenshot({ path, animations: 'disabled' });
        }
        await expect.poll(() => violations(page), { message: colorScheme }).toEqual([]);
        expect(await cut(page), colorScheme).toEqual([]);
      }
    });
  });
});
