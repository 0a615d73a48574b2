// The window in the pseudo-language: whatever is in English here is data, or no translation reaches it.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPseudo, cut, english, inPseudo } from '../../ui/texts/look';
import { raise, type Stage } from './stage';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pictures = process.env.PILOTFISH_PICTURES;

let folder: string;
let stage: Stage;
/** Every string of the fake backend. */
let data: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilotfish-texts-'));
  const dist = await buildPseudo(build, root, folder);
  // The settings are worded by the backend.
  const sources = (await readdir(join(root, 'test/fakes'))).filter((name) => name.endsWith('.ts'));
  const fakes = await Promise.all(
    sources.map((name) => readFile(join(root, 'test/fakes', name), 'utf8')),
  );
  const registry = join(root, '../backend/config/testdata/registry.json');
  data = [...fakes, await readFile(registry, 'utf8')].join('\n').toLowerCase();
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  stage = await raise(dist);
}, 120_000);
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true });
});

/** A tab, a name with a version, a unit, and a date, which the browser words. */
const composed = /^(?:t\d+|.* [\d.]+|[kMG]?B|[A-Z][a-z]{2} \d+)$/;

test.each([
  ['Sessions', 'h2'],
  ['Settings', '[aria-label="Theme"], label'],
])('%s are in the other language, and fit', async (name, part) => {
  const page: Page = inPseudo(await stage.open({ width: 320 }));
  await page.getByRole('button', { name, exact: true }).click();
  await page.locator('main').locator(part).first().waitFor();
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/pseudo-window-${name}.png` });
  const { translated, rest } = await english(page);
  expect(translated).toBeGreaterThan(10);
  const missing = rest.filter(
    ({ text }) => !composed.test(text) && !data.includes(text.toLowerCase()),
  );
  expect(missing).toEqual([]);
  expect(await cut(page)).toEqual([]);
  await page.context().close();
});
