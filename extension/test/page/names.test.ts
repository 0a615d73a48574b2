// How many names and roles are right over our own corpus of small cases, and how many Chromium's
// own accessibility tree has right in the same run.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import { widgets } from '../../src/page/role.js';
import { onePage, script, World } from './browser.js';
import type { NameCase } from './corpus/case.js';
import { names } from './corpus/names.js';
import { roles } from './corpus/roles.js';

/** Chromium's words for roles that we name differently. */
const words: Readonly<Record<string, string>> = {
  Abbr: 'generic',
  ColorWell: 'color',
  Date: 'date',
  DateTime: 'date',
  Details: 'group',
  DisclosureTriangle: 'summary',
  GenericContainer: 'generic',
  Iframe: 'frame',
  InputTime: 'time',
  LabelText: 'generic',
  Pre: 'generic',
  SvgRoot: 'generic',
  image: 'img',
  ignored: 'generic',
  none: 'generic',
};

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

/** The role and name that one implementation computes for the marked element of a case. */
interface Seen {
  role: string;
  name: string;
}

async function both(cases: readonly NameCase[]): Promise<{ ours: Seen; theirs: Seen }[]> {
  const html = cases
    .map(
      ({ html: part }, at) =>
        `<div>${part.replaceAll('$', `_${at}_`).replace(/ t(?=[ >])/, ` data-t=${at} `)}</div>`,
    )
    .join('\n');
  await page.setContent(`<!doctype html><html lang=en><body>${html}</body></html>`);
  const world = await World.open(page, code);
  const ours = await world.run<Seen[]>(
    `Array.from({ length: ${cases.length} }, (_, at) => page.aria(document.querySelector('[data-t="' + at + '"]')))`,
  );
  const { root } = await world.cdp.send('DOM.getDocument', { depth: -1 });
  const theirs = await Promise.all(
    cases.map(async (_, at): Promise<Seen> => {
      const selector = `[data-t="${at}"]`;
      const { nodeId } = await world.cdp.send('DOM.querySelector', {
        nodeId: root.nodeId,
        selector,
      });
      const { nodes } = await world.cdp.send('Accessibility.getPartialAXTree', {
        nodeId,
        fetchRelatives: false,
      });
      const [node] = nodes;
      const word = node?.ignored === true ? 'ignored' : String(node?.role?.value);
      return { role: words[word] ?? word, name: String(node?.name?.value ?? '') };
    }),
  );
  await world.cdp.detach();
  return cases.map((_, at) => ({
    ours: ours[at] ?? { role: '', name: '' },
    theirs: theirs[at] ?? { role: '', name: '' },
  }));
}

const plain = (name: string): string => name.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
// An element without meaning is none or generic, depending on the implementation.
const meaning = (role: string): string => (role === 'none' ? 'generic' : role);

test('names and roles', async () => {
  const all = [...names, ...roles];
  const rates = new Map<string, { cases: number; ours: number; theirs: number }>();
  const wrong: string[] = [];
  const count = (kind: string, ours: boolean, theirs: boolean): void => {
    const rate = rates.get(kind) ?? { cases: 0, ours: 0, theirs: 0 };
    rate.cases += 1;
    rate.ours += ours ? 1 : 0;
    rate.theirs += theirs ? 1 : 0;
    rates.set(kind, rate);
  };
  for (let from = 0; from < all.length; from += 60) {
    const some = all.slice(from, from + 60);
    const seen = await both(some);
    some.forEach(({ html, role, name }, at) => {
      const { ours, theirs } = seen[at] as { ours: Seen; theirs: Seen };
      if (role !== undefined) {
        const right = meaning(ours.role) === meaning(role);
        count('roles', right, meaning(theirs.role) === meaning(role));
        if (!right) wrong.push(`${html}: role ${role}, ours ${ours.role}, Chromium ${theirs.role}`);
      }
      if (name !== undefined) {
        const right = ours.name === name;
        const rightToo = plain(theirs.name) === plain(name);
        count('names', right, rightToo);
        if (role !== undefined && widgets.has(role)) count('names of widgets', right, rightToo);
        if (!right)
          wrong.push(
            `${html}: ${JSON.stringify(name)}, ours ${JSON.stringify(ours.name)}, Chromium ${JSON.stringify(theirs.name)}`,
          );
      }
    });
  }
  const share = (kind: string, who: 'ours' | 'theirs'): number => {
    const rate = rates.get(kind);
    return rate ? rate[who] / rate.cases : 0;
  };
  for (const [kind, { cases }] of rates)
    console.log(
      `${kind}: ${cases} cases, ours ${(100 * share(kind, 'ours')).toFixed(1)} %, Chromium ${(100 * share(kind, 'theirs')).toFixed(1)} %`,
    );
  console.log(wrong.join('\n'));
  expect(all.length).toBeGreaterThan(400);
  expect(share('names of widgets', 'ours')).toBeGreaterThanOrEqual(0.99);
  expect(share('names', 'ours')).toBeGreaterThanOrEqual(0.97);
  expect(share('roles', 'ours')).toBeGreaterThanOrEqual(0.98);
});
