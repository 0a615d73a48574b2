// Compares names and roles with Chromium's own accessibility tree, over the whole zoo. A difference
// is a failure, unless `explained` has it with a reason.
import type { Server } from 'node:http';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { onePage, script, serve, World, zooDir } from './browser.js';
import { cases } from './case.js';

/** Chromium's words for roles that we name differently. All others must be the same. */
const words: Readonly<Record<string, string>> = {
  ColorWell: 'color',
  Date: 'date',
  DisclosureTriangle: 'summary',
  Iframe: 'frame',
  InputTime: 'time',
  image: 'img',
};

/** Intended differences, by case and element, with the reason. */
const explained: Readonly<Record<string, string>> = {
  'draggable div#a': 'Chromium groups what can be dragged; html-aam gives a div no role.',
  'file input#a': 'A file field takes files, not only clicks: it has a word of its own.',
  'virtual div': 'core-aam: a row that no table holds is as if nobody had called it one.',
  'name-hidden-part button#a': 'Chromium keeps the space of a skipped part; accname 1.2 trims it.',
};

let page: Page;
let code: string;
const servers: Server[] = [];

beforeAll(async () => {
  servers.push((await serve(zooDir)).server);
  [page, code] = await Promise.all([onePage(), script()]);
});

afterAll(() => {
  for (const server of servers) server.close();
});

const all = await cases();

test.each(all)('$id', async ({ id }) => {
  const address = servers[0]?.address();
  if (typeof address !== 'object' || !address) throw new Error('no server');
  await page.goto(`http://127.0.0.1:${address.port}/${id}.html`);
  const world = await World.open(page, code);
  await world.reveal();
  const { nodes } = await world.cdp.send('Accessibility.getFullAXTree');
  const theirs = nodes.filter(
    ({ ignored, backendDOMNodeId, role }) =>
      (!ignored && backendDOMNodeId !== undefined && role?.type !== 'internalRole') ||
      /^(Date|InputTime|ColorWell|DisclosureTriangle|Iframe)$/.test(String(role?.value)),
  );
  const ids = theirs.flatMap(({ backendDOMNodeId: node }) => node ?? []);
  const ours = await world.call<({ role: string; name: string; mark: string } | null)[]>(
    ids,
    `function (...nodes) {
      return nodes.map((node) => {
        if (node.nodeType !== 1) return null;
        // The parts of a date field are the browser's own.
        if (node.getRootNode().host?.localName === 'input') return null;
        const mark = node.localName + (node.dataset.hit ? '#' + node.dataset.hit : '');
        return { ...globalThis.pilotfishPage.aria(node), mark };
      });
    }`,
  );
  const differences: string[] = [];
  theirs.forEach(({ role, name }, at) => {
    const own = ours[at];
    if (!own) return;
    const word = String(role?.value);
    const wanted = words[word] ?? word;
    const said = String(name?.value ?? '');
    const key = `${id} ${own.mark}`;
    if (wanted === own.role && said === own.name) return;
    if (explained[key] !== undefined) return;
    differences.push(
      `${key}: theirs ${wanted} ${JSON.stringify(said)}, ours ${own.role} ${JSON.stringify(own.name)}`,
    );
  });
  expect(differences).toEqual([]);
});
