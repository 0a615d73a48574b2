// What the page object reports of an action.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Snapshot } from '../../src/page/types.js';
import type { Change } from '../../src/page/watch.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

const open = (html: string): Promise<World> => World.show(page, code, html);

const snapshot = (world: World, options: object = {}): Promise<Snapshot> =>
  world.run<Snapshot>(`page.snapshot(${JSON.stringify(options)})`);

describe('effects', () => {
  test('are reported with their refs', async () => {
    const world = await open('<button id=b>Add</button><ul id=l></ul><div role=status id=s></div>');
    await snapshot(world);
    await world.run('page.watch()');
    await page.evaluate(() => {
      document
        .getElementById('l')
        ?.append(Object.assign(document.createElement('button'), { textContent: 'Item' }));
      document.getElementById('b')?.replaceChildren('Add more');
      document.getElementById('s')?.append('1 item');
      history.pushState({}, '', '#one');
    });
    const change = await world.run<Change>('page.settled()');
    expect(change).toMatchObject({
      any: true,
      changed: ['e1 btn Add more'],
      gone: [],
    });
    expect(change.appeared).toEqual(['e2 btn Item', 'status "1 item"'.replace(/"/g, '')]);
    expect(change.url).toMatch(/#one$/);
  });

  test('in the rows of a table are reported', async () => {
    const world = await open('<table><tr><th>Part<th>Sum<tr><td>Total<td id=sum>1</table>');
    await snapshot(world);
    await world.run('page.watch()');
    await page.evaluate(() => document.getElementById('sum')?.replaceChildren('2'));
    const change = await world.run<Change>('page.settled()');
    expect(change.said).toEqual(['Total | 2']);
  });

  test('tell first what is new where a page draws everything again', async () => {
    const world = await open('<div id=keys></div>');
    const draw = (used: string): Promise<unknown> =>
      page.evaluate((off) => {
        const key = (at: number): string =>
          `<button ${String(at) === off ? 'disabled' : ''}>${at}</button>`;
        const html = Array.from({ length: 26 }, (_, at) => key(at)).join('');
        document.querySelector('#keys')?.setHTMLUnsafe(html);
      }, used);
    await draw('');
    await snapshot(world);
    await world.run('page.watch()');
    await draw('20');
    const change = await world.run<Change>('page.settled()');
    expect(change.appeared[0]).toMatch(/^e\d+ btn 20 \[disabled\]$/);
    expect(change.gone[0]).toBe('e21 btn 20');
    expect(change.more).toBe(28);
  });

  test('without a record in the page are changes too', async () => {
    const world = await open(
      '<style>button{display:none}div:hover button{display:block}</style><div>Over<button>Delete</button></div>',
    );
    await world.run('page.watch()');
    await page.mouse.move(20, 15);
    const change = await world.run<Change>('page.settled()');
    expect(change).toMatchObject({ any: true, appeared: ['e1 btn Delete'] });
  });

  test('on their way into sight are waited for, and others not for long', async () => {
    const world = await open('<button>Open</button>');
    await world.run('page.watch()');
    await page.evaluate(() => {
      const dialog = document.createElement('div');
      dialog.setAttribute('role', 'dialog');
      dialog.setAttribute('aria-label', 'Sure?');
      dialog.style.opacity = '0';
      dialog.innerHTML = '<button>Yes</button>';
      document.body.append(dialog);
      document.body.insertAdjacentHTML('beforeend', '<p style="opacity:0">never</p>');
      const later = (frames: number): void => {
        if (frames === 0) dialog.style.opacity = '0.01';
        else
          requestAnimationFrame(() => {
            later(frames - 1);
          });
      };
      later(3);
    });
    const { appeared } = await world.run<Change>('page.settled()');
    expect(appeared).toEqual(['dialog Sure?', 'e2 btn Yes']);
  });

  test('that never come are not made up', async () => {
    const world = await open('<button>Nothing</button>');
    await world.run('page.watch()');
    expect(await world.run<Change>('page.settled()')).toEqual({
      appeared: [],
      gone: [],
      changed: [],
      said: [],
      more: 0,
      any: false,
      saves: false,
    });
  });

  test('are waited for', async () => {
    const world = await open('<p id=p>Loading</p>');
    const waits = Promise.all([
      world.run(`page.waitFor({ text: 'Ready', timeout: 20000 })`),
      world.run(`page.waitFor({ gone: '#p', timeout: 20000 })`),
      world.run(`page.waitFor({ element: 'h1', timeout: 20000 })`),
    ]);
    await page.evaluate(() => {
      document.body.innerHTML = '<h1>Ready</h1>';
    });
    for (const waited of await waits) expect(waited).toMatchObject({ state: 'met' });
    expect(await world.run(`page.waitFor({ text: 'never', timeout: 0 })`)).toMatchObject({
      state: 'timeout',
    });
    await expect(world.run(`page.waitFor({ element: '<<', timeout: 0 })`)).rejects.toThrow();
  });

  test('are waited for in shadow roots', async () => {
    const world = await open('<div id=a></div><div id=b></div>');
    await page.evaluate(() => {
      document.getElementById('a')?.attachShadow({ mode: 'open' });
    });
    const waits = Promise.all([
      world.run(`page.waitFor({ text: 'Inside', timeout: 20000 })`),
      world.run(`page.waitFor({ element: 'text=Later', timeout: 20000 })`),
    ]);
    // A root that existed before, and one whose attachment causes no mutation record.
    await page.evaluate(() => {
      const a = document.getElementById('a')?.shadowRoot;
      if (a) a.innerHTML = '<p>Inside</p>';
      const b = document.getElementById('b')?.attachShadow({ mode: 'open' });
      if (b) b.innerHTML = '<p>Later</p>';
    });
    for (const waited of await waits) expect(waited).toMatchObject({ state: 'met' });
  });

  test('are over when what has faded is out of the document', async () => {
    const world = await open(
      '<div id=app aria-hidden=true><button>Save</button></div>' +
        '<div id=over onclick="0" style="position: fixed; inset: 0">' +
        '<div id=box><p>Save it now?</p></div></div>',
    );
    const gone = world.run<{ state: string; there: boolean }>(
      `page.waitFor({ gone: 'text=Save it now?', timeout: 20000 })
        .then((waited) => ({ ...waited, there: document.getElementById('over') !== null }))`,
    );
    // As component libraries close a dialog: it fades, and is removed some frames later.
    await page.evaluate(async () => {
      const box = document.getElementById('box');
      await box?.animate({ opacity: [1, 0] }, { duration: 100, fill: 'forwards' }).finished;
      for (let i = 0; i < 3; i++) await new Promise((next) => requestAnimationFrame(next));
      document.getElementById('over')?.remove();
      document.getElementById('app')?.removeAttribute('aria-hidden');
    });
    expect(await gone).toMatchObject({ state: 'met', there: false });
    expect((await snapshot(world)).text).toContain('btn Save');
  });

  test('are over when what has faded stays there unseen', async () => {
    const world = await open(
      '<div onclick="0" style="position: fixed; inset: 0"><p id=p style="opacity: 0">Save it now?</p></div>',
    );
    expect(
      await world.run(`page.waitFor({ gone: 'text=Save it now?', timeout: 20000 })`),
    ).toMatchObject({ state: 'met' });
    expect((await snapshot(world)).text).not.toContain('Save it now?');
    await page.evaluate(() => {
      document.getElementById('p')?.removeAttribute('style');
    });
    expect((await snapshot(world)).text).toContain('Save it now?');
  });
});
