import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessible } from '../../frontend/test/face/violations';
import { activityStates } from './activity-states';
import { chatModelStates } from './chat-model-states';
import { chatStates } from './chat-states';
import { picture } from './fakes/face';
import { states, take } from './states';
import { taskStates } from './task-states';
import { toolStates } from './tools-states';

/** The widths of a panel besides the narrowest: the usual one, and a wide one, for eyes. */
const widths = process.env.PILOTFISH_PICTURES === undefined ? [] : [400, 560];

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

/** The states in a header of which only a letter or two can be read. */
function unreadable(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('header .status > .soft')]
      .filter((word) => {
        const line = word.parentElement?.getBoundingClientRect();
        const at = word.getBoundingClientRect();
        return at.width > 0 && at.top < (line?.bottom ?? 0) && word.scrollWidth > at.width + 1;
      })
      .filter(
        (word) =>
          word.getBoundingClientRect().width < 3 * parseFloat(getComputedStyle(word).fontSize),
      )
      .map((word) => word.textContent),
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
  it('is accessible in the light and in the dark, and nothing is cut', async () => {
    const page = await take(state);
    await accessible(page, {
      also: async (scheme) => {
        await picture(page, `${state.name}-320-${scheme}`);
        expect(await unreadable(page), scheme).toEqual([]);
        expect(await cut(page), scheme).toEqual([]);
      },
    });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 640 });
      await picture(page, `${state.name}-${String(width)}`);
    }
  });
});
