import axe from 'axe-core';
import { mkdir } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatStates } from './chat-states';
import { launch } from './fakes/face';
import { states, take } from './states';
import { taskStates } from './task-states';

/** Where pictures of every state are left for a person to look at; none without it. */
const pictures = process.env.PILOTFISH_PICTURES;
/** The widths of a panel: the narrowest, the usual, a wide one. */
const widths = pictures === undefined ? [320] : [320, 400, 560];

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
});
afterAll(() => browser.close());

describe.each([...states, ...chatStates, ...taskStates])('$name', (state) => {
  describe.each(widths)('%i px wide', (width) => {
    it.each(['light', 'dark'])('in the %s', async (scheme) => {
      await take(browser, state, { width, dark: scheme === 'dark' }, async (page) => {
        if (pictures !== undefined) {
          const path = `${pictures}/${state.name}-${String(width)}-${scheme}.png`;
          await page.screenshot({ path, animations: 'disabled' });
        }
        await page.evaluate(axe.source);
        const found = await page.evaluate(async () => {
          const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
          return violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' | ')}`,
          );
        });
        expect(found).toEqual([]);

        const wide = await page.evaluate(() =>
          [
            ...document.querySelectorAll<HTMLElement>(
              'header, main, .notice, .bar, article, dialog[open]',
            ),
          ]
            .filter((element) => element.scrollWidth > element.clientWidth + 1)
            .map((element) => element.className || element.tagName),
        );
        expect(wide).toEqual([]);
      });
    });
  });
});
