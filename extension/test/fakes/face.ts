import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { headless } from '../../../frontend/test/face/headless';
import { FakeBackend, types } from './backend';
import { installFakeChrome, type FakeChrome } from './chrome';

declare global {
  var fakeChrome: FakeChrome;
}

/** The timeout for one step in a page, in ms. */
const patience = 60_000;

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** Options for opening a panel. */
export interface FaceOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Whether to open it without a pairing in the storage. */
  readonly unpaired?: boolean;
  /** Whether the app's page is open in the browser. */
  readonly welcome?: boolean;
  /** The face that was chosen last. */
  readonly face?: string;
  /** Whether it is a second panel, beside the one that is open. */
  readonly beside?: boolean;
}

/** Starts a browser. */
export function launch(): Promise<Browser> {
  return chromium.launch(headless);
}

/**
 * The panel's page. All tests of a run have one browser and one page, because a new page is a
 * new process, which costs more than most tests do. It ends with the run.
 */
let shared: Promise<Page> | undefined;
let openings = 0;
/** Removes what the last panel ran before its page. */
let before: { dispose(): Promise<void> } | undefined;

/**
 * Serves the built panel from one address for all tests, so that the browser compiles its scripts
 * once.
 */
async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://panel').pathname;
    readFile(join(dist, path)).then(
      (data) => {
        response
          .writeHead(200, {
            'Content-Type': types[extname(path)] ?? 'text/plain',
            'Cache-Control': 'max-age=3600',
          })
          .end(data);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/panel.html`;
}
let address: Promise<string> | undefined;

async function newPage(): Promise<Page> {
  const browser = await launch();
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // Less than a test's timeout, so that a failure names its step.
  context.setDefaultTimeout(patience);
  return context.newPage();
}

/**
 * A backend with two tabs and a few agents, which serves the built panel. It stops when the test
 * ends.
 */
export async function backend(): Promise<FakeBackend> {
  const made = new FakeBackend(dist);
  onTestFinished(() => made.stop());
  const tab = { active: true, focused: true, loading: false, windowId: 1 };
  made.tabs = [
    {
      ...tab,
      id: 't1',
      url: 'https://example.com/',
      title: 'Example Domain',
      chromeTabId: 11,
      index: 0,
    },
    {
      ...tab,
      id: 't2',
      url: 'https://developer.mozilla.org/en-US/docs/Web/API/WebSocket',
      title: 'WebSocket - Web APIs | MDN',
      chromeTabId: 12,
      index: 1,
      active: false,
      focused: false,
    },
  ];
  made.agents = {
    version: 1,
    default: 'claude',
    agents: [
      { kind: 'claude', name: 'Claude Code', installed: true, version: '2.1.4', chat: 'acp' },
      { kind: 'shell', name: 'Shell', installed: true, version: 'bash 5.2' },
      {
        kind: 'codex',
        name: 'Codex',
        installed: false,
        install: 'npm install -g @openai/codex',
        url: 'https://github.com/openai/codex',
        problem: 'not on the PATH',
      },
      {
        kind: 'gemini',
        name: 'Gemini CLI',
        installed: false,
        install: 'npm install -g @google/gemini-cli',
      },
      { kind: 'custom', name: 'Command of your own', installed: true, chat: 'acp' },
    ],
  };
  await made.start();
  return made;
}

/** Opens the panel of a backend. The page is that of the test before, in its first state. */
export async function openPanel(
  made: FakeBackend,
  {
    width = 400,
    height = 640,
    dark = false,
    unpaired = false,
    welcome = false,
    face,
    beside,
  }: FaceOptions = {},
): Promise<Page> {
  let page = await (shared ??= newPage());
  if (beside) {
    page = await page.context().newPage();
    onTestFinished(() => page.close());
  } else {
    await before?.dispose();
    await page.unrouteAll();
    // The pointer is nowhere in a new page.
    await page.mouse.move(-1, -1);
  }
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: null });
  const script = await page.addInitScript(installFakeChrome, {
    pairing: unpaired ? null : made.pairing,
    welcome: welcome ? made.port : undefined,
    windowId: 1,
    activeTab: 11,
    opening: beside ? undefined : ++openings,
    kept: face === undefined ? {} : { 'pilotfish.faces': { last: face, tabs: {} } },
  });
  if (!beside) before = script;
  await page.goto(await (address ??= serve()));
  return page;
}

/** Leaves a screenshot in the folder for them, for users to inspect; none when it is not set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PILOTFISH_PICTURES;
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
}
