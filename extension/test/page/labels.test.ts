// What an author calls the parts of a page is in its snapshot.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Snapshot } from '../../src/page/types.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

describe('an author’s label', () => {
  test.each([
    // Cells and rows.
    ['<table><tr><td aria-label=Price>10<td>b</table>', 'table\n |  | b\n  - Price\n   "10"'],
    [
      '<table><tr><td aria-label="10 euros">10<td>b</table>',
      'table\n |  | b\n  - 10 euros\n   "10"',
    ],
    ['<table><tr><td title="March 4">Mar 4<td>b</table>', 'table\n | Mar 4 (March 4) | b'],
    ['<table><tr><td title="a">a<td>b</table>', 'table\n | a | b'],
    [
      '<p id=l>Sum</p><table><tr><td aria-labelledby=l>7<td>b</table>',
      '"Sum"\ntable\n |  | b\n  - Sum\n   "7"',
    ],
    [
      '<table><tr><th aria-label=Name>N<td aria-label=Done><td>b</table>',
      'table\n |  |  | b\n  rowheader Name\n   "N"\n  - Done',
    ],
    ['<table><tr aria-label="First row"><td>a<td>b</table>', 'table\n row First row | a | b'],
    ['<table><tr aria-labelledby="a b"><td id=a>a<td id=b>b</table>', 'table\n | a | b'],
    ['<table><tr title=Totals><td>a<td></table>', 'table\n row Totals | a |'],
    [
      '<div role=grid><div role=row aria-label=R><div role=gridcell aria-label=C>x</div></div></div>',
      'grid\n row R |\n  gridcell C\n   "x"',
    ],
    ['<table><tbody aria-label=Fruit><tr><td>a<td>b</table>', 'table\n rowgroup Fruit\n  | a | b'],
    // Lists and their items.
    ['<ul aria-label=Steps><li>a<li>b</ul>', 'list Steps\n "a"\n "b"'],
    ['<ul><li aria-label="Step 1">a<li>b</ul>', '- Step 1\n "a"\n"b"'],
    ['<ul><li title="Step 1">a<li title=b>b</ul>', '- Step 1\n "a"\n"b"'],
    ['<p id=l>Two</p><ol><li aria-labelledby=l>a</ol>', '"Two"\n- Two\n "a"'],
    ['<div role=list><div role=listitem aria-label=One>a</div></div>', '- One\n "a"'],
    // Groups, sections, quotes, other parts.
    ['<div role=group aria-label=Size>a</div>', 'group Size\n "a"'],
    ['<div role=group title=Size>a</div>', 'group Size\n "a"'],
    ['<fieldset aria-label=Size>a</fieldset>', 'group Size\n "a"'],
    ['<address aria-label=Office>a</address>', 'group Office\n "a"'],
    ['<section aria-label=News>a</section>', 'region News\n "a"'],
    ['<section title=News>a</section>', 'region News\n "a"'],
    ['<h2 id=l>News</h2><section aria-labelledby=l>a</section>', '## News\nregion News\n "a"'],
    ['<blockquote aria-label="Ada said">a</blockquote>', 'blockquote Ada said\n "a"'],
    ['<blockquote title="Ada said"><p>a</p>b</blockquote>', 'blockquote Ada said\n "a"\n "b"'],
    ['<article aria-label=Card>a</article>', 'article Card\n "a"'],
    ['<figure aria-label=Chart>a</figure>', 'figure Chart\n "a"'],
    [
      '<dl><dt aria-label=Term>t<dd aria-label=Meaning>m</dl>',
      'term Term\n "t"\ndefinition Meaning\n "m"',
    ],
    ['<div role=math aria-label="x squared">x2</div>', 'math x squared\n "x2"'],
    ['<div role=doc-footnote aria-label=Note>n</div>', 'doc-footnote Note\n "n"'],
    // What has no words of its own.
    [
      '<div aria-label="4 of 5 stars" style="width:80px;height:16px"><i></i></div>',
      'group 4 of 5 stars',
    ],
    ['<div role=group aria-label="4 of 5" style="height:16px"></div>', 'group 4 of 5'],
    ['<ul aria-label=Nothing></ul>', ''],
    // Without a label, nothing is said.
    ['<blockquote>a</blockquote>', '"a"'],
    ['<ul><li>a</ul><section>b</section><div role=group>c</div>', '"a"\n"b"\n"c"'],
  ])('%s', async (html, lines) => {
    const world = await World.show(page, code, html);
    const { text } = await world.run<Snapshot>('page.snapshot()');
    expect(text).toBe(lines);
  });

  test('finds the parts', async () => {
    const world = await World.show(
      page,
      code,
      '<table><tr aria-label=Second><td aria-label=Price>10<td>b</table><ul><li aria-label=Step>a</ul><blockquote aria-label=Ada>x</blockquote>',
    );
    for (const target of [
      'role=cell name=Price',
      'role=row name=Second',
      'role=listitem name=Step',
      'role=blockquote name=Ada',
    ])
      expect(await world.run(`page.locate('${target}')`), target).toMatchObject({ state: 'one' });
  });
});
