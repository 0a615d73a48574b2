import type { Server } from 'node:http';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { ItemData, Resolution, Snapshot } from '../../src/page/types.js';
import { onePage, script, serve, World, zooDir } from './browser.js';
import { cases } from './case.js';

/** An item of a snapshot, with the data-hit that the page gave it. */
interface Seen extends ItemData {
  hit: string | null;
}

let page: Page;
let code: string;
const servers: Server[] = [];
let here = '';
let other = '';

beforeAll(async () => {
  const [one, two] = await Promise.all([serve(zooDir), serve(zooDir)]);
  servers.push(one.server, two.server);
  here = one.url;
  other = two.url;
  [page, code] = await Promise.all([onePage(), script()]);
});

afterAll(() => {
  for (const server of servers) server.close();
});

async function visit(id: string): Promise<World> {
  await page.goto(`${here}/${id}.html?other=${other}`);
  const world = await World.open(page, code);
  await world.reveal();
  return world;
}

async function look(world: World): Promise<{ shot: Snapshot; seen: Seen[] }> {
  return world.run(`(() => {
    const shot = page.snapshot({ json: true });
    const seen = [];
    const add = (item) => {
      const hit = item.ref ? page.element(item.ref).getAttribute('data-hit') : null;
      seen.push({ ...item, children: undefined, hit });
      item.children?.forEach(add);
    };
    shot.items.forEach(add);
    return { shot, seen };
  })()`);
}

/**
 * Reads the page in every way, synchronously, so that no script of the page can run in between. It
 * returns which changes the snapshots made to the page, whether everything that a user can see or
 * has entered is unchanged, and which items a snapshot near the viewport leaves out although a
 * click there hits them.
 */
const untouched = `(() => {
  const observer = new MutationObserver(() => {});
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  const roots = [document];
  for (const root of roots) {
    observer.observe(root, all);
    for (const el of root.querySelectorAll('*')) {
      const inner = page.rootOf(el);
      if (inner) roots.push(inner);
    }
  }
  const state = () => JSON.stringify([
    document.activeElement === document.body,
    String(getSelection()),
    roots.map((root) => [
      (root.documentElement ?? root.host).outerHTML,
      root.innerHTML ?? '',
      [...root.querySelectorAll('*')].map((el) => [
        el.scrollTop, el.scrollLeft, el.value, el.checked, el.selectedIndex, el.open, el === root.activeElement,
      ]),
    ]),
    scrollX, scrollY, location.href, history.length,
  ]);
  const before = state();
  const full = page.snapshot({ json: true });
  const near = page.snapshot({ near: true, max: 14000, json: true });
  page.snapshot({ delta: true, boxes: true, compact: true, interactive: true });
  for (const read of ['text', 'markdown', 'links', 'forms', 'tables', 'media', 'data', 'count']) page[read]();
  for (const target of ['text=a', 'role=button', 'label=a', 'css=*', 'point=50,50']) page.locate(target);
  const flat = (items) => items.flatMap((item) => [item, ...flat(item.children ?? [])]);
  const shown = new Set(flat(near.items).map(({ ref }) => ref));
  const missing = flat(full.items).filter(({ ref, box }) => {
    if (!ref || !box || shown.has(ref)) return false;
    const met = page.at(box[0] + box[2] / 2, box[1] + box[3] / 2);
    return met !== null && page.element(ref).contains(met);
  }).map(({ ref, name }) => ref + ' ' + name);
  return { writes: observer.takeRecords().map(({ type }) => type), same: state() === before, missing };
})()`;

const all = await cases();

describe('the zoo', () => {
  test('has at least 120 cases', () => {
    expect(all.length).toBeGreaterThanOrEqual(120);
  });

  test.each(all)('$id: $about', async (one) => {
    const world = await visit(one.id);
    const { shot, seen } = await look(world);
    expect(await world.run(untouched)).toEqual({ writes: [], same: true, missing: [] });
    for (const want of one.offered ?? []) {
      const found = seen.filter((item) => item.hit === want.hit);
      expect(found, `${want.hit} in\n${shot.text}`).toHaveLength(1);
      const { role, name, states = [], value } = found[0] as Seen;
      expect({ role, name }).toEqual({ role: want.role, name: want.name });
      for (const state of want.states ?? []) expect(states).toContain(state);
      if (!want.states) expect(states.filter((state) => !/[↑↓]|focused/.test(state))).toEqual([]);
      if (want.value !== undefined) expect(value).toBe(want.value);
    }
    for (const hit of one.absent ?? [])
      expect(
        seen.map((item) => item.hit),
        shot.text,
      ).not.toContain(hit);
    for (const hit of one.covered ?? []) {
      const item = seen.find((at) => at.hit === hit);
      expect(
        item?.states?.some((state) => state.startsWith('covered by')),
        shot.text,
      ).toBe(true);
    }
    for (const text of one.text ?? []) expect(shot.text).toContain(text);
    // Nothing that the page marked may be shown as actionable without being declared.
    const declared = new Set([
      ...(one.offered ?? []).map(({ hit }) => hit),
      ...(one.covered ?? []),
    ]);
    for (const item of seen)
      if (item.hit !== null && item.ref !== undefined) expect(declared).toContain(item.hit);
    // Clicks hit what they mean.
    for (const want of one.offered ?? []) {
      const ref = seen.find((item) => item.hit === want.hit)?.ref ?? '';
      const reached = await world.run<{ state: string; point?: { x: number; y: number } }>(
        `await page.reach(${JSON.stringify(ref)})`,
      );
      if (want.states?.some((state) => /disabled|not clickable/.test(state))) {
        expect(reached.state).not.toBe('ok');
        continue;
      }
      expect(reached, want.hit).toMatchObject({ state: 'ok' });
      if (!reached.point || !/^(button|click|checkbox|radio|switch|tab|menuitem)$/.test(want.role))
        continue;
      await page.evaluate('window.__hits.length = 0');
      await page.mouse.click(reached.point.x, reached.point.y);
      const hits = await page.evaluate<{ id: string; isTrusted: boolean }[]>('window.__hits');
      const hit = hits.find(({ id }) => id === want.hit);
      expect(hit, `${want.hit}: ${JSON.stringify(hits)}`).toMatchObject({ isTrusted: true });
    }
  });

  test.each(all.filter(({ after }) => after))('$id: refs after a change', async (one) => {
    const world = await visit(one.id);
    const before = await look(world);
    const refs = new Map(before.seen.map((item) => [item.hit, item.ref]));
    await page.evaluate('window.__mutate()');
    for (const { hit, state } of one.after ?? []) {
      const ref = refs.get(hit) ?? '';
      const now = await world.run<Resolution>(`page.resolve(${JSON.stringify(ref)})`);
      expect(now.state).toBe(state);
      const mark = `page.element(${JSON.stringify(ref)})?.getAttribute('data-hit') ?? 'gone'`;
      expect(await world.run(mark)).toBe(state === 'gone' ? 'gone' : hit);
    }
    // A later snapshot never gives an old number to a new node.
    const next = await look(world);
    for (const item of next.seen)
      if (item.hit !== null && item.ref !== undefined && refs.has(item.hit))
        expect(item.ref).toBe(refs.get(item.hit));
      else if (item.ref !== undefined) expect([...refs.values()]).not.toContain(item.ref);
  });
});
