// What the page object extracts from a page: text, Markdown, links, forms, tables.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

const open = (html: string): Promise<World> => World.show(page, code, html);

describe('extraction', () => {
  test('keeps lines and drops what is hidden', async () => {
    const world = await open(
      '<h1>Title</h1><p>One <b>two</b>\n three<br>four</p><p hidden>no</p><pre>a\n  b</pre><ul><li>x<li>y</ul>',
    );
    expect(await world.run('page.text()')).toBe(
      'Title\n\nOne two three\nfour\n\na\n  b\n\n- x\n- y',
    );
  });

  test('writes Markdown', async () => {
    const world = await open(
      '<h2>Title</h2><p>See <a href="https://x.test/a">this <em>page</em></a>.</p><ol><li>one<ul><li>in</ul><li>two</ol>' +
        '<table><tr><th>A<th>B<tr><td>1<td>2|3</table><blockquote><p>said</p></blockquote><pre>code\n</pre>',
    );
    expect(await world.run('page.markdown()')).toBe(
      '## Title\n\nSee [this *page*](https://x.test/a).\n\n1. one\n   - in\n2. two\n\n' +
        '| A | B |\n| --- | --- |\n| 1 | 2\\|3 |\n\n> said\n\n```\ncode\n```',
    );
  });

  test('reads links, forms, tables, data', async () => {
    const world = await open(
      '<meta property="og:title" content=T><script type="application/ld+json">{"@type":"Thing"}</script>' +
        '<a href="https://x.test/">X</a><form action="https://x.test/go" method=post><label>N <input name=n value=v></label><input type=password name=p value=s></form>' +
        '<table><caption>C</caption><tr><th>A<tr><td>1</table>',
    );
    expect(await world.run('page.links()')).toMatchObject([{ text: 'X', url: 'https://x.test/' }]);
    expect(await world.run('page.forms()')).toMatchObject([
      {
        action: 'https://x.test/go',
        method: 'post',
        fields: [{ label: 'N', value: 'v' }, { value: '•••' }],
      },
    ]);
    expect(await world.run('page.tables()')).toEqual([
      { caption: 'C', head: ['A'], rows: [['1']] },
    ]);
    expect(await world.run('page.data()')).toMatchObject({
      openGraph: { 'og:title': 'T' },
      jsonLd: [{ '@type': 'Thing' }],
    });
  });

  test('reads the tables of messy pages', async () => {
    const world = await open(
      // Spanning cells, two header rows, a cell that spans its whole row, a short row.
      '<table><thead><tr><th rowspan=2>Fish<th colspan=2>Price<tr><th>2023<th>2024</thead>' +
        '<tr><td rowspan=2>Cod<td>1<td>2<tr><td colspan=2>none<tr><td colspan=1000>All of them<tr><td>Eel<td>3</table>' +
        // A layout table with a real table inside.
        '<table><tr><td><h2>Menu</h2><td><table><tr><th>Day<th>Dish<tr><td>Mon<td><a href="https://x.test/s">Soup</a></table></table>' +
        '<div role=table aria-label=Staff><div role=row><span role=columnheader>Who</span><span role=columnheader>Where</span></div>' +
        '<div role=row><span role=cell>Ann</span><span role=cell>Rome</span></div></div>' +
        '<table><tr><td style="display:none">no<td>a<td>b<tr><td style="display:none">no<td>c<td>d</table>',
    );
    expect(await world.run('page.tables()')).toEqual([
      {
        caption: '',
        head: ['Fish', 'Price / 2023', 'Price / 2024'],
        rows: [
          ['Cod', '1', '2'],
          ['Cod', 'none', 'none'],
          ['All of them', '', ''],
          ['Eel', '3'],
        ],
      },
      { caption: '', head: ['Day', 'Dish'], rows: [['Mon', 'Soup']] },
      { caption: 'Staff', head: ['Who', 'Where'], rows: [['Ann', 'Rome']] },
      {
        caption: '',
        head: [],
        rows: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      },
    ]);
    const text = await world.run<string>('page.markdown()');
    expect(text).toContain(
      '| Fish | Price / 2023 | Price / 2024 |\n| --- | --- | --- |\n| Cod | 1 | 2 |\n|  | none |  |',
    );
    expect(text).toContain('## Menu');
    expect(text).toContain('| Mon | [Soup](https://x.test/s) |');
  });

  test('reads forms with fields that are none of HTML, and what sends them', async () => {
    const world = await open(
      '<form action="https://x.test/go"><div role=combobox aria-label=Town aria-expanded=false tabindex=0>Rome</div>' +
        '<div role=switch aria-checked=true aria-label=Mails tabindex=0></div><div contenteditable aria-label=Words>old <b>text</b></div>' +
        '<button>Send</button><button type=button>Help</button><input type=hidden name=h value=1></form><button>Outside</button>',
    );
    expect(await world.run('page.forms()')).toMatchObject([
      {
        action: 'https://x.test/go',
        fields: [
          { role: 'combobox', label: 'Town', value: 'Rome' },
          { role: 'switch', label: 'Mails', checked: true },
          { label: 'Words', value: 'old text' },
          { role: 'button', label: 'Send', type: 'submit' },
        ],
      },
    ]);
  });
});
