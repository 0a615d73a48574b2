// The pages about other programs and MCP servers, in a real browser, over the app's own code: its
// answers come from a program that has the files of a temporary home.
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openWindow, type Show } from './stage';
import { accessible } from './violations';

const top = fileURLToPath(new URL('../../..', import.meta.url));

let built: string;
// The first build of the program takes a minute on a machine that is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'pilotfish-calls-'));
  execFileSync('go', ['build', '-o', join(built, 'pilotfish'), './app/programs/fakes/calls'], {
    cwd: top,
    stdio: 'inherit',
  });
});
afterAll(async () => {
  await rm(built, { recursive: true });
});

/** A home folder, and the window over its files. */
interface Home {
  page: Page;
  path: (...parts: string[]) => string;
  put: (text: string, ...parts: string[]) => Promise<void>;
  read: (...parts: string[]) => Promise<string>;
  close: () => Promise<void>;
}

async function open(show: Show = {}): Promise<Home> {
  const home = await mkdtemp(join(tmpdir(), 'pilotfish-home-'));
  const path = (...parts: string[]) => join(home, ...parts);
  const program: ChildProcessWithoutNullStreams = spawn(join(built, 'pilotfish'), [], {
    env: { HOME: home, PATH: path('bin'), PILOTFISH_HOME: path('state') },
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface(program.stdout).on('line', (line) => waiting.shift()?.(line));
  const page = await openWindow({ width: 1024, height: 700, ...show, bridged: true });
  const bridge = await page.exposeFunction(
    'bridged',
    (method: string, request: unknown) =>
      new Promise<string>((resolve) => {
        waiting.push(resolve);
        program.stdin.write(`${JSON.stringify({ method, request })}\n`);
      }),
  );
  return {
    page,
    path,
    put: async (text, ...parts) => {
      await mkdir(path(...parts.slice(0, -1)), { recursive: true });
      await writeFile(path(...parts), text);
    },
    read: (...parts) => readFile(path(...parts), 'utf8'),
    close: async () => {
      await bridge.dispose();
      program.stdin.end();
      await new Promise((resolve) => program.once('exit', resolve));
      await rm(home, { recursive: true });
    },
  };
}

const enter = (page: Page) => page.getByRole('button', { name: 'Settings', exact: true }).click();

const item = (page: Page, name: string): Locator =>
  page.getByRole('listitem', { name, exact: true });

/** Expects that axe finds nothing, and nothing is wider than the window. */
async function clean(page: Page): Promise<void> {
  await accessible(page);
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('main *, dialog[open] *')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
      .filter((one) => getComputedStyle(one).display !== 'inline')
      .map((one) => one.outerHTML.slice(0, 80)),
  );
  expect(wide).toEqual([]);
}

const picture = async (page: Page, name: string, at?: Locator): Promise<void> => {
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder === undefined) return;
  await at?.scrollIntoViewIfNeeded();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() =>
      Promise.all(document.getAnimations().map(({ finished }) => finished)),
    );
    await page.screenshot({ path: `${folder}/programs-${name}-${colorScheme}.png` });
  }
};

test('a program is connected after its change was shown, verified, and removed', async () => {
  const home = await open();
  const { page } = home;
  const before = '// mine\n{"mcpServers": {"files": {"command": "npx"}}}\n';
  await home.put(before, '.cursor', 'mcp.json');
  await home.put('{"mcpServers": ', '.copilot', 'mcp-config.json');
  await enter(page);
  const cursor = item(page, 'Cursor');
  await cursor.getByText('Not connected').waitFor();
  await cursor.getByText(home.path('.cursor', 'mcp.json')).waitFor();
  await item(page, 'Zed').getByText('Not installed').waitFor();
  // Settings that cannot be read say so, and cannot be changed.
  const copilot = item(page, 'GitHub Copilot CLI');
  await copilot.getByText('Settings cannot be read').waitFor();
  expect(await copilot.getByRole('button', { name: 'Connect' }).count()).toBe(0);
  await home.put('{"mcpServers": {}}', '.copilot', 'mcp-config.json');
  await copilot.getByRole('button', { name: 'Read the settings of GitHub Copilot' }).click();
  await copilot.getByText('Not connected').waitFor();

  await cursor.getByRole('button', { name: 'Connect Cursor…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Connect Cursor?' });
  await dialog.getByLabel('The change').getByText('pilotfish').waitFor();
  expect(await dialog.getByLabel('The change').textContent()).toMatch(/"args": \[\s+\+\s+"mcp"/);
  await clean(page);
  await picture(page, 'change');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await home.read('.cursor', 'mcp.json')).toBe(before);

  await cursor.getByRole('button', { name: 'Connect Cursor…' }).click();
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await cursor.getByText('Cursor is connected: the server starts and has 1 tool.').waitFor();
  await cursor.getByText('Connected', { exact: true }).waitFor();
  expect(await home.read('.cursor', 'mcp.json')).toContain(join(built, 'pilotfish'));
  await cursor.getByText('What was changed').click();
  await clean(page);
  await picture(page, 'connected', cursor);
  await cursor.getByRole('button', { name: 'Remove Pilotfish from Cursor' }).click();
  await cursor.getByText('Cursor is not connected any more').waitFor();
  expect(await home.read('.cursor', 'mcp.json')).toBe(before);

  // The change is made, and the server does not start: the page says what to do.
  await home.put('', 'broken');
  await cursor.getByRole('button', { name: 'Connect Cursor…' }).click();
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await cursor.getByRole('alert').getByText('its server does not start').waitFor();
  await cursor.getByRole('alert').getByText('`pilotfish doctor` checks').waitFor();
  // What another program broke meanwhile is said in place, too.
  await home.put('{', '.cursor', 'mcp.json');
  await cursor.getByRole('button', { name: 'Remove Pilotfish from Cursor' }).click();
  await cursor.getByRole('alert').getByText('is left as it is').waitFor();
  await cursor.getByText('Settings cannot be read').waitFor();
  await picture(page, 'refused', cursor);
  await home.close();
});

test('MCP servers are added, permitted, imported and removed', async () => {
  const home = await open({ width: 480, height: 700 });
  const { page } = home;
  await home.put(
    '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "files"], "env": {"KEY": "hunter1"}}, "old": {"type": "sse", "url": "https://old.example"}}}',
    '.cursor',
    'mcp.json',
  );
  await enter(page);
  const list = page.getByRole('list', { name: 'MCP servers' });
  await list.getByText('No MCP servers yet').waitFor();
  await picture(page, 'servers-empty', page.getByRole('button', { name: 'New MCP server' }));
  await page.getByRole('button', { name: 'New MCP server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('hub');
  await dialog.getByLabel('Command line or address').fill('https://hub.example/mcp');
  await dialog.getByRole('button', { name: 'Header', exact: true }).click();
  await dialog.getByLabel('Name of header 1').fill('Authorization');
  const value = dialog.getByLabel('Value of header 1');
  expect(await value.getAttribute('type')).toBe('password');
  await value.fill('Bearer hunter2-hunter2');
  await clean(page);
  await picture(page, 'servers-add');
  // Without a keychain it is refused, and what was typed stays.
  await home.put('', 'locked');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('alert').getByText('there is no keychain to keep it in').waitFor();
  await dialog.getByRole('alert').getByText('op://vault/item/field').waitFor();
  await rm(home.path('locked'));
  await value.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  const hub = item(page, 'hub');
  await hub.getByText('https://hub.example/mcp').waitFor();
  await hub.getByText('with Authorization').waitFor();
  const kept = () => home.read('pilotfish', 'mcp-servers.json');
  expect(await kept()).not.toContain('hunter2');
  expect(await page.content()).not.toContain('hunter2');

  await hub.getByLabel('Permission of hub').selectOption('allow');
  await page.getByText('Conversations that have an agent already keep').waitFor();
  expect(await kept()).toContain('"permission": "allow"');

  await page.getByLabel('Program to import from').selectOption('cursor');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('Imported from Cursor: files.').waitFor();
  await page.getByText('old is left out: it speaks the old transport SSE').waitFor();
  await item(page, 'files').getByText('with KEY · from cursor').waitFor();
  expect(await page.content()).not.toContain('hunter1');
  await page.setViewportSize({ width: 320, height: 700 });
  await clean(page);
  await picture(page, 'servers', list);

  await hub.getByRole('button', { name: 'Remove MCP server hub' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await hub.waitFor({ state: 'detached' });
  expect(await kept()).not.toContain('hub');
  // A list that cannot be read is said in place.
  await home.put('{', 'pilotfish', 'mcp-servers.json');
  await item(page, 'files').getByLabel('Permission of files').selectOption('deny');
  await page.getByRole('alert').getByText('the list of your MCP servers cannot be read').waitFor();
  // The select shows what is in force once the list was asked for again.
  await expect
    .poll(() => item(page, 'files').getByLabel('Permission of files').inputValue())
    .toBe('ask');
  // What was removed elsewhere is said, and is not shown any more.
  await rm(home.path('pilotfish', 'mcp-servers.json'));
  await item(page, 'files').getByLabel('Permission of files').selectOption('deny');
  await page.getByText('you have no MCP server of this name').waitFor();
  await item(page, 'files').waitFor({ state: 'detached' });
  await home.close();
});
