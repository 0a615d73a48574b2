import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { FakeBackend } from './backend';
import { installFakeChrome, type FakeChrome } from './chrome';

declare global {
  var fakeChrome: FakeChrome;
}

/** The timeout for one step in a page, in ms. */
const patience = 20_000;

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** Options for opening a panel. */
export interface FaceOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Whether to open it without a pairing in the storage. */
  readonly unpaired?: boolean;
  /** The face that was chosen last. */
  readonly face?: string;
}

/** The browser that the panel is opened in. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // As root, which containers run as, Chromium needs its sandbox off.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/** A backend with two tabs and a few agents, which serves the built panel. */
export async function backend(): Promise<FakeBackend> {
  const made = new FakeBackend(dist);
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

/** Opens the panel of a backend. */
export async function openPanel(
  browser: Browser,
  made: FakeBackend,
  { width = 400, height = 640, dark = false, unpaired = false, face }: FaceOptions = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // Less than a test's timeout, so that a failure names its step.
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await page.addInitScript(installFakeChrome, {
    pairing: unpaired ? null : made.pairing,
    windowId: 1,
    activeTab: 11,
    kept: face === undefined ? {} : { 'pilotfish.faces': { last: face, tabs: {} } },
  });
  await page.goto(`http://127.0.0.1:${String(made.port)}/panel.html`);
  return { page, context };
}
