// States of the app as the backend would send them, for development and for the window's tests.
import registry from '../../../backend/config/testdata/registry.json' with { type: 'json' };
import type {
  AgentsFile,
  Approval,
  Attaching,
  LogRecord,
  SessionInfo,
  Settings,
  Tab,
  TerminalInfo,
  WindowConversation,
  WindowState,
} from '../../ui/protocol/protocol';

/** The settings of a new installation, as the registry has them. */
function defaults(): Settings {
  const all: Record<string, unknown> = {};
  for (const { field, default: value } of registry.settings) {
    const [outer = '', inner] = field.split('.');
    all[outer] =
      inner === undefined ? value : { ...(all[outer] as object | undefined), [inner]: value };
  }
  return all as unknown as Settings;
}

export const settings: Settings = { ...defaults(), workDir: '/home/ada/src/shop' };

export const agents: AgentsFile = {
  version: 1,
  default: 'claude',
  agents: [
    {
      kind: 'claude',
      name: 'Claude Code',
      installed: true,
      path: '/usr/local/bin/claude',
      version: '2.1.40',
    },
    {
      kind: 'codex',
      name: 'Codex',
      installed: false,
      install: 'npm install -g @openai/codex',
      problem: 'Codex is not on the PATH',
    },
    { kind: 'shell', name: 'Shell (bash)', installed: true, path: '/bin/bash', version: '5.2.15' },
  ],
};

function tab(id: number, title: string, url: string, rest: Partial<Tab> = {}): Tab {
  return {
    id: `t${String(id)}`,
    title,
    url,
    active: false,
    focused: false,
    loading: false,
    index: id - 1,
    ...rest,
  };
}

function terminal(id: string, tabId: string, rest: Partial<TerminalInfo> = {}): TerminalInfo {
  return {
    id,
    session: 'default',
    tab: tabId,
    agent: 'claude',
    name: 'claude',
    title: '',
    state: 'live',
    status: 'working',
    epoch: 1,
    cols: 80,
    rows: 24,
    startedAt: '2026-11-21T09:30:00Z',
    viewers: 1,
    ...rest,
  };
}

/** A session that has been running for some minutes. */
export function runningSession(minutes = 184): SessionInfo {
  return {
    name: 'default',
    state: 'running',
    startedAt: new Date(Date.now() - minutes * 60_000).toISOString(),
    warnings: [],
    browser: {
      name: 'Chromium',
      version: '156.0.8078.73',
      path: '/usr/bin/chromium',
      pid: 4711,
      sandbox: true,
    },
    panel: 'connected',
    tabs: [
      tab(1, 'Checkout · Shop admin', 'http://localhost:5173/checkout?step=2', {
        active: true,
        focused: true,
        agent: { name: 'claude', status: 'needs_you' },
      }),
      tab(2, 'Payment intents — API reference', 'https://docs.example.com/api/payments/intents', {
        agent: { name: 'claude', status: 'working' },
      }),
      tab(4, '', 'https://status.example.com/', { loading: true }),
      tab(
        7,
        'A rather long title of an issue that somebody wrote in one go: the cart forgets its coupon',
        'https://git.example.com/shop/web/issues/1482#comment-9917',
        { agent: { name: 'bash', status: 'idle' } },
      ),
      tab(8, 'Map of the harbour', 'https://maps.example.com/harbour', { crashed: true }),
    ],
    terminals: [
      terminal('k1', 't1', { status: 'needs_you' }),
      terminal('k2', 't2'),
      terminal('k3', 't7', { agent: 'shell', name: 'bash', status: 'idle' }),
    ],
  };
}

export function stoppedSession(name = 'default'): SessionInfo {
  return {
    name,
    state: 'stopped',
    warnings: [],
    panel: 'absent',
    tabs: [],
    terminals: [],
  };
}

/** A session that was stopped. */
export function stoppedAgain({ name, title, identity }: SessionInfo): SessionInfo {
  return {
    ...stoppedSession(name),
    ...(title !== undefined && { title }),
    ...(identity && { identity }),
  };
}

const mine = { ...stoppedSession('mine'), title: 'Mine', identity: { browser: 'my-chrome' } };

/** A session that waits for its user's own browser. */
export function waitingSession(step: Attaching['step'], session: SessionInfo = mine): SessionInfo {
  return { ...session, state: 'starting', attaching: { browser: 'Google Chrome', step } };
}

/** A session whose user installs the extension by hand. */
function byHandSession(step: Attaching['step']): SessionInfo {
  const session = { ...mine, title: 'Plain', name: 'plain', identity: { browser: 'by-hand' } };
  return {
    ...session,
    state: 'starting',
    attaching: {
      browser: 'browser without remote debugging',
      step,
      folder: '/home/ada/.local/state/pilotfish/sessions/plain/extension',
      page: 'http://127.0.0.1:40123/welcome',
    },
  };
}

/** A session in a browser that an engine gives, or whose engine is full or cannot be reached. */
function elsewhereSession(waits?: 'full' | 'away'): SessionInfo {
  const identity = { browser: 'grid+https://ada:********@grid.example.com/' };
  const far = { ...mine, title: 'Far', name: 'far', identity };
  if (!waits) {
    const running = runningSession();
    const browser = { name: 'grid.example.com', version: '156.0', path: '', pid: 0, sandbox: true };
    return {
      ...running,
      ...far,
      state: 'running',
      tabs: running.tabs,
      browser: { ...browser, remote: true },
    };
  }
  const until = new Date(2026, 10, 28, 15, 4, 5).toISOString();
  return {
    ...far,
    state: waits === 'full' ? 'starting' : 'restarting',
    attaching: { browser: 'grid.example.com', step: waits, until },
  };
}

/** A session in its user's own browser. */
export function attachedSession(session: SessionInfo = mine): SessionInfo {
  return {
    ...stoppedAgain(session),
    state: 'running',
    startedAt: new Date(Date.now() - 12 * 60_000).toISOString(),
    browser: {
      name: 'Google Chrome',
      version: '',
      path: '',
      pid: 0,
      sandbox: true,
      attached: true,
      cannot: ['logins', 'signins', 'trace'],
    },
    panel: 'connected',
    tabs: [
      tab(1, 'Inbox (3) — Mail', 'https://mail.example.com/inbox', {
        active: true,
        focused: true,
        private: true,
      }),
      tab(2, 'Orders · Shop admin', 'https://shop.example.com/orders', {
        given: true,
        agent: { name: 'claude', status: 'idle' },
      }),
      tab(3, 'Parcel tracking', 'https://parcels.example.com/4711', {
        agent: { name: 'claude', status: 'working' },
      }),
    ],
  };
}

function windowState(sessions: SessionInfo[], rest: Partial<WindowState> = {}): WindowState {
  return {
    version: '0.1.0',
    sessions,
    conversations: [],
    agents,
    tray: 'shown',
    port: 40123,
    models: 0,
    schedules: 0,
    work: 0,
    theme: 'system',
    textSize: 100,
    settings: 0,
    confinement: { on: true },
    browsers: [
      { name: 'Chromium', path: '/usr/bin/chromium' },
      { name: 'Google Chrome', path: '/usr/bin/google-chrome' },
    ],
    stateDir: '/home/ada/.local/state/pilotfish',
    logDir: '/home/ada/.local/state/pilotfish/logs',
    ...rest,
  };
}

/** The conversations of runningSession. */
const conversations: WindowConversation[] = [
  {
    session: 'default',
    id: 'c1',
    tab: 't1',
    title: 'Why does the coupon go away at the second step, and only then?',
    agent: 'claude',
    agentName: 'Claude Code',
    state: 'needs_you',
    waiting: 2,
  },
  {
    session: 'default',
    id: 'c2',
    tab: 't2',
    title: 'Summarise this page',
    agent: 'gemini',
    agentName: 'Gemini CLI',
    state: 'running',
  },
  {
    session: 'default',
    id: 'c3',
    tab: 't2',
    title: '',
    agent: 'pilot',
    agentName: 'Pilot',
    state: 'idle',
  },
  {
    session: 'default',
    id: 'c4',
    title: 'Prices of last week \u202e',
    agent: 'codex',
    agentName: 'Codex',
    state: 'running',
  },
];

/** A question of an agent that waits for the user. */
function question(id: string): Approval {
  return {
    id,
    session: 'default',
    actor: {
      kind: 'terminal',
      id: 'k1',
      name: 'claude in t1',
      agent: 'Claude Code',
      tab: 't1',
    },
    tab: 't1',
    url: 'http://localhost:5173/checkout?step=2',
    origin: 'http://localhost:5173',
    command: 'eval',
    kind: 'eval',
    site: 'localhost',
    words: {
      sentence:
        'Claude Code in the terminal of t1 wants to run JavaScript on http://localhost:5173',
      who: 'Claude Code in the terminal of t1',
      what: 'run JavaScript',
      where: 'http://localhost:5173',
      details: [
        {
          name: 'expression',
          value: 'for (const row of rows) {\n  row.remove(); // \u202e\n}',
        },
      ],
      may: 'run JavaScript',
    },
    since: '2026-11-21T09:30:00Z',
    expires: '2026-11-21T09:35:00Z',
  };
}

/** Every state that a user may meet, by name. */
export const scenarios: Record<string, () => WindowState> = {
  running: () => windowState([runningSession(), stoppedSession('work')]),
  approvals: () =>
    windowState([
      {
        ...runningSession(),
        approvals: [question('n1')],
      },
    ]),
  questions: () =>
    windowState([runningSession(), { ...runningSession(), name: 'work' }], {
      questions: [
        {
          session: 'default',
          task: 'q1',
          title: 'Order paper \u202e',
          tab: 't1',
          since: '2026-11-21T09:30:00Z',
          index: 7,
          text: 'The shop has two kinds of paper.\nWhich one do you want?',
        },
        {
          session: 'work',
          task: 'q2',
          title: 'click Add',
          since: '2026-11-21T09:31:00Z',
          index: 3,
          text: '2 elements on this page match “Add”. Which one do you mean?',
          choices: [
            { say: '1. “Add” (button)', ref: 'e3', where: 'Cart, a very long name of a place' },
            { say: '2. “Add to the list of wishes” (link)', ref: 'e9' },
            { say: 'Skip this step' },
          ],
        },
      ],
    }),
  twoApprovals: () =>
    windowState([{ ...runningSession(), approvals: [question('n1'), question('n2')] }]),
  conversations: () =>
    windowState([runningSession(), stoppedSession('work')], { conversations: conversations }),
  first: () =>
    windowState([runningSession(0)], {
      firstRun: true,
      browserInstall: 'sudo apt install chromium',
      browsers: [{ name: 'Chromium', path: '/usr/bin/chromium', version: '156.0.8078.73' }],
      agents: {
        ...agents,
        agents: [
          ...agents.agents.map((agent) =>
            agent.kind === 'claude'
              ? { ...agent, signedIn: 'found' as const, signIn: 'start claude and type /login' }
              : agent,
          ),
          {
            kind: 'gemini',
            name: 'Gemini CLI',
            installed: true,
            version: '0.61.0',
            signedIn: 'none',
            signIn: 'start gemini in a terminal and choose how to sign in',
          },
          ...Array.from({ length: 18 }, (_, at) => ({
            kind: `other${String(at)}`,
            name: `Other agent ${String(at)}`,
            installed: false,
            install: `curl -fsSL https://other${String(at)}.example/install.sh | bash`,
          })),
        ],
      },
    }),
  firstBare: () =>
    windowState([{ ...stoppedSession(), state: 'failed' }], {
      firstRun: true,
      browserInstall: 'sudo apt install chromium',
      browsers: [],
      agents: {
        ...agents,
        default: 'shell',
        agents: agents.agents.map((agent) =>
          agent.kind === 'claude'
            ? {
                kind: agent.kind,
                name: agent.name,
                installed: false,
                install: 'curl -fsSL https://claude.ai/install.sh | bash',
              }
            : agent,
        ),
      },
    }),
  stopped: () => windowState([stoppedSession()]),
  empty: () => windowState([]),
  starting: () => windowState([{ ...stoppedSession(), state: 'starting' }]),
  stopping: () => windowState([{ ...runningSession(), state: 'stopping', tabs: [] }]),
  restarting: () => windowState([{ ...stoppedSession(), state: 'restarting' }]),
  background: () => windowState([{ ...runningSession(), state: 'background' }]),
  attachSwitchOn: () => windowState([runningSession(0), waitingSession('switch-on')]),
  attachAllow: () => windowState([waitingSession('allow')]),
  byHandInstall: () => windowState([byHandSession('install')]),
  byHandCode: () => windowState([byHandSession('code')]),
  byHandPanel: () => windowState([byHandSession('panel')]),
  elsewhere: () => windowState([elsewhereSession()]),
  elsewhereFull: () => windowState([elsewhereSession('full')]),
  elsewhereAway: () => windowState([elsewhereSession('away')]),
  attached: () => windowState([attachedSession()]),
  attachedClosed: () =>
    windowState([{ ...attachedSession(), state: 'background', tabs: [] }], {
      conversations: conversations.map((one) => ({ ...one, session: 'mine' })).slice(0, 1),
    }),
  attachedStopped: () => windowState([mine]),
  attachRefused: () =>
    windowState([
      {
        ...mine,
        state: 'failed',
        error: {
          code: 'refused',
          message: 'Google Chrome was not allowed to be used',
          hint: 'start the session again and press Allow in its dialog',
        },
      },
    ]),
  blank: () => windowState([{ ...runningSession(0), tabs: [], terminals: [] }]),
  failed: () =>
    windowState(
      [
        {
          ...stoppedSession(),
          state: 'failed',
          error: {
            code: 'no_browser',
            message: 'No Chromium was found',
            hint: 'install Chromium (sudo apt install chromium), or choose a browser in Settings',
          },
        },
        {
          ...stoppedSession('work'),
          state: 'failed',
          error: {
            code: 'profile_in_use',
            message: 'Another browser holds the profile',
            hint: 'close the Chromium that uses /home/ada/.config/pilotfish/work/profile',
          },
        },
      ],
      { browsers: [] },
    ),
  warning: () =>
    windowState(
      [
        {
          ...runningSession(),
          warnings: [
            {
              code: 'no_sandbox',
              message: 'The browser runs without its sandbox',
              hint: 'start Pilotfish as an ordinary user',
            },
          ],
        },
      ],
      { tray: 'no_host' },
    ),
  problem: () =>
    windowState([stoppedSession()], {
      port: 0,
      problem: {
        code: 'not_writable',
        message: 'The state folder cannot be written',
        hint: 'make /home/ada/.local/state/pilotfish yours: chown -R ada ~/.local/state/pilotfish',
      },
    }),
  foreign: () =>
    windowState([
      {
        ...runningSession(),
        tabs: [
          tab(1, 'Beispiel \u202e“quoted” 🐟', 'https://example.com/\u202egnp.exe', {
            focused: true,
          }),
          tab(2, '<img src=x onerror=alert(1)>', 'javascript:alert(1)'),
          tab(3, 'مرحبا بالعالم', 'https://ar.example.com/'),
        ],
      },
    ]),
};

const messages: readonly (readonly [string, string, string, string])[] = [
  ['INFO', 'server', 'listening', 'port=40123'],
  ['DEBUG', 'hub', 'subscriber added', 'subscribers=2 queue=256'],
  ['INFO', 'browser', 'browser started', 'path=/usr/bin/chromium version=156.0.8078.73 pid=4711'],
  ['INFO', 'terminal', 'terminal started', 'terminal=k3v9 tab=t1 agent=claude cols=80 rows=24'],
  ['WARN', 'browser', 'the browser runs without its sandbox', 'reason="started as root"'],
  ['DEBUG', 'terminal', 'checkpoint taken', 'terminal=k3v9 epoch=1 offset=131072 bytes=9120'],
  ['INFO', 'auth', 'panel token rotated', 'session=default grace=10s'],
  [
    'ERROR',
    'command',
    'navigation failed',
    'tab=t2 url=https://status.example.com/ err="net::ERR_CONNECTION_REFUSED"',
  ],
];

/** One record of an endless log. */
export function logRecord(seq: number): LogRecord {
  const [level, component, message, attrs] = messages[seq % messages.length] ?? [
    'INFO',
    '',
    '',
    '',
  ];
  return {
    seq,
    time: new Date(Date.UTC(2026, 10, 21, 9, 30) + seq * 137).toISOString(),
    level,
    component,
    message,
    attrs,
  };
}
