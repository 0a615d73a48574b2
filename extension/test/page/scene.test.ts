// An updated scene must be equal to a walk of the whole page, whatever happens to the page in
// between: random changes of many kinds, each read at once or after several.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';

import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

// Each seed asks the browser some 200 times, which takes half a minute on a machine that is busy.
vi.setConfig({ testTimeout: 90_000 });
beforeAll(async () => {
  [page, code] = await Promise.all([
    onePage({ width: 1280, height: 2400 }),
    script('test/page/scene-entry.ts'),
  ]);
});
/** Reads both ways; nothing when they are equal, because they are long. */
const read = (world: World): Promise<{ kept: string[]; whole: string[] } | null> =>
  world.run('globalThis.pilotfishScene.read()');

/** Changes the page, each time in a task of its own. */
const change = (all: string[]): Promise<void> =>
  page.evaluate(async (changes) => {
    for (const one of changes) {
      (0, eval)(one);
      await new Promise((next) => setTimeout(next));
    }
  }, all);

const shop = `<!doctype html><title>Shop</title><style>
  body { font: 14px sans-serif } .menu { display: none } .open > .menu { display: block }
  .item:hover .more { opacity: 1 } .more { opacity: 0 }
  #agree:checked ~ .next { visibility: visible } .next { visibility: hidden }
  .over { position: fixed; left: 0; top: 0; width: 400px; height: 300px; background: #fff }
  .area { height: 60px; overflow: auto } .badge { position: absolute; right: 0; top: 0 }
  .card { position: relative } .fold { max-height: 0; overflow: hidden }
  .head.on + .fold { max-height: 400px } .pale { opacity: 0 }
</style>
<header><h1 id=h>Shop</h1><nav aria-label=Main><a href="/a">A</a> <a href="/b">B</a></nav></header>
<p id=count>0 in your basket</p>
<main>
  <ul id=list>${Array.from({ length: 12 }, (_, i) => `<li class="item card"><h2>Thing ${i}</h2><button id=add${i}>Add <b>${i}</b></button><button class=more>More</button><span class=badge>new</span></li>`).join('')}</ul>
  <div id=drop class=card><button aria-expanded=false>Menu</button><div class=menu><button>One</button><button>Two</button></div></div>
  <form id=form><label for=name>Name</label><input id=name value=Ada>
    <label>Colour <select id=colour><option>red<option>blue</select></label>
    <input type=checkbox id=agree><label for=agree>Agree</label><button class=next type=button>Next</button>
    <label><input type=radio name=r value=1>One</label><label><input type=radio name=r value=2 checked>Two</label>
    <textarea id=note aria-labelledby="h count"></textarea><fieldset id=set><button type=button>Inside</button></fieldset>
  </form>
  <div class=area id=area tabindex=0><p>Line</p><button>In the area</button><p style="height:200px">Tall</p><button>Far down</button></div>
  <h3 class=head id=head>Details</h3><div class=fold><a href="/d">Read more</a></div>
  <details id=det><summary>Sum</summary><button>Hidden in details</button></details>
  <table><tr><th>k<th>v<tr id=row><td>one<td><button>Row button</button></table>
  <div id=host></div><div role=status id=status></div><div id=pop popover><button>In the popover</button></div>
  <button popovertarget=pop id=opener>Open</button>
  <dialog id=dlg aria-labelledby=dt><h2 id=dt>Sure?</h2><button>Yes</button></dialog>
  <div onclick="0" id=wrap>Clickable <i>part</i></div><div id=many>${'<b><button>Small</button></b>'.repeat(80)}</div><label id=lone>Say <input value=x aria-label=Say></label>
  <p><img id=plan usemap="#rooms" width=80 height=40 alt=Plan></p><map name=rooms><area id=hall shape=rect coords="0,0,40,40" href="#hall" alt=Hall><area shape=rect coords="40,0,80,40" href="#yard" alt=Yard></map>
  <div id=board style="display:grid;grid-template-columns:repeat(3,20px)" onclick="0">${'<i style="height:20px"></i>'.repeat(9)}</div>
</main>`;

/** Changes of many kinds; `n` is a random number. They run in the page's main world. */
const changes: ((n: number) => string)[] = [
  (n) => `document.querySelector('#add${n % 12}')?.replaceChildren('Add again ${n}')`,
  (n) => `document.querySelector('#add${n % 12} b')?.firstChild?.appendData('!')`,
  (n) => `count.textContent = '${n} in your basket'`,
  () => `drop.classList.toggle('open')`,
  (n) => `drop.firstChild.setAttribute('aria-expanded', '${n % 2 === 0}')`,
  (n) => `document.getElementById('name').value = 'v${n}'`,
  () => `agree.checked = !agree.checked`,
  (n) => `document.querySelectorAll('[name=r]')[${n % 2}].checked = true`,
  (n) => `colour.selectedIndex = ${n % 2}`,
  () => `document.querySelector('[for=name]').append(' x')`,
  () => `h.append(' !')`,
  (n) =>
    `list.insertAdjacentHTML('beforeend', '<li class=item><button>New ${n}</button> text ${n}</li>')`,
  (n) => `list.children[${n} % list.children.length]?.remove()`,
  (n) => `list.prepend(list.children[${n} % list.children.length])`,
  () =>
    `document.querySelector('fieldset').disabled = !document.querySelector('fieldset').disabled`,
  (n) => `area.scrollTop = ${n % 200}`,
  () => `head.classList.toggle('on')`,
  () => `det.open = !det.open`,
  (n) => `row.cells[0].textContent = 'cell ${n}'`,
  (n) => `document.getElementById('status').textContent = 'said ${n}'`,
  () => `pop.togglePopover()`,
  () => `dlg.open ? dlg.close() : dlg.showModal()`,
  () =>
    `document.querySelector('.over') ? document.querySelector('.over').remove() : document.body.insertAdjacentHTML('beforeend', '<div class=over><button>On top</button></div>')`,
  (n) => `document.body.classList.toggle('c${n % 3}')`,
  (n) => `document.getElementById('add${n % 12}')?.focus()`,
  () => `document.activeElement.blur()`,
  () => `hall.focus()`,
  () => `hall.toggleAttribute('href')`,
  () => `plan.hidden = !plan.hidden`,
  (n) => `board.children[${n} % 9].textContent = '${n % 2 === 0 ? 'X' : ''}'`,
  () => `wrap.querySelector('i').append('x')`,
  (n) => `list.children[${n} % list.children.length]?.classList.toggle('pale')`,
  () =>
    `host.shadowRoot ? host.shadowRoot.querySelector('button').append('+') : (host.attachShadow({ mode: 'open' }).innerHTML = '<button>In the shadow</button><slot></slot>', host.append('slotted'))`,
  (n) =>
    `host.shadowRoot?.append(Object.assign(document.createElement('p'), { textContent: 'shadow ${n}' }))`,
  (n) =>
    `document.styleSheets[0].insertRule('#add${n % 12} { visibility: ${n % 2 ? 'hidden' : 'visible'} }', document.styleSheets[0].cssRules.length)`,
  () => `lone.firstChild.appendData('?')`,
  (n) => `note.setAttribute('aria-label', 'Note ${n}')`,
  () => `form.reset()`,
  (n) => `many.children[${n} % many.children.length]?.remove()`,
  (n) => `many.insertAdjacentHTML('beforeend', '<b><button>Late ${n}</button></b>')`,
  (n) => `many.children[${n} % many.children.length]?.firstChild.replaceChildren('Other')`,
  (n) => `count.style.height = '${20 + (n % 60)}px'`,
];

/** A small random number generator (mulberry32) with a seed, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'random changes, seed %i',
  async (seed) => {
    const world = await World.show(page, code, shop);
    await read(world);
    const next = random(seed + 1);
    const done: string[] = [];
    for (let step = 0; step < 60; step++) {
      const now: string[] = [];
      for (let i = next() % 3; i >= 0; i--)
        now.push(changes[next() % changes.length]?.(next() % 997) ?? '');
      done.push(...now);
      await change(now);
      const { kept, whole } = (await read(world)) ?? {};
      expect(kept, `after ${done.slice(-4).join(';\n')}`).toEqual(whole);
    }
  },
);

test('what a page takes away between two actions is not told as known', async () => {
  const world = await World.show(page, code, '<p>Stays</p><p id=goes>Goes</p>');
  await read(world);
  await page.evaluate('goes.remove()');
  expect(await world.run('globalThis.pilotfishScene.before()')).toEqual(['"Stays"']);
});
