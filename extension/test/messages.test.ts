import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  chromium,
  type BrowserContext,
  type Dialog,
  type Page,
  type Worker,
} from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from 'vite';
import { ExtensionID } from '$ui/protocol/protocol';

// The messages of the built extension in a real browser: panel, worker, content script, page. The
// extension is loaded after the first tab was opened.

const root = fileURLToPath(new URL('..', import.meta.url));
const html = `<!doctype html><title>Shop</title><body>
  <label>Name <input id=name></label> <button id=save>Save</button>
  <label><input id=news type=checkbox> News</label>
  <label>City <select id=city><option>Paris<option>Berlin</select></label>
  <script>
    const heard = [];
    for (const type of ['pointerdown', 'click', 'keydown', 'input', 'change'])
      addEventListener(type, (event) => heard.push(type + ':' + event.target.id + ':' + event.isTrusted), true);
    window.took = () => heard.splice(0).join(' ');
  </script>`;
/** A page with fields of other kinds. */
const fields = `<!doctype html><title>Fields</title><body style="height:3000px">
  <form onsubmit="event.preventDefault(); sent.textContent = 'sent ' + q.value">
    <label>Search <input id=q></label> <button>Go</button> <p id=sent></p></form>
  <label>Count <input id=count type=number></label>
  <label>Day <input id=day type=date></label>
  <div id=note contenteditable aria-label=Note role=textbox>old</div>
  <label>Upper <input id=upper maxlength=4 onkeydown="if (event.key === 'x') event.preventDefault()"></label>
  <label>Fixed <input id=fixed readonly></label>
  <button id=menu onmouseenter="menu.textContent = 'Menu is open'">Menu</button>
  <button id=twice ondblclick="twice.textContent = 'Twice: ' + event.detail">Double</button>`;

let profile: string;
let server: Server;
let site: string;
let context: BrowserContext;
let worker: Worker;
let panel: Page;
let older: Page;
/** Lets the slow page finish loading. */
let slow: () => void = () => undefined;

/** The panel's side of the messages, bundled as one script. */
async function kit(): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    resolve: { alias: { $ui: fileURLToPath(new URL('../../frontend/ui', import.meta.url)) } },
    build: {
      target: 'chrome120',
      write: false,
      lib: { entry: 'test/messages-kit.ts', formats: ['iife'], name: 'kit' },
    },
  });
  for (const output of Array.isArray(built) ? built : [built])
    if ('output' in output) return output.output[0].code;
  throw new Error('the kit was not built');
}

beforeAll(async () => {
  server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    if (request.url === '/slow') {
      response.write(html); // the rest follows when the test calls slow()
      slow = () => response.end();
      return;
    }
    if (request.url === '/fields') {
      response.end(fields);
      return;
    }
    const frame = `<iframe src="${site.replace('127.0.0.1', 'localhost')}/inner"></iframe>`;
    response.end(request.url === '/framed' ? html + frame : html);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  profile = await mkdtemp(join(tmpdir(), 'messages-'));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.PILOTFISH_CHROMIUM ?? '/usr/bin/chromium',
    // Playwright disables extensions by default.
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--enable-unsafe-extension-debugging',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
  older = await open('/older');
  const browser = await context.browser()?.newBrowserCDPSession();
  const coming = context.waitForEvent('serviceworker');
  await browser?.send('Extensions.loadUnpacked', { path: join(root, 'dist') });
  worker = await coming;
  panel = await context.newPage();
  await panel.goto(`chrome-extension://${ExtensionID}/panel.html`);
  await panel.evaluate(`${await kit()}; globalThis.kit = kit; globalThis.link = new kit.PageLink({
    send: (message) => chrome.runtime.sendMessage(message), clock: kit.systemClock, now: () => Date.now(),
  })`);
});
afterAll(async () => {
  await context.close();
  server.close();
  await rm(profile, { recursive: true, force: true });
});

async function open(path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site + path);
  return page;
}

/** Chrome's id of the tab with a URL. */
function tabOf(url: string): Promise<number> {
  return panel.evaluate(async (wanted) => {
    const [tab] = (await chrome.tabs.query({})).filter((one) => one.url === wanted);
    return tab?.id ?? 0;
  }, url);
}

type Outcome = { value: Record<string, unknown> } | { code: string; message: string; hint: string };

/** A script for a question of the panel to a tab; it returns a promise of the outcome. */
function script(
  tab: number,
  kind: string,
  method: string,
  params: object = {},
  frame = 0,
  origin = site,
): string {
  const about = { caller: 'test', origin, prefix: 'f0e', base: 1 };
  const to = JSON.stringify([kind, method, { ...about, ...params }, { tab, frame }]);
  return `link.tab(...${to}, new AbortController().signal)
    .then((value) => ({ value }), ({ code, message, hint }) => ({ code, message, hint }))`;
}

function asks(...of: Parameters<typeof script>): Promise<Outcome> {
  return panel.evaluate<Outcome>(script(...of));
}

async function value(...of: Parameters<typeof script>): Promise<Record<string, unknown>> {
  const outcome = await asks(...of);
  if ('value' in outcome) return outcome.value;
  throw new Error(`${outcome.code}: ${outcome.message}`);
}

/** The ref of the line with this text in a snapshot. */
async function refOf(tab: number, text: string): Promise<string> {
  const { text: look } = await value(tab, 'cs:query', 'snapshot');
  const line = String(look)
    .split('\n')
    .find((one) => one.includes(text));
  return line?.trim().split(' ')[0] ?? '';
}

const took = (page: Page): Promise<string> => page.evaluate('took()');

/** Opens a page that shows a dialog; it answers nothing until the dialog is closed. */
async function held(path: string): Promise<{ page: Page; tab: number; dialog: Dialog }> {
  const page = await open(path);
  const tab = await tabOf(site + path);
  const ref = await refOf(tab, 'Save'); // makes sure that the content script is there
  expect(ref).toMatch(/^f0e\d+$/);
  const shown = new Promise<Dialog>((resolve) => page.once('dialog', resolve));
  await page.evaluate(() => {
    setTimeout(() => {
      alert('wait');
    });
  });
  return { page, tab, dialog: await shown };
}

it('looks and acts in a tab that is older than the extension, and the page can tell', async () => {
  const tab = await tabOf(`${site}/older`);
  const name = await refOf(tab, 'Name');
  const filled = await value(tab, 'cs:rpc', 'fill', { ref: name, text: 'Ada' });
  expect(filled.value).toBe('Ada');
  expect(await took(older)).toBe('input:name:false change:name:false');
  const typed = await value(tab, 'cs:rpc', 'type', { ref: name, text: ' L', clear: false });
  expect(typed.value).toBe('Ada L');
  expect(await took(older)).toBe(
    'keydown:name:false input:name:false keydown:name:false input:name:false',
  );
  const ref = await refOf(tab, 'Save');
  const clicked = await value(tab, 'cs:rpc', 'click', { ref, button: 'left', count: 1, keys: '' });
  expect(clicked.hit).toContain('Save');
  // The focus moves to the button, so the field may fire a change event.
  expect(await took(older)).toMatch(/^pointerdown:save:false (change:name:\w+ )?click:save:false$/);
  const news = await refOf(tab, 'News');
  await value(tab, 'cs:rpc', 'check', { ref: news, on: true });
  const city = await refOf(tab, 'select City');
  const chosen = await value(tab, 'cs:rpc', 'select', { ref: city, option: 'Berlin' });
  expect(chosen.value).toBe('Berlin');
  expect(
    await older.evaluate<string>('[news.checked, city.value, document.activeElement.id].join()'),
  ).toBe('true,Berlin,city');
});

it('types, presses, points and scrolls as far as a page’s own events go', async () => {
  const page = await open('/fields');
  const tab = await tabOf(`${site}/fields`);
  const does = async (method: string, name: string, params: object): Promise<unknown> => {
    const done = await value(tab, 'cs:rpc', method, { ref: await refOf(tab, name), ...params });
    return done.value ?? done.hit;
  };
  expect(await does('type', 'edit Search', { text: 'herring', clear: false })).toBe('herring');
  expect(await does('press', 'edit Search', { keys: 'Backspace Enter' })).toContain('Search');
  expect(await page.locator('#sent').textContent()).toBe('sent herrin');
  expect(await does('press', 'edit Search', { keys: 'Control+A Delete' })).toContain('Search');
  expect(await page.locator('#q').inputValue()).toBe('');
  // A character of two UTF-16 units is deleted as a whole.
  await does('type', 'edit Search', { text: 'a👍', clear: true });
  await does('press', 'edit Search', { keys: 'Backspace' });
  expect(await page.locator('#q').inputValue()).toBe('a');
  expect(await does('type', 'Count', { text: '12.5', clear: true })).toBe('12.5');
  expect(await does('fill', 'Day', { text: '2026-11-21' })).toBe('2026-11-21');
  expect(await does('fill', 'Note', { text: 'a new one' })).toBe('a new one');
  expect(await does('type', 'Note', { text: ' and more', clear: false })).toBe(
    'a new one and more',
  );
  expect(await does('type', 'Note', { text: 'x y', clear: true })).toBe('x y');
  // The page may prevent a key, and limits the length of a text.
  expect(await does('type', 'edit Upper', { text: 'axbcdef', clear: true })).toBe('abcd');
  expect(await does('type', 'edit Upper', { text: 'no', clear: true })).toBe('no');
  const ref = await refOf(tab, 'Fixed');
  expect(await asks(tab, 'cs:rpc', 'fill', { ref, text: 'x' })).toMatchObject({ code: 'disabled' });
  expect(await asks(tab, 'cs:rpc', 'press', { keys: 'Hyper+Q' })).toMatchObject({
    code: 'bad_argument',
  });
  await does('hover', 'btn Menu', {});
  expect(await page.locator('#menu').textContent()).toBe('Menu is open');
  await does('click', 'btn Double', { button: 'left', count: 2, keys: '' });
  expect(await page.locator('#twice').textContent()).toBe('Twice: 2');
  const { scrolled } = await value(tab, 'cs:rpc', 'scroll', { down: 500, right: 0 });
  expect((scrolled as number[]).slice(0, 3)).toEqual([0, 500, 500]);
  expect(await page.evaluate(() => scrollY)).toBe(500);
});

it('refuses in words what is wrong with an element, or with the site', async () => {
  const tab = await tabOf(`${site}/older`);
  const click = { button: 'left', count: 1, keys: '' };
  expect(await asks(tab, 'cs:rpc', 'click', { ref: 'f0e999', ...click })).toMatchObject({
    code: 'no_element',
  });
  const ref = await refOf(tab, 'Save');
  expect(
    await asks(tab, 'cs:rpc', 'click', { ref, ...click }, 0, 'https://bank.example'),
  ).toMatchObject({ code: 'moved' });
  await older.evaluate('save.disabled = true');
  expect(await asks(tab, 'cs:rpc', 'click', { ref, ...click })).toMatchObject({ code: 'disabled' });
  await older.evaluate('took(), (save.disabled = false), save.remove()');
  expect(await asks(tab, 'cs:rpc', 'click', { ref, ...click })).toMatchObject({ code: 'gone' });
  expect(await took(older)).toBe('');
});

it('never takes a ref of the document before for an element of this one', async () => {
  const page = await open('/again');
  const tab = await tabOf(`${site}/again`);
  const ref = await refOf(tab, 'Save');
  await page.reload();
  // Another caller takes a snapshot, in which the button has the same number.
  const { text } = await value(tab, 'cs:query', 'snapshot', { caller: 'another' });
  expect(text).toContain(`${ref} btn Save`);
  const click = { ref, button: 'left', count: 1, keys: '' };
  expect(await asks(tab, 'cs:rpc', 'click', click)).toMatchObject({ code: 'no_element' });
  expect(await asks(tab, 'cs:query', 'facts', { ref })).toMatchObject({ code: 'no_element' });
  expect(await took(page)).toBe('');
});

it('reaches a frame of another site', async () => {
  await open('/framed');
  const tab = await tabOf(`${site}/framed`);
  const frames = await panel.evaluate<{ frame: number; url: string }[]>(
    `link.frames(${String(tab)}, new AbortController().signal)`,
  );
  const inner = frames.find(({ url }) => url.endsWith('/inner'));
  const origin = new URL(inner?.url ?? '').origin;
  const look = await value(tab, 'cs:query', 'snapshot', {}, inner?.frame, origin);
  expect(look).toMatchObject({ url: inner?.url, text: expect.stringContaining('Save') as string });
});

it('does not wait for a page that loads on and on', async () => {
  const page = await context.newPage();
  await page.goto(`${site}/slow`, { waitUntil: 'commit' });
  await page.locator('#save').waitFor();
  const tab = await tabOf(`${site}/slow`);
  const ref = await refOf(tab, 'Save');
  await value(tab, 'cs:rpc', 'click', { ref, button: 'left', count: 1, keys: '' });
  expect(await took(page)).toBe('pointerdown:save:false click:save:false');
  slow();
});

it('says in words that the browser has put a tab to sleep', async () => {
  // No CDP session is attached to this tab.
  const tab = await worker.evaluate(async (url) => {
    const loaded = new Promise<number>((resolve) => {
      chrome.tabs.onUpdated.addListener((id, { status }, { url: at }) => {
        if (status === 'complete' && at === url) resolve(id);
      });
    });
    await chrome.tabs.create({ url, active: false });
    const asleep = await chrome.tabs.discard(await loaded);
    return asleep?.id ?? 0;
  }, `${site}/asleep`);
  expect(await asks(tab, 'cs:query', 'snapshot')).toMatchObject({
    code: 'discarded',
    hint: 'Look at the tab, or load it again.',
  });
});

it('hears nothing that a page says, and no content script may call', async () => {
  const tab = await tabOf(`${site}/older`);
  await older.evaluate((id) => {
    for (const kind of ['rpc:call', 'cs:rpc', 'cs:query', 'query:response', 'tab:event']) {
      const params = { ref: 'f0e1', button: 'left', count: 1, keys: '' };
      const forged = { kind, v: 1, id: 'x', deadline: Date.now() + 1e4, method: 'click', params };
      postMessage(forged, '*');
      dispatchEvent(new CustomEvent(kind, { detail: forged }));
      // A page has no such function, because the extension accepts no messages from pages.
      const { runtime } =
        (globalThis as { chrome?: { runtime?: typeof chrome.runtime } }).chrome ?? {};
      void runtime?.sendMessage(id, forged);
    }
  }, ExtensionID);
  // The snapshot comes after all that, on the same page.
  await value(tab, 'cs:query', 'snapshot');
  expect(await took(older)).toBe('');
  const answer = await worker.evaluate(async (id) => {
    const [done] = await chrome.scripting.executeScript({
      target: { tabId: id },
      func: async () => {
        const call = { kind: 'rpc:call', v: 1, id: 'x', deadline: Date.now() + 1e4 };
        const frames = { ...call, method: 'frames', params: { tab: 1 } };
        return (await chrome.runtime.sendMessage(frames)) as unknown;
      },
    });
    return done?.result;
  }, tab);
  expect(answer).toMatchObject({ ok: false, error: { code: 'sender' } });
});

it('says in words that a page is one that no extension may be in', async () => {
  const page = await context.newPage();
  await page.goto('chrome://version');
  const outcome = await asks(await tabOf('chrome://version/'), 'cs:query', 'snapshot');
  expect(outcome).toMatchObject({
    code: 'restricted',
    message: expect.stringContaining('A page of the browser itself') as string,
    hint: expect.stringContaining('by hand') as string,
  });
  await page.close();
});

it('fails in words when the tab is closed in the middle of a call', async () => {
  const { tab } = await held('/closed');
  const outcome = asks(tab, 'cs:query', 'snapshot');
  await panel.evaluate((id) => chrome.tabs.remove(id), tab);
  expect(await outcome).toMatchObject({ code: 'no_tab', message: 'The tab was closed.' });
  expect(await asks(tab, 'cs:query', 'snapshot')).toMatchObject({ code: 'no_tab' });
});

it('does nothing that it was asked for too long ago', async () => {
  const { page, tab, dialog } = await held('/late');
  const to = JSON.stringify({
    tab,
    frame: 0,
    kind: 'cs:rpc',
    method: 'click',
    params: {
      ...{ caller: 'test', origin: site, prefix: 'f0e', base: 1 },
      ...{ ref: 'role=button name="Save"', button: 'left', count: 1, keys: '' },
    },
  });
  const code =
    await panel.evaluate<string>(`kit.ask((message) => chrome.runtime.sendMessage(message),
    kit.question('rpc:call', 'tab', ${to}, Date.now() + 200), { clock: kit.systemClock, now: () => Date.now() })
    .then(() => 'done', ({ code }) => code)`);
  expect(code).toBe('deadline');
  await dialog.accept();
  await value(tab, 'cs:query', 'snapshot'); // comes after it, on the same path
  expect(await took(page)).toBe('');
});

it('goes on when the worker is stopped in the middle: it looks again, and acts once', async () => {
  const { page, tab, dialog } = await held('/stopped');
  const click = { ref: 'role=button name="Save"', button: 'left', count: 1, keys: '' };
  // Both are on their way to a page that does not answer yet.
  const looked = panel.evaluate<Outcome>(script(tab, 'cs:query', 'snapshot'));
  const clicked = panel.evaluate<Outcome>(script(tab, 'cs:rpc', 'click', click));
  // The worker answers in order: its answer here shows that it has forwarded both.
  await panel.evaluate(`link.frames(${String(tab)}, new AbortController().signal)`);
  const cdp = await context.newCDPSession(panel);
  await cdp.send('ServiceWorker.enable');
  await cdp.send('ServiceWorker.stopAllWorkers');
  expect(await clicked).toMatchObject({
    code: 'lost',
    hint: 'Look at the page before you do it again.',
  });
  await dialog.accept();
  expect(await looked).toMatchObject({ value: { url: `${site}/stopped` } });
  // The pending action may have happened, but never twice.
  expect(['', 'pointerdown:save:false click:save:false']).toContain(await took(page));
  const again = await value(tab, 'cs:rpc', 'click', click);
  expect(again.hit).toContain('Save');
});
