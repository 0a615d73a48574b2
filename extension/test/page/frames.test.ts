// Frames: each is walked by its own page object; the caller combines them.
import type { Server } from 'node:http';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Snapshot } from '../../src/page/types.js';
import { onePage, script, serve, World, zooDir } from './browser.js';

let page: Page;
let code: string;
const servers: Server[] = [];
const urls: string[] = [];

beforeAll(async () => {
  for (const { url, server } of [await serve(zooDir), await serve(zooDir)]) {
    urls.push(url);
    servers.push(server);
  }
  [page, code] = await Promise.all([onePage(), script()]);
});

afterAll(() => {
  for (const server of servers) server.close();
});

test.each([
  ['frame-same', [0]],
  ['frame-other', [0]],
  ['frame-sandbox', [0]],
  ['frame-srcdoc', [0]],
  ['frame-nested', [0, 0]],
])('%s is walked and hit inside', async (id, path) => {
  await page.goto(`${urls[0] ?? ''}/${id}.html?other=${urls[1] ?? ''}`, { waitUntil: 'load' });
  const offset = { x: 0, y: 0 };
  for (let depth = 0; depth < path.length; depth++) {
    const outer = await World.open(page, code, path.slice(0, depth));
    await outer.run(`page.configure({ prefix: 'f${depth}e' })`);
    const shot = await outer.run<Snapshot>('page.snapshot()');
    const [frame] = shot.frames;
    if (!frame) throw new Error(shot.text);
    expect(shot.text.split('\n')[frame.line]).toContain(`${frame.ref} frame`);
    expect(frame.view[2]).toBeGreaterThan(50);
    // The content of a frame begins inside its border.
    const at = await outer.run<{ x: number; y: number }>(`(() => {
      const el = page.element('${frame.ref}');
      const box = el.getBoundingClientRect();
      return { x: box.x + el.clientLeft, y: box.y + el.clientTop };
    })()`);
    offset.x += at.x;
    offset.y += at.y;
  }
  const inner = await World.open(page, code, path);
  await inner.run(`page.configure({ prefix: 'f9e' })`);
  const { text } = await inner.run<Snapshot>('page.snapshot()');
  expect(text).toMatch(/f9e1 btn (Inside the frame|In srcdoc)/);
  const { point } = await inner.run<{ point: { x: number; y: number } }>(
    `await page.reach('f9e1')`,
  );
  await inner.run('page.watch()');
  await inner.run(`(page.element('f9e1').addEventListener('click', ({ isTrusted }) => {
    document.title = 'hit ' + isTrusted;
  }), 0)`);
  // A click reaches a frame of another process only after the browser process has learned where
  // the frame was drawn. No event says so.
  const click = async (): Promise<string> => {
    await page.mouse.click(offset.x + point.x, offset.y + point.y);
    return await inner.run<string>('document.title');
  };
  await expect.poll(click, { timeout: 20_000 }).toBe('hit true');
});
