// The panel in the pseudo-language: whatever is in English here is data, or no translation reaches it.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPseudo, cut, dataOf, english, inPseudo } from '$ui/texts/look';
import { activityStates } from './activity-states';
import { chatModelStates } from './chat-model-states';
import { chatStates } from './chat-states';
import { backend, launch, openPanel } from './fakes/face';
import { agentScreen, states } from './states';
import { taskStates } from './task-states';
import { toolStates } from './tools-states';

/** The folder for pictures of every state; without it only the main ones are looked at. */
const pictures = process.env.PILOTFISH_PICTURES;
const main =
  /^(?:live|approval|empty-tab|close-asks|chat-(?:empty|permission|list|model-setup)|task-(?:empty|interrupted|history)|activity-empty|clean-up)$/;

/** What is shown in English on purpose, or comes from the browser. */
const kept = new Set([
  // Instructions that Pilot reads.
  ...['Read this page', 'List the links', 'Take a screenshot', 'Scroll down'],
  // Sites of the fake content script.
  ...['b.example', 'a-rather-long-name.example.org'],
]);

/** States that are reached by words which the pseudo-language changes otherwise: by their case. */
const unreachable = /^(?:needs-you|chat-answer|chat-pick|task-tab-closed)$/;

const all = [
  ...states,
  ...chatStates,
  ...chatModelStates,
  ...taskStates,
  ...activityStates,
  ...toolStates,
].filter(({ name }) => (pictures === undefined ? main.test(name) : !unreachable.test(name)));

let folder: string;
let dist: string;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilotfish-texts-'));
  dist = await buildPseudo(build, fileURLToPath(new URL('..', import.meta.url)), folder);
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

it.each(all)('$name is in the other language, and fits', async (state) => {
  const made = await backend(dist);
  made.greeting = agentScreen;
  state.prepare?.(made);
  const data = new Set<string>();
  const { page, context } = await openPanel(browser, made, {
    width: 320,
    unpaired: state.unpaired ?? false,
    before: (page) => {
      dataOf(page, data);
    },
  });
  try {
    await state.act?.(inPseudo(page), made);
    if (pictures !== undefined)
      await page.screenshot({
        path: `${pictures}/pseudo-${state.name}.png`,
        animations: 'disabled',
      });
    expect(await page.locator('html').getAttribute('lang')).toBe('en-XA');
    const { translated, rest } = await english(page);
    expect(translated).toBeGreaterThan(3);
    const sent = [...data].join('\n').replace(/\s+/g, ' ').toLowerCase();
    const missing = rest.filter(
      ({ text }) => !kept.has(text) && !sent.includes(text.toLowerCase()),
    );
    expect(missing).toEqual([]);
    expect(await cut(page)).toEqual([]);
  } finally {
    await context.close();
    await made.stop();
  }
});
