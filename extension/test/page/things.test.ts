// What a snapshot shows for something without a name, a role or an element of its own, and how it
// tells look-alikes apart.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import type { Located } from '../../src/page/types.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

async function look(html: string, options: object = {}): Promise<string[]> {
  const world = await World.show(page, code, html);
  await world.reveal();
  const text = await world.run<string>(`page.snapshot(${JSON.stringify(options)}).text`);
  await world.cdp.detach();
  return text.split('\n');
}

test('an empty editor is called by its label', async () => {
  const html = `<div contenteditable aria-label=Message style="width:200px;height:40px"></div>
    <label for=b>Notes</label><div id=b contenteditable style="width:200px;height:40px"></div>
    <div contenteditable data-placeholder="Say something" style="width:200px;height:40px"></div>
    <p contenteditable style="width:200px">Draft</p>`;
  expect(await look(html, { interactive: true })).toEqual([
    'e1 edit Message',
    'e2 edit Notes',
    'e3 edit Say something',
    'e4 edit ="Draft"',
  ]);
});

test('an editor without a role that holds more than text shows it', async () => {
  const lines = await look('<div contenteditable><h2>Plan</h2><a href=#x>Link</a></div>');
  expect(lines).toEqual(['e1 edit', ' ## Plan', ' e2 link Link →#x']);
});

test('a control in something aria-hidden is shown with that mark, its decoration is not', async () => {
  const html = `<div aria-hidden=true><button>Next</button> words <span onclick=1>icon</span>
    <input aria-label=Code style="opacity:0"><button style="visibility:hidden">No</button></div>`;
  expect(await look(html)).toEqual(['e1 btn Next [aria-hidden]']);
  const world = await World.show(page, code, html);
  const reached = await world.run(`(page.snapshot(), page.reach('e1'))`);
  expect(reached).toMatchObject({ state: 'ok' });
});

test('an open picker that is part of the page shows its options', async () => {
  const world = await World.show(
    page,
    code,
    `<style>select, ::picker(select) { appearance: base-select }</style>
    <select aria-label=Fruit><button><selectedcontent></selectedcontent></button><option>Apple<option>Pear</select>`,
  );
  const look = (): Promise<string> => world.run('page.snapshot().text');
  expect(await look()).toBe('e1 select Fruit ="Apple"');
  await page.click('select');
  expect((await look()).split('\n')).toEqual([
    'e1 select Fruit ="Apple"',
    ' e2 option Apple [selected, focused]',
    ' e3 option Pear',
  ]);
  expect(await world.run(`page.reach('e3')`)).toMatchObject({ state: 'ok' });
  await page.keyboard.press('Escape');
  expect(await look()).toBe('e1 select Fruit [focused] ="Apple"');
});

test('an area is where its scaled image shows it', async () => {
  const html = `<img usemap="#m" width=100 height=50 style="transform:scale(2);transform-origin:0 0" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">
    <map name=m><area shape=rect coords="50,0,100,50" href="#b" alt=Right></map>`;
  const world = await World.show(page, code, html);
  expect(await world.run(`(page.snapshot(), page.reach('e1'))`)).toMatchObject({
    state: 'ok',
    box: [108, 8, 100, 100],
  });
});

test.each([
  ['button', true, '<button id=met><span>Right</span></button>'],
  ['part around the text', true, '<a href=#x><div id=met><b>Right</b><i>more</i></div></a>'],
  ['part beside the text', false, '<a href=#x><b>Right</b><i id=met>more</i></a>'],
  ['button around what listens', false, '<button id=met><span onclick=1>Right</span></button>'],
  ['button around a link', false, '<div role=button id=met><a href=#x>Right</a></div>'],
  ['list', false, '<div role=listbox id=met><div>Right</div></div>'],
  ['text around', false, '<p id=met>some <b>Right</b> words</p>'],
])('a press on the %s beside its text: %s', async (_what, accepted, html) => {
  const world = await World.show(page, code, html);
  const found = `page.accepts(page.find('text=Right').spot, document.querySelector('#met'), { x: 0, y: 0 })`;
  expect(await world.run(`(page.snapshot(), ${found})`)).toBe(accepted);
});

test('what did not stop moving is not waited for again', async () => {
  const world = await World.show(
    page,
    code,
    `<button style="position:absolute">Go</button><script>
    let x = 0; (function go() { document.querySelector('button').style.left = (x = (x + 3) % 300) + 'px'; requestAnimationFrame(go) })()</script>`,
  );
  const frames = await world.run<number>(`(page.snapshot(), (async () => {
    let frames = 0, on = true;
    const count = () => on && (frames++, requestAnimationFrame(count));
    count();
    await page.reach('e1', { again: true, moving: true });
    on = false;
    return frames;
  })())`);
  expect(frames).toBeLessThan(30); // for the first time it waits 3 s
});

test('a page that its dialog hides is not shown', async () => {
  const html = `<div aria-hidden=true><button>Below</button><div style="height:2000px"></div><button>Far</button></div>
    <div role=dialog style="position:fixed;inset:0;background:#fff"><h2>Cookies</h2><button>Yes</button></div>`;
  const lines = await look(html);
  expect(lines.join('\n')).not.toMatch(/Below|Far/);
  expect(lines).toContain(' e3 btn Yes');
});

test('what a framework listens on for the whole page is no thing', async () => {
  const listening = (id: string): string =>
    `<script>for (const type of ['click', 'mousedown', 'keydown']) document.getElementById('${id}').addEventListener(type, () => {});</script>`;
  const wide = 'style="min-height:900px"';
  for (const html of [
    `<div id=root ${wide}><p>Hello</p></div>${listening('root')}`,
    `<div><div id=root ${wide}><p>Hello</p></div></div>${listening('root')}`,
    `<div id=root ${wide}></div>${listening('root')}`,
    `<div id=root ${wide} tabindex=-1><a href=#a>A</a></div>${listening('root')}`,
  ])
    expect((await look(html)).join('\n')).not.toMatch(/click/);
  const small = `<div id=root style="height:200px">Tap</div>${listening('root')}`;
  expect(await look(small)).toEqual(['e1 click Tap']);
});

test('an option that somebody can operate is one without its list', async () => {
  expect(await look('<div role=option tabindex=0>Red</div><div role=option>Blue</div>')).toEqual([
    'e1 option Red',
    '"Blue"',
  ]);
});

test('look-alikes are told apart by their cards, rows and headings', async () => {
  const card = (name: string): string =>
    `<div><img alt="" src=#><h3>${name}</h3><p>Nice</p><button>Add to basket</button></div>`;
  expect(await look(['Shirt', 'Shoes', 'Hat'].map(card).join(''), { interactive: true })).toEqual([
    'e1 btn Add to basket in "Shirt"',
    'e2 btn Add to basket in "Shoes"',
    'e3 btn Add to basket in "Hat"',
  ]);
  const row = (name: string): string => `<tr><td>${name}<td><button>Edit</button>`;
  const rows = `<table><tr><th>Who<th>What${row('Ada')}${row('Bob')}</table>`;
  expect(await look(rows, { interactive: true })).toEqual([
    'e1 btn Edit in "Ada"',
    'e2 btn Edit in "Bob"',
  ]);
  const parts = `<h2>Home</h2><input placeholder=Street><h2>Work</h2><input placeholder=Street>`;
  expect(await look(parts, { interactive: true })).toEqual([
    'e1 edit Street in "Home"',
    'e2 edit Street in "Work"',
  ]);
  const bare = '<button>Go</button><button>Go</button><button>Stop</button>';
  expect(await look(bare, { interactive: true })).toEqual([
    'e1 btn Go [1 of 2]',
    'e2 btn Go [2 of 2]',
    'e3 btn Stop',
  ]);
  expect(await look(bare)).toEqual(['e1 btn Go', 'e2 btn Go', 'e3 btn Stop']);
});

test('an ambiguous target is answered with what tells its matches apart', async () => {
  const card = (name: string): string => `<div><h3>${name}</h3><button>Buy</button></div>`;
  const world = await World.show(page, code, card('Shirt') + card('Hat'));
  const found = await world.run(`page.locate('role=button name="Buy"')`);
  expect(found).toMatchObject({
    state: 'many',
    candidates: [
      { line: 'e1 btn Buy', context: 'Shirt' },
      { line: 'e2 btn Buy', context: 'Hat' },
    ],
  });
});

test('the cells of a board are told apart by row and column', async () => {
  const cells = '<b onclick=1></b>'.repeat(9);
  const html = `<style>div{display:grid;grid-template-columns:repeat(3,20px)}b{height:20px}</style><div>${cells}</div>`;
  const lines = await look(html, { interactive: true });
  expect(lines[5]).toBe('e6 click [row 2, column 3]');
});

test('nothing is added where nothing repeats', async () => {
  const html = '<h2>Menu</h2><button>One</button><button>Two</button><a href=#x>One</a>';
  const lines = await look(html, { interactive: true });
  expect(lines).toEqual(['e1 btn One', 'e2 btn Two', 'e3 link One →#x']);
});

test('drawn content shows where it lies', async () => {
  const lines = await look(
    `<style>body{margin:0}canvas,svg{display:block}</style>
    <canvas width=300 height=100 aria-label=Sketch></canvas>
    <svg width=200 height=100><title>Sales</title>
      <rect x=10 y=10 width=20 height=80><title>May: 30</title></rect>
      <rect x=40 y=50 width=20 height=40 onclick=1><title>June: 12</title></rect></svg>
    <svg width=16 height=16><circle r=8 /></svg>`,
  );
  expect(lines).toEqual([
    'e1 canvas Sketch @0,0,300,100',
    'img Sales @0,100,200,100',
    ' graphics-symbol "May: 30" @10,110,20,80'.replace('"May: 30"', 'May: 30'),
    ' e2 click June: 12 @40,150,20,40',
  ]);
});

test('a board that listens for its cells says how many there are', async () => {
  const html = `<style>body{margin:0}#b{display:grid;grid-template-columns:repeat(4,30px);width:120px}#b i{height:30px}</style>
    <div id=b>${'<i></i>'.repeat(16)}</div><script>b.addEventListener('click', () => {})</script>`;
  expect(await look(html)).toEqual(['e1 click [4x4 cells of 30x30] @0,0,120,120']);
});

test('a board shows what is in its cells, row by row', async () => {
  const style = `<style>body{margin:0}#b{display:grid;grid-template-columns:repeat(3,30px);width:90px}#b i{height:30px}</style>`;
  const listens = `<script>b.addEventListener('click', () => {})</script>`;
  const html = `${style}<div id=b>${'<i></i>'.repeat(4)}<i>X</i><i></i><i>O</i><i></i><i></i></div>${listens}`;
  expect(await look(html)).toEqual([
    'e1 click [3x3 cells of 30x30] @0,0,90,90',
    ' |  |  |',
    ' |  | X |',
    ' | O |  |',
  ]);
});

test('a large board says how many cells there are, and not what is in each', async () => {
  const style = `<style>body{margin:0}#b{display:grid;grid-template-columns:repeat(40,9px);width:360px}#b i{height:9px;overflow:hidden}</style>`;
  const html = `${style}<div id=b>${'<i>1</i>'.repeat(40 * 40)}</div><script>b.addEventListener('click', () => {})</script>`;
  const [first] = await look(html);
  expect(first).toBe('e1 click [40x40 cells of 9x9] @0,0,360,360');
});

test('a cell of a board is not called as its row', async () => {
  const style = `<style>#b{display:grid;grid-template-columns:repeat(3,30px)}#b i{height:30px}</style>`;
  const html = `${style}<div id=b><i></i><i>X</i>${'<i></i>'.repeat(7)}</div><script>b.addEventListener('click', () => {})</script>`;
  const world = await World.show(page, code, html);
  await world.reveal();
  const found = await world.run<Located>(`page.locate('#b i')`);
  expect(found).toMatchObject({ state: 'many', count: 9 });
  expect(JSON.stringify(found)).not.toContain('|');
});

test('a table that listens for its cells says how many there are', async () => {
  const style = `<style>body{margin:0}table{border-spacing:0}td{width:30px;height:30px;padding:0}</style>`;
  const row = '<tr><td><td><td></tr>';
  const listens = `<script>b.addEventListener('click', () => {})</script>`;
  const empty = `${style}<table id=b>${row.repeat(3)}</table>${listens}`;
  expect(await look(empty)).toEqual(['e1 table [3x3 cells of 30x30] @0,0,90,90']);
  const begun = `${style}<table><tbody id=b>${row}<tr><td><td>X<td></tr>${row}</table>${listens}`;
  expect(await look(begun)).toEqual([
    'table',
    ' e1 rowgroup [3x3 cells of 30x30] @0,0,90,90',
    '  |  |  |',
    '  |  | X |',
    '  |  |  |',
  ]);
});

test('a drawing that listens is called so and shows where it lies', async () => {
  const html = `<style>body{margin:0}canvas,svg{display:block}</style><canvas width=300 height=100 onclick=1></canvas>
    <svg width=200 height=100 onclick=1><rect width=20 height=20><title>Seat 1</title></rect></svg>
    <svg width=16 height=16 onclick=1><circle r=8 /></svg>`;
  expect(await look(html)).toEqual([
    'e1 canvas @0,0,300,100',
    'e2 click @0,100,200,100',
    ' graphics-symbol Seat 1 @0,100,20,20',
    'e3 click',
  ]);
});

test('a cell or heading that can be clicked says its text once', async () => {
  const html = `<table><tr><td onclick=1>1<td onclick=1><b>2</b> of <i>3</i><td onclick=1 aria-label=Three>3</table>
    <table role=grid><tr><td tabindex=-1 role=gridcell onclick=1>4</table><h3 onclick=1>More</h3>`;
  expect(await look(html)).toEqual([
    'table',
    ' e1 - 1',
    ' e2 - 2 of 3',
    ' e3 - Three',
    '  "3"',
    'grid',
    ' e4 gridcell 4',
    'e5 ### More',
  ]);
});

test('a selector with thousands of hidden matches is answered, and finds the one that shows', async () => {
  const cells = '<div class=cell hidden><b>1</b></div>'.repeat(20_000);
  const world = await World.show(page, code, `<main>${cells}</main>`);
  const hidden = await world.run<Located>(`page.locate('.cell')`);
  expect(hidden).toMatchObject({ state: 'many', count: 20_000 });
  await world.run(`document.querySelectorAll('.cell')[15000].hidden = false`);
  const shown = await world.run<Located>(`page.locate('.cell')`);
  expect(shown).toMatchObject({ state: 'one' });
  await world.cdp.detach();
});
