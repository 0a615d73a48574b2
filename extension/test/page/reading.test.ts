// What a page shows is read whole: nothing is lost, joined or doubled.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Snapshot } from '../../src/page/types.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const files: Readonly<Record<string, { contentType: string; body: string | Buffer }>> = {
  '/page.html': { contentType: 'text/html', body: '<p>In the page</p><button>Go</button>' },
  '/drawing.svg': {
    contentType: 'image/svg+xml',
    body:
      '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><title>Title</title><defs><text>Unseen</text></defs>' +
      '<text y="20">First <tspan>line</tspan></text><g><text y="40">Second</text></g></svg>',
  },
  '/dot.png': { contentType: 'image/png', body: Buffer.from(dot, 'base64') },
};

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
  await page.route('http://reading.test/**', (route) => {
    const { pathname } = new URL(route.request().url());
    const html = pages.get(pathname);
    const file = html === undefined ? files[pathname] : { contentType: 'text/html', body: html };
    return route.fulfill(file ?? { status: 404, body: 'gone' });
  });
});

afterAll(() => page.unroute('http://reading.test/**'));

const pages = new Map<string, string>();

async function open(html: string): Promise<World> {
  pages.set('/', `<!doctype html><meta charset=utf-8>${html}`);
  await page.goto('http://reading.test/');
  return World.open(page, code);
}

const snapshot = async (world: World): Promise<string> =>
  (await world.run<Snapshot>('page.snapshot()')).text;

describe('Markdown', () => {
  test.each([
    ['<blockquote>Quote<p>second</p></blockquote>', '> Quote\n>\n> second'],
    ['<blockquote><p>first</p>then</blockquote><p>after</p>', '> first\n>\n> then\n\nafter'],
    [
      '<blockquote>a<blockquote>b<ul><li>c</ul></blockquote>d</blockquote>',
      '> a\n>\n> > b\n> >\n> > - c\n>\n> d',
    ],
    [
      '<blockquote>Code:<pre>x\n\ny</pre>end</blockquote>',
      '> Code:\n>\n> ```\n> x\n>\n> y\n> ```\n>\n> end',
    ],
    ['<blockquote><span>a</span> b <cite>c</cite></blockquote>', '> a b c'],
    ['<pre>a\n```\nb</pre>', '````\na\n```\nb\n````'],
    [
      '<pre><code>const a = `t`;\n````\nfence</code></pre>',
      '`````\nconst a = `t`;\n````\nfence\n`````',
    ],
    ['<p>a<code>b`c</code> <code>`</code></p>', 'a``b`c`` `` ` ``'],
    ['<p>a</p><pre>x\n\n\n\ny</pre><p>b</p>', 'a\n\n```\nx\n\n\n\ny\n```\n\nb'],
    [
      '<ul><li><p>one</p><pre>code</pre></li><li>two</li></ul>',
      '- one\n  ```\n  code\n  ```\n- two',
    ],
    ['<h2><div>Title</div></h2><p>x</p>', '## Title\n\nx'],
    ['<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>', 'a b\n\nc d'],
    [
      '<table><tr><td>Left</td><td><table><tr><th>In<th>Ner<tr><td>1<td>2</table></td><td>Right</td></tr></table>',
      'Left\n\n| In | Ner |\n| --- | --- |\n| 1 | 2 |\n\nRight',
    ],
    [
      '<div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div><div role=row><span role=cell>1</span><span role=cell>2|3</span></div></div>',
      '| A | B |\n| --- | --- |\n| 1 | 2\\|3 |',
    ],
    [
      '<div role=grid>Above<div role=row><span role=gridcell>1</span><span role=gridcell>2</span></div></div>',
      'Above\n\n1 2',
    ],
    ['<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
    [
      '<ol start=9><li>nine<ul><li>sub</li></ul></li><li>ten<blockquote>q</blockquote></li><li value=3>three</li></ol>',
      '9. nine\n   - sub\n10. ten\n    > q\n3. three',
    ],
    [
      '<p># one</p><p>1. two</p><p>- three</p><p>&gt; four</p>',
      '\\# one\n\n1\\. two\n\n\\- three\n\n\\> four',
    ],
    ['<p>a # b - 1. c &gt; d, #e 2.5</p><p>#f 1.5</p>', 'a # b - 1. c > d, #e 2.5\n\n#f 1.5'],
    ['<p>a &lt;tag&gt; &lt; 3 &lt;/b&gt;</p>', 'a \\<tag> < 3 \\</b>'],
    ['<p>x<b> bold </b>y <i>a</i><b> </b><em><b>c</b></em>.</p>', 'x **bold** y *a* ***c***.'],
    ['<ul><li><b>- a</b></li><li># b</li></ul>', '- **\\- a**\n- \\# b'],
  ])('%s', async (html, text) => {
    const world = await open(html);
    expect(await world.run('page.markdown()')).toBe(text);
  });
});

describe('text', () => {
  test.each([
    ['<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
    ['<p>a</p><p><br></p><p><br></p><p>b</p>', 'a\n\n\nb'],
    ['<div>a</div><div><br></div><div>b<br></div><div>c</div>', 'a\n\nb\nc'],
    ['a<br><br>b<br>', 'a\n\nb'],
    ['<pre>  a\n\n\n  b\n</pre><p>c</p>', '  a\n\n\n  b\n\nc'],
    ['<ul><li><p>one</p><p>two</p></li><li></li><li>three</li></ul>', '- one\n\ntwo\n\n-\n- three'],
    ['<table><tr><td>a<td>b<tr><td><td>c</table>', 'a\tb\n\tc'],
    [
      '<div role=row><span role=cell>a </span><span role=cell>b</span></div><div role=row><span role=cell>c</span></div>',
      'a\tb\nc',
    ],
    [
      '<table><tr><td style="display:inline-block">a<td style="display:inline-block">b</table>',
      'a\tb',
    ],
    ['<table><tr style="display:flex"><td>a</td><td>b</td></tr></table>', 'a\nb'],
    [
      '<svg width=100 height=40><title>no</title><text y=15>One <tspan>two</tspan></text><text y=30>Three</text></svg>',
      'One two\nThree',
    ],
    ['<p>Total:&nbsp;42&nbsp;EUR, Donau&shy;dampf</p>', 'Total: 42 EUR, Donaudampf'],
  ])('%s', async (html, text) => {
    const world = await open(html);
    expect(await world.run('page.text()')).toBe(text);
  });
});

describe('an editor', () => {
  test.each([
    ['<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
    ['<p>a</p><p>b</p>', 'a\nb'],
    ['<div>a</div><div><br></div><div><br></div><div>b</div>', 'a\n\n\nb'],
    ['<p>a<br>b</p><ul><li>c</li><li><p>d</p></li></ul>', 'a\nb\nc\nd'],
    ['<div><span>&#xfeff;<br></span></div><div>a <b>b</b></div>', 'a b'],
    ['plain', 'plain'],
  ])('has %s as its value', async (html, value) => {
    const world = await open(
      `<div contenteditable role=textbox aria-label=E><!-- -->${html}</div>`,
    );
    expect(await snapshot(world)).toBe(`e1 edit E =${JSON.stringify(value)}`);
    expect(await world.run(`page.value('e1', ${JSON.stringify(value)})`)).toEqual({
      value,
      matches: true,
    });
  });
});

describe('what an object or embed element shows', () => {
  test.each([
    ['<object data=/page.html width=300 height=100></object>'],
    ['<object type=text/html data=/page.html width=300 height=100>unseen</object>'],
    ['<embed src=/page.html type=text/html width=300 height=100>'],
    ['<object data=/drawing.svg type=image/svg+xml>unseen</object>'],
    ['<embed src=/drawing.svg>'],
  ])('a document: %s', async (html) => {
    const world = await open(`<p>before</p>${html}<p>after</p>`);
    expect(await snapshot(world)).toBe('"before"\ne1 frame\n"after"');
    for (const method of ['text', 'markdown'])
      expect(await world.run(`page.${method}(undefined, 'mark')`)).toBe(
        'before\n\n<mark e1>\n\nafter',
      );
  });

  test('text of a drawing', async () => {
    await page.goto('http://reading.test/drawing.svg');
    const world = await World.open(page, code);
    expect(await world.run('page.text()')).toBe('First line\nSecond');
    expect(await world.run('page.markdown()')).toBe('First line\n\nSecond');
    expect(await snapshot(world)).toContain('"First line"');
    expect(await snapshot(world)).toContain('"Second"');
    expect(await snapshot(world)).not.toContain('Unseen');
  });

  test.each([
    ['<object data=/dot.png width=90 height=90 aria-label=Logo></object>', 'Logo'],
    ['<object data=/dot.png width=90 height=90 title=Logo>x</object>', 'Logo'],
    ['<object data=/dot.png width=90 height=90>A <b>dot</b></object>', 'A dot'],
    ['<embed src=/dot.png width=90 height=90 title=Dot>', 'Dot'],
    ['<embed src=/dot.png width=90 height=90>', 'dot.png'],
  ])('an image: %s', async (html, name) => {
    const world = await open(`<p>before</p>${html}<p>after</p>`);
    await page.waitForLoadState();
    expect(await snapshot(world)).toBe(`"before"\nimg ${name}\n"after"`);
    expect(await world.run('page.markdown()')).toContain(`![${name}](http://reading.test/dot.png)`);
  });

  test.each([
    ['<object data=/none.html type=text/none><p>Instead</p>of it <button>Go</button></object>'],
    ['<object><p>Instead</p>of it <button>Go</button></object>'],
    [
      '<object data=/none type=application/x-none><object data=/none2 type=application/x-none><p>Instead</p>of it <button>Go</button></object></object>',
    ],
  ])('its own content: %s', async (html) => {
    const world = await open(`<p>before</p>${html}<p>after</p>`);
    const text = await snapshot(world);
    expect(text).toContain('"Instead"\n"of it"\ne1 btn Go');
    for (const method of ['text', 'markdown'])
      expect(await world.run(`page.${method}()`)).toContain('Instead\n\nof it Go');
    expect(await world.run(`page.locate('text=Instead')`)).toMatchObject({ state: 'one' });
  });
});
