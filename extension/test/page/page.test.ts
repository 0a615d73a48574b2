// What the page object guarantees, on pages of a few lines.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Located, Snapshot } from '../../src/page/types.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

const open = (html: string): Promise<World> => World.show(page, code, html);

const snapshot = (world: World, options: object = {}): Promise<Snapshot> =>
  world.run<Snapshot>(`page.snapshot(${JSON.stringify(options)})`);
const many = (n: number): string =>
  Array.from({ length: n }, (_, i) => `<button>Button ${i}</button><br>`).join('');

describe('a look', () => {
  test('writes nothing into the page', async () => {
    const world = await open(`<main><label>A <input value=x></label>${many(50)}</main>`);
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      new MutationObserver((list) => seen.push(...list.map(({ type }) => type))).observe(document, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    });
    await snapshot(world);
    await snapshot(world, { near: true, delta: true, boxes: true, json: true });
    expect(await page.evaluate('window.seen')).toEqual([]);
    expect(await page.evaluate('typeof window.pilotfishPage')).toBe('undefined');
  });

  test('keeps refs, and a budget with handles for the rest', async () => {
    const world = await open(many(500));
    const whole = await snapshot(world);
    expect(whole.refs).toBe(500);
    const cut = await snapshot(world, { max: 1500 });
    expect(cut.text.length).toBeLessThanOrEqual(1500);
    expect(cut.text.split('\n')[0]).toBe('e1 btn Button 0');
    let text = cut.text;
    const seen = new Set<string>();
    for (let left = 50; left > 0; left--) {
      for (const ref of text.match(/^ *e\d+/gm) ?? []) seen.add(ref.trim());
      const handle = /… \d+ more (h\d+)/.exec(text)?.[1];
      if (handle === undefined) break;
      const more = await world.run<{ text: string }>(`page.more('${handle}', 1500)`);
      expect(more.text.length).toBeLessThanOrEqual(1500);
      text = more.text;
    }
    expect(seen.size).toBe(500);
  });

  test('keeps what is in view when the budget is short', async () => {
    const world = await open(many(500));
    await page.evaluate(() => {
      scrollTo(0, 5000);
    });
    const { text, more } = await snapshot(world, { max: 800 });
    const shown = await page.evaluate(
      () =>
        [...document.querySelectorAll('button')].find((b) => b.getBoundingClientRect().top > 0)
          ?.textContent,
    );
    expect(text).toContain(shown ?? '-');
    expect(more).toBeGreaterThan(400);
  });

  test('tells what changed since the same caller looked', async () => {
    const world = await open('<button id=a>One</button><button id=b>Two</button><p>Text</p>');
    await snapshot(world, { caller: 'x' });
    expect((await snapshot(world, { caller: 'x', delta: true })).text).toBe('');
    await page.evaluate(() => {
      document.getElementById('a')?.remove();
      document.getElementById('b')?.replaceChildren('Second');
      document.body.append(
        Object.assign(document.createElement('button'), { textContent: 'Three' }),
      );
    });
    const { text } = await snapshot(world, { caller: 'x', delta: true });
    expect(text.split('\n').toSorted()).toEqual([
      '+ e3 btn Three',
      '- e1 btn One',
      '~ e2 btn Second',
    ]);
    expect((await snapshot(world, { caller: 'y', delta: true })).text.split('\n')).toHaveLength(3);
  });

  test('finds, limits depth, scopes, and shows boxes', async () => {
    const world = await open(
      '<main><nav aria-label=N><a href="#a">Alpha</a></nav><section aria-label=S><button>Beta</button></section></main>',
    );
    expect((await snapshot(world, { find: '/bet./i' })).text).toBe(
      'main\n region S\n  e2 btn Beta',
    );
    expect((await snapshot(world, { depth: 1 })).text).toMatch(/^main\n {1}… 4 more h\d+$/);
    expect((await snapshot(world, { scope: 'section' })).text).toBe('region S\n e2 btn Beta');
    expect((await snapshot(world, { scope: 'e2', boxes: true })).text).toMatch(
      /^e2 btn Beta @\d+,\d+,\d+,\d+$/,
    );
    expect((await snapshot(world, { interactive: true, compact: true })).text).toBe(
      'e1 link Alpha\ne2 btn Beta',
    );
    await expect(snapshot(world, { scope: '<<' })).rejects.toThrow(
      /SyntaxError|not a valid selector/,
    );
  });

  test('counts on from another document, with a prefix', async () => {
    const world = await open('<button>Go</button>');
    await world.run(`page.configure({ prefix: 'f2e', base: 40 })`);
    const { text, next } = await snapshot(world);
    expect(text).toBe('f2e40 btn Go');
    expect(next).toBe(41);
  });

  test('scales with what is shown when it looks near', async () => {
    const world = await open(
      `<div>${`<section><p>far</p><button>x</button></section>`.repeat(3000)}</div>`,
    );
    const { refs } = await snapshot(world, { near: true });
    expect(refs).toBeGreaterThan(5);
    expect(refs).toBeLessThan(60);
  });

  test('leaves out nothing that is in view when it looks near', async () => {
    const far = '<p>Far</p>'.repeat(400);
    const world = await open(`<style>body { margin: 0 } p { margin: 0; height: 20px }</style>
      <div><button>Plain</button> <span><b><button>Deep</button></b></span></div>
      <div style="display: contents"><button>Contents</button></div>
      <div style="height: 0"><button>Out of nothing</button></div>
      <div style="float: right"><button>Floats</button></div>
      <x-host></x-host>
      <div style="height: 60px; overflow: auto"><button>Scrolls</button>${far}<button>Below</button></div>
      <div style="height: 30px"><div style="height: 300px"></div><button>Overflows</button></div>
      <a href="#tall"><img width=20 height=8000 alt="Tall"></a>
      <section>${far}<footer><p>Foot</p>
        <button style="position: fixed; right: 0; bottom: 0; width: 300px; height: 200px">Fixed</button>
        <div><a href="#fixed" style="position: fixed; left: 0; bottom: 0; width: 300px; height: 200px">Fixed deep</a></div>
      </footer></section>
      <aside style="position: absolute; top: 9000px">${far}
        <button style="position: absolute; top: -8700px; left: 0; width: 300px; height: 120px">Lifted</button>
      </aside>
      <p><span>Out of sight <button>Inline far</button></span></p>`);
    await page.evaluate(() => {
      const root = document.querySelector('x-host')?.attachShadow({ mode: 'open' });
      if (root) root.innerHTML = '<button>In a shadow</button>';
    });
    const { text } = await snapshot(world, { near: true });
    for (const name of [
      'Plain',
      'Deep',
      'Contents',
      'Out of nothing',
      'Floats',
      'In a shadow',
      'Scrolls',
      'Overflows',
      'Fixed',
      'Fixed deep',
      'Lifted',
      'Tall',
    ])
      expect(text).toMatch(new RegExp(`e\\d+ (btn|link) ${name}\\b`));
    expect(text).not.toContain('Inline far');
    expect(text).not.toContain('btn Below');
  });

  test('shows a long text in parts, what is in view first', async () => {
    const line = (i: number): string => `Line ${String(i)} of a log that goes on and on.`;
    const log = Array.from({ length: 3000 }, (_, i) => line(i)).join('\n');
    const world = await open(`<pre>${log}</pre><button>After</button>`);
    await page.evaluate(() => {
      scrollTo(0, document.documentElement.scrollHeight);
    });
    const bottom = await snapshot(world, { near: true, max: 14_000 });
    expect(bottom.text).toContain('btn After');
    expect(bottom.text).toContain(line(2999));
    expect(bottom.text).not.toContain(line(10));
    const whole = await snapshot(world, { max: 14_000 });
    expect(whole.text).toContain('btn After');
    let { text, more } = whole;
    let all = '';
    for (let left = 40; left > 0; left--) {
      all += text;
      const handle = /… \d+ more (h\d+)/.exec(text)?.[1];
      if (handle === undefined) break;
      ({ text, more } = await world.run<Snapshot>(`page.more('${handle}', 14000)`));
    }
    expect(more).toBe(0);
    expect(all).toContain(line(10));
    expect(all).toContain(line(1500));
  });

  test('1,000 elements in at most 0.6 of 34,266 characters', async () => {
    const world = await open(
      Array.from({ length: 1000 }, (_, i) => `<button>Button ${i}</button>`).join(''),
    );
    const { text, refs } = await snapshot(world);
    expect(refs).toBe(1000);
    expect(text.length).toBeLessThanOrEqual(20_559);
  });
});

describe('a line', () => {
  test.each([
    ['<p>Posted <time>May 1</time> by us</p>', '"Posted May 1 by us"'],
    ['<a href=/p>Post <time>May 1</time></a>', 'e1 link Post May 1 →/p'],
    ['<input type=time aria-label=At value=10:20>', 'e1 time At ="10:20"'],
    ['<p>東<ruby>京<rt>kyō</rt></ruby>都</p>', '"東京kyō都"'],
    ['<main><aside>See also</aside></main>', 'main\n aside\n  "See also"'],
    ['<pre>####\n# @ #\n\n  ##</pre>', '"####"\n"# @ #"\n"  ##"'],
    ['<p>one\n  two   three</p>', '"one two three"'],
    ['<p style="white-space:pre-wrap">one\n  <b>two</b>  three</p>', '"one"\n"  two  three"'],
    ['<h1 contenteditable>Title</h1>', 'e1 # Title [editable]'],
    ['<input type=checkbox aria-label=On readonly>', 'e1 [ ] On'],
    ['<input aria-label=Name readonly>', 'e1 edit Name [readonly]'],
    ['<button aria-haspopup=other aria-current=other>Go</button>', 'e1 btn Go [current]'],
    [
      '<button commandfor=p command=toggle-popover>Go</button><p popover id=p>',
      'e1 btn Go [collapsed]',
    ],
    ['<div role=combobox tabindex=0 aria-label=Size>Small</div>', 'e1 select Size ="Small"'],
    [
      '<div role=listbox><div role=option aria-checked=true tabindex=0>Red</div></div>',
      'e1 listbox\n e2 option Red [checked]',
    ],
    [
      '<table><tr><th aria-sort=ascending>Name<th>Size<tr><td>a<td>1</table>',
      'table\n |  | Size\n  columnheader Name [ascending]\n | a | 1',
    ],
    [
      '<table><tr><th aria-sort=ascending><button>Name</button><th>Size<tr><td>a<td>1</table>',
      'table\n |  | Size\n  columnheader [ascending]\n   e1 btn Name\n | a | 1',
    ],
  ])('%s', async (html, lines) => {
    const world = await open(html);
    expect((await snapshot(world)).text).toBe(lines);
  });
});

describe('a target', () => {
  const html =
    '<h1>Shop</h1><button>Save</button><button id=s2 class=k>Save as</button><label>Email <input></label>' +
    '<a href="#h">Help</a><button>Help</button><p>Only words</p>';
  test.each([
    ['role=button name="Save"', 'btn Save'],
    ['role=button name=/as$/', 'btn Save as'],
    ['css=#s2', 'btn Save as'],
    ['.k', 'btn Save as'],
    ['label=Email', 'edit Email'],
    ['text="Save as"', 'btn Save as'],
    ['role=button nth=3', 'btn Help'],
  ])('%s', async (target, line) => {
    const world = await open(html);
    const found = await world.run<Located>(`page.locate(${JSON.stringify(target)})`);
    expect(found).toMatchObject({ state: 'one' });
    if (found.state === 'one') expect(found.line).toBe(`${found.ref} ${line}`);
  });

  test('that is a text is not the name of a frame', async () => {
    const world = await open('<iframe title=Payment srcdoc="<button>Pay</button>"></iframe>');
    expect(await world.run(`page.locate('text=Pay')`)).toMatchObject({ state: 'none' });
    expect(await world.run(`page.locate('role=frame name=Payment')`)).toMatchObject({
      state: 'one',
    });
  });

  test('that means several things is answered with them', async () => {
    const world = await open(html);
    const found = await world.run<Located>(`page.locate('text=Help')`);
    expect(found).toMatchObject({ state: 'many', count: 2 });
    expect(await world.run<Located>(`page.locate('role=button name="Svae"')`)).toMatchObject({
      state: 'none',
    });
    expect(await world.run<Located>(`page.locate('css=<<')`)).toMatchObject({ state: 'bad' });
    expect(await world.run<Located>(`page.locate('nth=0')`)).not.toMatchObject({ state: 'one' });
  });
});
