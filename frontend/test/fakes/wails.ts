// A small fake of the Go app: the bridge and the events as Wails adds them to the window, with a
// state that changes like the real one.
import type {
  LiveFrame,
  LiveInput,
  LogRecord,
  NewSession,
  SessionIdentity,
  SessionInfo,
  Settings,
  SiteRule,
  WindowState,
} from '../../ui/protocol/protocol';
import registry from '../../../backend/config/testdata/registry.json' with { type: 'json' };
import { fakeModels } from './models';
import { fakePrograms } from './programs';
import { fakeClients } from './clients';
import { fakeSecrets } from './secrets';
import { fakeSchedules, someAnswers, someSchedules, someWork } from './schedules';
import { FakeConversations } from './conversations';
import {
  attachedSession,
  logRecord,
  runningSession,
  scenarios,
  settings,
  stoppedAgain,
  stoppedSession,
  waitingSession,
} from './scenarios';

export interface FakeOptions {
  scenario?: string;
  /** How many records the log has. */
  records?: number;
  /** When true, State() answers only after release() was called. */
  held?: boolean;
  /** Whether there is a keychain; true by default. */
  keychain?: boolean;
  /** Whether the test answers for other programs and MCP servers (window.bridged). */
  bridged?: boolean;
  /** When false, there are no schedules. */
  schedules?: boolean;
  /** Whether the page is the control page, which has the app over HTTP. */
  control?: boolean;
  /** State() fails with this text. */
  refuse?: string;
}

/** How a test controls the fake: window.fake. */
export interface Fake {
  /** Every call so far, as [operation, session, input], each if there is one. */
  readonly calls: unknown[][];
  state: WindowState;
  settings: Settings;
  /** The conversations of the state. */
  readonly conversations: FakeConversations;
  /** Sends an event. */
  emit(event: string, data: unknown): void;
  /** Changes the state and pushes the complete state. */
  push(change: Partial<WindowState>): void;
  /** Appends records to the log and sends them as one batch. */
  log(count: number): void;
  release(): void;
  /** The next call of a method fails with this text. */
  refuseNext(method: string, text: string): void;
  /** The user does the next step in the own browser that a session waits for. */
  attach(session: string): void;
  /** What a live view was sent, on the control page. */
  readonly live: LiveInput[];
  /** Sends a picture of one colour to the live view. */
  picture?(colour: string): Promise<void>;
  /** Sends the state of the tab to the live view. */
  shows?(state: LiveFrame): void;
  /** Ends the access of the control page. */
  revoke?(): void;
}

declare global {
  interface Window {
    fake?: Fake;
  }
}

/** Installs the fake on a window. */
export function install(target: Window, options: FakeOptions = {}): Fake {
  const heard = new Map<string, Set<(...data: unknown[]) => void>>();
  const records: LogRecord[] = [];
  const refused = new Map<string, string>();
  let release: () => void = () => undefined;
  const released = options.held
    ? new Promise<void>((resolve) => {
        release = resolve;
      })
    : Promise.resolve();
  for (let seq = 1; seq <= (options.records ?? 40); seq++) records.push(logRecord(seq));

  const make = scenarios[options.scenario ?? 'running'];
  if (!make) throw new Error(`no scenario ${String(options.scenario)}`);

  const state = make();
  const fake: Fake = {
    calls: [],
    live: [],
    state,
    conversations: new FakeConversations(state.conversations),
    settings: { ...settings },
    emit(event, data) {
      for (const listener of heard.get(event) ?? []) listener(structuredClone(data));
    },
    push(change) {
      fake.state = { ...fake.state, ...change };
      fake.emit('state', fake.state);
    },
    log(count) {
      const batch: LogRecord[] = [];
      for (let n = 0; n < count; n++) batch.push(logRecord((records.at(-1)?.seq ?? 0) + 1 + n));
      records.push(...batch);
      fake.emit('log', batch);
    },
    release: () => {
      release();
    },
    refuseNext(method, text) {
      refused.set(method, text);
    },
    attach(name) {
      const session = fake.state.sessions.find((one) => one.name === name);
      if (session?.attaching?.step === 'switch-on') {
        change(name, () => waitingSession('allow', session));
        return;
      }
      change(name, (one) => attachedSession(one));
      waiting.get(name)?.();
    },
  };

  const identities = new Map<string, SessionIdentity>();
  /** Ends the starts that wait for the user: with a text when the session was stopped. */
  const waiting = new Map<string, (stopped?: string) => void>();
  let rules: SiteRule[] = [
    { site: 'localhost', kind: 'eval', decision: 'allow' },
    { site: '*', kind: 'open', decision: 'allow', default: true },
    { site: '*', kind: 'act', decision: 'allow', default: true },
    { site: '*', kind: 'sensitive', decision: 'ask', default: true },
  ];

  function change(name: unknown, to: (session: SessionInfo) => SessionInfo): void {
    if (!fake.state.sessions.some((session) => session.name === name)) {
      throw new Error(
        JSON.stringify({ code: 'unknown_session', message: 'there is no such session' }),
      );
    }
    fake.push({
      sessions: fake.state.sessions.map((session) =>
        session.name === name ? to(session) : session,
      ),
    });
  }

  const methods: Record<string, (...args: unknown[]) => unknown> = {
    State: async () => {
      await released;
      if (options.refuse !== undefined) throw new Error(options.refuse);
      return fake.state;
    },
    PairPanel: (name, code) => {
      if (code !== 'K7QF-2M9X-TD4A')
        throw new Error(
          JSON.stringify({
            code: 'bad_argument',
            message: 'no panel shows this code',
            hint: 'enter the code that the panel shows now',
          }),
        );
      change(name, (one) => attachedSession(one));
    },
    StartSession: (name) => {
      const own = fake.state.sessions.find((one) => one.name === name)?.identity?.browser;
      if (own !== undefined) {
        change(name, (session) => waitingSession('switch-on', session));
        return new Promise<void>((resolve, reject) => {
          waiting.set(String(name), (stopped) => {
            if (stopped === undefined) resolve();
            else reject(new Error(stopped));
          });
        });
      }
      change(name, (session) => ({ ...session, state: 'starting' }));
      change(name, ({ name: its, title }) => ({
        ...runningSession(0),
        name: its,
        ...(title !== undefined && { title }),
      }));
      return undefined;
    },
    StopSession: (name) => {
      change(name, (session) => ({ ...stoppedAgain(session), state: 'stopping' }));
      change(name, stoppedAgain);
      waiting.get(String(name))?.(
        '{"code":"not_running","message":"it was stopped while it started"}',
      );
    },
    RestartSession: (name) => {
      change(name, (session) => ({ ...stoppedSession(session.name), state: 'restarting' }));
      change(name, (session) => ({ ...runningSession(0), name: session.name }));
    },
    NewSession: (input) => {
      const { title, identity } = input as NewSession;
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      const made = { ...stoppedSession(name), title, ...(identity && { identity }) };
      fake.push({ sessions: [...fake.state.sessions, made] });
      if (identity) identities.set(name, identity);
      return name;
    },
    DeleteSession: (name) => {
      fake.push({ sessions: fake.state.sessions.filter((session) => session.name !== name) });
    },
    SessionIdentity: (name) => identities.get(String(name)) ?? {},
    SaveSessionIdentity: (name, id) => {
      const next = id as SessionIdentity;
      if (next.color !== undefined && !next.color.startsWith('#')) {
        throw new Error(
          JSON.stringify({
            code: 'bad_argument',
            message: `color: "${next.color}" is not a colour`,
            hint: 'write it as "#1a73e8"',
          }),
        );
      }
      identities.set(String(name), next);
    },
    TestProxy: (_, id) => ({
      proxy: (id as SessionIdentity).proxy ?? '',
      host: 'example.com:443',
      milliseconds: 12,
    }),
    ShowTab: () => undefined,
    RunInView: () => undefined,
    ShowSignIns: () => undefined,
    AnswerApproval: (name, answer) => {
      const { id } = answer as { id: string };
      change(name, (session) => ({
        ...session,
        approvals: (session.approvals ?? []).filter((one) => one.id !== id),
      }));
    },
    AnswerTask: (name, answer) => {
      const { task } = answer as { task: string };
      fake.push({
        questions: (fake.state.questions ?? []).filter(
          (one) => one.session !== name || one.task !== task,
        ),
      });
    },
    SiteRules: () => rules,
    SetSiteRule: (_, rule) => {
      rules = [rule as SiteRule, ...rules];
      return rules;
    },
    RemoveSiteRule: (_, rule) => {
      const { site, kind } = rule as SiteRule;
      rules = rules.filter((one) => one.site !== site || one.kind !== kind);
      return rules;
    },
    Settings: () => fake.settings,
    SettingsRegistry: () => registry,
    OpenSettingsFolder: () => undefined,
    SaveSettings: (wanted) => {
      const next = wanted as Settings;
      if (next.fontSize < 8 || next.fontSize > 32) {
        throw new Error(
          JSON.stringify({
            code: 'bad_argument',
            message: `the font size ${String(next.fontSize)} is out of range`,
            hint: 'use 8 to 32',
            field: 'fontSize',
          }),
        );
      }
      if (next.workDir.startsWith('/nowhere')) {
        throw new Error(
          JSON.stringify({
            code: 'bad_argument',
            message: 'this folder does not exist',
            hint: 'choose one that does',
            field: 'workDir',
          }),
        );
      }
      fake.settings = next;
      fake.push({ theme: next.theme, textSize: next.textSize, settings: fake.state.settings + 1 });
      return next;
    },
    ...fakeClients(),
    ...fakeSecrets(options.keychain ?? true),
    ...fakeModels(options.keychain ?? true),
    ...fakePrograms(options.bridged ?? false),
    ...fake.conversations.methods,
    ...fakeSchedules(options.schedules === false ? [] : someSchedules(), () => {
      fake.push({ schedules: fake.state.schedules + 1 });
    }),
    SessionWork: (name) => (name === 'default' ? someWork() : { routines: [], tasks: [] }),
    SearchActivity: (name) => ({
      entries: name === 'default' ? someAnswers() : [],
      gaps: [],
      before: 0,
      last: 9,
      shots: [],
    }),
    ProbeAgents: () => undefined,
    FirstRunDone: () => {
      fake.push({ firstRun: false });
    },
    ChooseFolder: () => '/home/ada/src/other',
    ChooseFile: () => '/opt/brave/brave',
    Logs: () => records.slice(-2000),
    OpenLogFolder: () => undefined,
    OpenStateFolder: () => undefined,
    Quit: () => undefined,
  };

  async function Call(name: string, session: string, input: unknown): Promise<unknown> {
    const args = [...(session === '' ? [] : [session]), ...(input === null ? [] : [input])];
    fake.calls.push([name, ...args]);
    const text = refused.get(name);
    refused.delete(name);
    if (text !== undefined) throw new Error(text);
    const method = methods[name];
    if (!method) throw new Error(`no method ${name}`);
    return structuredClone(await method(...structuredClone(args)));
  }

  target.go = {
    main: {
      Bridge: {
        Call,
        ChooseFolder: (title, current) => Call('ChooseFolder', '', { title, current }),
        ChooseFile: (title, current) => Call('ChooseFile', '', { title, current }),
      },
    },
  };
  target.runtime = {
    EventsOn(event, listener) {
      const listeners = heard.get(event) ?? new Set();
      heard.set(event, listeners.add(listener));
      return () => listeners.delete(listener);
    },
  };
  target.fake = fake;
  return fake;
}
