// The built window in a real Chromium, with a fake backend.
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import type { FakeOptions } from '../fakes/wails';

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
}

export interface Stage {
  /** Opens the window with a fake backend with these options. */
  open(show?: Show): Promise<Page>;
  close(): Promise<void>;
}

/** Serves the built window and starts the browser. */
export async function raise(): Promise<Stage> {
  const script = await bundleFake();
  const server = await serve(join(root, 'dist'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const browser: Browser = await chromium.launch({
    executablePath: process.env.PILOTFISH_CHROMIUM ?? '/usr/bin/chromium',
    // As root, which containers run as, Chromium needs its sandbox off.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });

  return {
    async open({ scheme = 'light', width = 900, height = 640, ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const page = await context.newPage();
      // Less than the test's timeout, so that a failure names its step.
      page.setDefaultTimeout(10_000);
      page.on('pageerror', (error) => {
        throw error;
      });
      await page.addInitScript(`globalThis.fakeOptions = ${JSON.stringify(options)};\n${script}`);
      await page.goto(`http://127.0.0.1:${String(port)}/`);
      return page;
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
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
    const { pathname } = new URL(request.url ?? '/', 'http://window');
    const file = pathname === '/' ? '/index.html' : pathname;
    const body = files.get(file);
    if (body) {
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(body);
    } else {
      response.writeHead(404).end();
    }
  });
}
