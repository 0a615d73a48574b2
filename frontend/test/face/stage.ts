// The built window in a real Chromium, with a fake backend.
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import type { FakeOptions } from '../fakes/wails';
import { headless } from './headless';

const root = fileURLToPath(new URL('../..', import.meta.url));

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Show extends FakeOptions {
  scheme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Opens the control page, with this code in its address; empty for none. */
  code?: string;
}

/** What all tests of a run share: a new page is a new process, which costs more than most tests. */
interface Stage {
  page: Page;
  url: string;
  script: string;
}

let stage: Promise<Stage> | undefined;
/** Removes what the last window ran before its page. */
let before: { dispose(): Promise<void> } | undefined;
let openings = 0;

/** Serves the built window and starts the browser. Both end with the run. */
async function raise(): Promise<Stage> {
  const [script, server, browser] = await Promise.all([
    bundleFake(),
    serve(join(root, 'dist')),
    chromium.launch(headless),
  ]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  // Less than the test's timeout, so that a failure names its step.
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => {
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  return { page, url: `http://127.0.0.1:${String(port)}/`, script };
}

/**
 * Opens the window with a fake backend with these options. The page is that of the test before, in
 * its first state.
 */
export async function openWindow({
  scheme = 'light',
  width = 900,
  height = 640,
  code,
  ...options
}: Show = {}): Promise<Page> {
  const { page, url, script } = await (stage ??= raise());
  await before?.dispose();
  // The pointer is nowhere in a new page.
  await page.mouse.move(-1, -1);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: null });
  before = await page.addInitScript(
    `if (sessionStorage.getItem('opening') !== '${String(++openings)}') {
      sessionStorage.clear();
      localStorage.clear();
      sessionStorage.setItem('opening', '${String(openings)}');
    }
    globalThis.fakeOptions = ${JSON.stringify({ ...options, control: code !== undefined })};\n${script}`,
  );
  // With the same path and another fragment, it would not be loaded again.
  if (code === undefined) await page.goto(url);
  else await page.goto(`${url}control/?${String(openings)}${code === '' ? '' : `#code=${code}`}`);
  return page;
}

async function bundleFake(): Promise<string> {
  const output = (await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry: join(root, 'test/fakes/inject.ts'), formats: ['iife'], name: 'fakeBackend' },
    },
  })) as Rolldown.RolldownOutput[];
  const code = output[0]?.output[0].code;
  if (code === undefined) throw new Error('the fake backend was not bundled');
  return code;
}

/** Serves the build from memory as it is now, so that a new build does not disturb the tests. */
async function serve(dist: string): Promise<Server> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(`/${relative(dist, file)}`, await readFile(file));
  }
  return createServer((request, response) => {
    // Below /control/ it is the control page.
    const pathname = new URL(request.url ?? '/', 'http://window').pathname.replace(
      /^\/control\//,
      '/',
    );
    const file = pathname === '/' ? '/index.html' : pathname;
    const body = files.get(file);
    if (body) {
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(body);
    } else {
      response.writeHead(404).end();
    }
  });
}
