// Elements that are nested thousands of levels deep: no walk of the page recurses.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

/** How an element of each level is made, and what contains all of them. */
const kinds: [kind: string, each: string, around?: string][] = [
  ['div', '<div></div>'],
  ['span', '<span></span>'],
  ['boxless', '<div style="display:contents"></div>'],
  ['button content', '<b></b>', '<button></button>'],
  ['clickable', '<div onclick="0"></div>'],
  ['quotes', '<blockquote style="margin:0"></blockquote>'],
  ['lists', '<ul style="margin:0;padding:0"><li></li></ul>'],
  ['named groups', '<section aria-label=S></section>'],
  ['links of a svg', '<a></a>', '<p></p>'],
  ['counted', '<div class=count></div>'],
  ['transformed', '<span style="text-transform:uppercase"></span>', '<button></button>'],
  ['empty boxes', '<div style="width:0;height:0"></div>', '<button></button>'],
  ['scrolling areas', '<div style="overflow:auto"></div>'],
];

async function open(each: string, around: string, levels: number): Promise<World> {
  await page.goto('about:blank');
  await page.setContent(
    '<style>.count{counter-increment:n}.count::before{content:counter(n)}</style><p>first</p><main></main><p>last</p>',
  );
  await page.evaluate(
    ([each, around, levels]) => {
      const made = (html: string): Element => {
        const template = document.createElement('template');
        template.innerHTML = html;
        return template.content.firstElementChild as Element;
      };
      const inner = (el: Element): Element =>
        el.firstElementChild ? inner(el.firstElementChild) : el;
      let at = document.querySelector('main') as Element;
      if (around !== '') {
        at.append(made(around));
        at = inner(at);
      }
      const one = made(each);
      const parts: Element[] = [at];
      for (let i = 0; i < levels; i++) {
        const next = one.cloneNode(true) as Element;
        parts.at(-1)?.append(next);
        parts.push(inner(next));
      }
      parts.at(-1)?.append('deepest text');
    },
    [each, around, levels] as const,
  );
  return World.open(page, code);
}

/** Every way to read the page. */
async function readAll(world: World): Promise<void> {
  await world.run('page.snapshot({ json: true, boxes: true }).text');
  await world.run('page.snapshot({ near: true, interactive: true }).text');
  await world.run('(page.watch(), page.settled(0).then(() => 1))');
  for (const method of ['links', 'forms', 'tables', 'media', 'data', 'count'])
    await world.run(`page.${method}()`);
}

// Chromium itself draws no more than some thousand levels before its own stack ends.
describe('1,000 levels', () => {
  test.each(kinds)('of %s', { timeout: 120_000 }, async (_, each, around = '') => {
    const world = await open(each, around, 1000);
    await readAll(world);
    expect(await world.run('page.snapshot({ find: "deepest" }).text')).toMatch(/deepest text/i);
    expect(await world.run('page.text()')).toContain('deepest text');
    expect(await world.run('page.markdown()')).toContain('deepest text');
    expect(await world.run(`page.locate('text=deepest text').state`)).toBe('one');
    expect(await world.run(`page.search('deepest', 5).total`)).toBe(1);
    expect(await world.run(`page.waitFor({ text: 'deepest text', timeout: 0 })`)).toMatchObject({
      state: 'met',
    });
  });
});

test('20,000 levels that are not drawn', { timeout: 120_000 }, async () => {
  const world = await open('<div></div>', '<div hidden></div>', 20_000);
  await readAll(world);
  expect(await world.run('page.snapshot().text')).toBe('"first"\n"last"');
  expect(await world.run(`page.locate('text=last').state`)).toBe('one');
  expect(await world.run('page.count()')).toBeGreaterThan(20_000);
});
