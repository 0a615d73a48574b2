// Typed access to the Go side of the window. Wails binds the methods of the window's own program,
// `main.Bridge`, to window.go.main.Bridge, and events to window.runtime. The bridge forwards calls
// to the app. Results are validated here before other code uses them.
import * as v from 'valibot';
import type {
  ActionKind,
  ActivityFound,
  ActivityQuery,
  ApprovalAnswer,
  ChatAttachment,
  ChatEventsEvent,
  ChatPage,
  ClientsReply,
  ClientsRequest,
  ConversationID,
  LLMLocal,
  LLMModel,
  LLMSaveRequest,
  LLMState,
  LLMVerdict,
  LogRecord,
  ProgramsReply,
  ProgramsRequest,
  ProxyTest,
  Secret,
  SecretRequest,
  ScheduleReply,
  ScheduleRequest,
  SessionIdentity,
  SessionName,
  SessionWork,
  Settings,
  SettingsRegistry,
  SiteRule,
  StoredReply,
  StoredRequest,
  TabID,
  ToolServersReply,
  ToolServersRequest,
  WindowPage,
  WindowShow,
  WindowState,
} from '$ui/protocol/protocol';
import { CodeInternal } from '$ui/protocol/protocol';
import { chatAttachmentSchema, chatEventsSchema, chatPageSchema } from '$ui/protocol/chat';
import {
  logRecordsSchema,
  settingsErrorSchema,
  settingsSchema,
  siteRulesSchema,
  windowStateSchema,
} from '$ui/protocol/schema';
import { activityFoundSchema } from '$ui/protocol/schema-activity';
import { clientsReplySchema, storedReplySchema } from '$ui/protocol/schema-clients';
import { proxyTestSchema, sessionIdentitySchema } from '$ui/protocol/schema-identity';
import { programsReplySchema, toolServersReplySchema } from '$ui/protocol/schema-programs';
import { secretsSchema } from '$ui/protocol/schema-secrets';
import { scheduleReplySchema, windowShowSchema } from '$ui/protocol/schema-schedule';
import { settingsRegistrySchema } from '$ui/protocol/schema-settings';
import {
  llmLocalReplySchema,
  llmModelsReplySchema,
  llmStateSchema,
  llmVerdictSchema,
  sessionWorkSchema,
} from '$ui/protocol/task';

/** The pages of the window. The app opens those of WindowPage: not `talk`, the page of one conversation. */
export type Page = WindowPage | 'talk';

/** What the window's program does itself, and `Call` for everything else. */
export interface Bridge {
  /** Calls a method of the app with its arguments. */
  Call(method: string, args: unknown[]): Promise<unknown>;
  ChooseFolder(title: string, current: string): Promise<unknown>;
  ChooseFile(title: string, current: string): Promise<unknown>;
}

/** What Wails adds to the window object. */
export interface Host {
  go?: { main?: { Bridge?: Bridge } };
  runtime?: { EventsOn: (name: string, heard: (...data: unknown[]) => void) => () => void };
}

declare global {
  interface Window {
    go?: NonNullable<Host['go']>;
    runtime?: NonNullable<Host['runtime']>;
  }
}

/** A call that the backend refused: what happened, and what to do about it. */
export class BackendError extends Error {
  readonly code: string;
  readonly hint: string;
  /** The JSON name of the invalid setting, or empty. */
  readonly field: string;

  constructor(message: string, rest: { code?: string; hint?: string; field?: string } = {}) {
    super(message);
    this.name = 'BackendError';
    this.code = rest.code ?? CodeInternal;
    this.hint = rest.hint ?? '';
    this.field = rest.field ?? '';
  }

  /** Message and hint as one text. */
  get text(): string {
    return this.hint === '' ? this.message : `${this.message}. ${sentence(this.hint)}`;
  }
}

/** A hint as a sentence: in Go it begins with a small letter. */
export function sentence(text: string): string {
  return text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Converts the reason of a rejected call to a BackendError. The text is protocol.Error as JSON when
 * it comes from the backend, else any text.
 */
export function asBackendError(reason: unknown): BackendError {
  if (reason instanceof BackendError) return reason;
  const text = reason instanceof Error ? reason.message : String(reason);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), settingsErrorSchema), text);
  if (parsed.success) {
    const { message, ...rest } = parsed.output;
    return new BackendError(message, rest);
  }
  return new BackendError(text);
}

/** The methods of the app and its events; every promise rejects with a BackendError. */
export interface Backend {
  state(): Promise<WindowState>;
  startSession(name: SessionName): Promise<void>;
  stopSession(name: SessionName): Promise<void>;
  restartSession(name: SessionName): Promise<void>;
  /**
   * Creates a session with a title that the user chose; returns the session's name, which later
   * calls use.
   */
  newSession(title: string): Promise<SessionName>;
  deleteSession(name: SessionName): Promise<void>;
  /** Identity and network of a session, without the proxy's password. */
  sessionIdentity(name: SessionName): Promise<SessionIdentity>;
  /** Stores it for the next start. */
  saveSessionIdentity(name: SessionName, id: SessionIdentity): Promise<void>;
  /** Connects through the proxy of an identity. */
  testProxy(name: SessionName, id: SessionIdentity): Promise<ProxyTest>;
  /** Brings a tab and its window to the front. */
  showTab(session: SessionName, tab: TabID): Promise<void>;
  /** Opens the picker of sign-ins of other browsers in a session's panel. */
  showSignIns(session: SessionName): Promise<void>;
  /** Sends the user's answer to an approval. */
  answerApproval(session: SessionName, id: string, answer: ApprovalAnswer): Promise<void>;
  /**
   * Starts to read a conversation after an index, instead of another one; returns the reader's
   * number.
   */
  watchConversation(session: SessionName, id: ConversationID, after: number): Promise<number>;
  /** Waits for the next events; rejects when no more events follow. */
  nextSaid(reader: number): Promise<ChatEventsEvent>;
  unwatchConversation(reader: number): Promise<void>;
  /** Entries before an index. */
  conversationHistory(
    session: SessionName,
    part: { conversation: ConversationID; before: number; limit: number },
  ): Promise<ChatPage>;
  /** Sends the user's answer to a question in a conversation. */
  answerQuestion(
    session: SessionName,
    answer: { conversation: ConversationID; approval: string; option: string },
  ): Promise<void>;
  stopTurn(session: SessionName, id: ConversationID): Promise<void>;
  restartAgent(session: SessionName, id: ConversationID): Promise<void>;
  /** An image of a conversation, with its bytes. */
  conversationFile(session: SessionName, path: string): Promise<ChatAttachment>;
  /** Brings a conversation to the front in the browser, in the panel beside its tab. */
  showConversation(session: SessionName, id: ConversationID): Promise<void>;
  /** Opens a web page in a session's browser. */
  openLink(session: SessionName, url: string): Promise<void>;
  /** What agents may do on which sites. Each method returns all rules, the defaults last. */
  siteRules(session: SessionName): Promise<SiteRule[]>;
  setSiteRule(session: SessionName, rule: SiteRule): Promise<SiteRule[]>;
  removeSiteRule(session: SessionName, site: string, kind: ActionKind): Promise<SiteRule[]>;
  /** Lists the programs with tokens, and revokes one. */
  clients(request: ClientsRequest): Promise<ClientsReply>;
  /** Lists and measures what is stored, and deletes some. */
  stored(request: StoredRequest): Promise<StoredReply>;
  /** The secrets, without their values. Each method returns all. */
  secrets(): Promise<Secret[]>;
  addSecret(request: Omit<SecretRequest, 'kept' | 'added'>): Promise<Secret[]>;
  removeSecret(name: string): Promise<Secret[]>;
  /** Carries out a request about schedules, and returns all of them. */
  schedules(request: ScheduleRequest): Promise<ScheduleReply>;
  /** Searches the record of what happened in a session. */
  searchActivity(session: SessionName, query: ActivityQuery): Promise<ActivityFound>;
  /** The routines and tasks of a session. */
  sessionWork(session: SessionName): Promise<SessionWork>;
  /** Lists other programs, or shows, makes or takes back the change that connects one. */
  programs(request: ProgramsRequest): Promise<ProgramsReply>;
  /** Lists the user's own MCP servers, or changes the list. */
  toolServers(request: ToolServersRequest): Promise<ToolServersReply>;
  settings(): Promise<Settings>;
  /** All settings, with their explanations, defaults and limits. */
  settingsRegistry(): Promise<SettingsRegistry>;
  /** Shows settings.toml in the desktop's file manager. */
  openSettingsFolder(): Promise<void>;
  /** Saves all settings and returns them as they were parsed. */
  saveSettings(settings: Settings): Promise<Settings>;
  /**
   * The model profiles, without their keys. Each of the first three methods returns all profiles.
   */
  models(): Promise<LLMState>;
  saveModel(request: LLMSaveRequest): Promise<LLMState>;
  deleteModel(profile: string): Promise<LLMState>;
  /** The models that a profile's provider offers. */
  listModels(profile: string): Promise<LLMModel[]>;
  /** Asks a model for one word. */
  testModel(profile: string): Promise<LLMVerdict>;
  /** Finds model servers on this machine. */
  localModels(): Promise<LLMLocal[]>;
  /** Probes for agents again; the result arrives as a new state. */
  probeAgents(): Promise<void>;
  /** The user has seen the steps of the first run, or does not want to. */
  firstRunDone(): Promise<void>;
  /** Shows a dialog to choose a folder; empty when the user chose none. */
  chooseFolder(title: string, current: string): Promise<string>;
  /** Shows a dialog to choose a file; empty when the user chose none. */
  chooseFile(title: string, current: string): Promise<string>;
  /** The newest records of the log, oldest first. */
  logs(): Promise<LogRecord[]>;
  openLogFolder(): Promise<void>;
  openStateFolder(): Promise<void>;
  quit(): Promise<void>;

  /** Each method subscribes and returns the function that ends the subscription. */
  onState(heard: (state: WindowState) => void): () => void;
  onLog(heard: (records: LogRecord[]) => void): () => void;
  onShow(heard: (show: WindowShow) => void): () => void;
}

/** Connects to the app whose window this page is. */
export function connect(host: Host): Backend {
  async function bridged(
    method: string,
    use: (bridge: Bridge) => Promise<unknown>,
  ): Promise<unknown> {
    const bridge = host.go?.main?.Bridge;
    if (!bridge) {
      throw new BackendError(`The app does not respond (${method})`, {
        hint: 'start Pilotfish again',
      });
    }
    try {
      return await use(bridge);
    } catch (reason) {
      throw asBackendError(reason);
    }
  }

  const call = (method: string, ...args: unknown[]): Promise<unknown> =>
    bridged(method, (bridge) => bridge.Call(method, args));

  /** Opens a dialog of the window's program. */
  async function choose(
    method: 'ChooseFolder' | 'ChooseFile',
    title: string,
    current: string,
  ): Promise<string> {
    return v.parse(v.string(), await bridged(method, (bridge) => bridge[method](title, current)));
  }

  const run = async (method: string, ...args: unknown[]): Promise<void> => {
    await call(method, ...args);
  };

  async function ask<S extends v.GenericSchema>(
    schema: S,
    method: string,
    ...args: unknown[]
  ): Promise<v.InferOutput<S>> {
    const answer = v.safeParse(schema, await call(method, ...args));
    if (answer.success) return answer.output;
    throw new BackendError(`${method}: ${problemOf(answer.issues[0])}`);
  }

  function on<S extends v.GenericSchema>(
    schema: S,
    event: string,
    heard: (value: v.InferOutput<S>) => void,
  ): () => void {
    if (!host.runtime) return () => undefined;
    return host.runtime.EventsOn(event, (data) => {
      const value = v.safeParse(schema, data);
      if (value.success) heard(value.output);
      else console.error(`event ${event}: ${problemOf(value.issues[0])}`);
    });
  }

  return {
    state: () => ask(windowStateSchema, 'State'),
    startSession: (name) => run('StartSession', name),
    stopSession: (name) => run('StopSession', name),
    restartSession: (name) => run('RestartSession', name),
    newSession: (title) => ask(v.string(), 'NewSession', title),
    deleteSession: (name) => run('DeleteSession', name),
    sessionIdentity: (name) => ask(sessionIdentitySchema, 'SessionIdentity', name),
    saveSessionIdentity: (name, id) => run('SaveSessionIdentity', name, id),
    testProxy: (name, id) => ask(proxyTestSchema, 'TestProxy', name, id),
    showTab: (session, tab) => run('ShowTab', session, tab),
    showSignIns: (session) => run('ShowSignIns', session),
    answerApproval: (session, id, answer) => run('AnswerApproval', session, id, answer),
    watchConversation: (session, id, after) =>
      ask(v.number(), 'WatchConversation', session, id, after),
    nextSaid: (reader) => ask(chatEventsSchema, 'NextSaid', reader),
    unwatchConversation: (reader) => run('UnwatchConversation', reader),
    conversationHistory: (session, part) =>
      ask(chatPageSchema, 'ConversationHistory', session, part),
    answerQuestion: (session, answer) => run('AnswerQuestion', session, answer),
    stopTurn: (session, id) => run('StopTurn', session, id),
    restartAgent: (session, id) => run('RestartAgent', session, id),
    conversationFile: (session, path) =>
      ask(chatAttachmentSchema, 'ConversationFile', session, path),
    showConversation: (session, id) => run('ShowConversation', session, id),
    openLink: (session, url) => run('OpenLink', session, url),
    siteRules: (session) => ask(siteRulesSchema, 'SiteRules', session),
    setSiteRule: (session, rule) => ask(siteRulesSchema, 'SetSiteRule', session, rule),
    removeSiteRule: (session, site, kind) =>
      ask(siteRulesSchema, 'RemoveSiteRule', session, site, kind),
    secrets: () => ask(secretsSchema, 'Secrets'),
    addSecret: (request) => ask(secretsSchema, 'AddSecret', request),
    removeSecret: (name) => ask(secretsSchema, 'RemoveSecret', name),
    clients: (request) => ask(clientsReplySchema, 'Clients', request),
    stored: (request) => ask(storedReplySchema, 'Stored', request),
    schedules: (request) => ask(scheduleReplySchema, 'Schedules', request),
    searchActivity: (session, query) => ask(activityFoundSchema, 'SearchActivity', session, query),
    sessionWork: (session) => ask(sessionWorkSchema, 'SessionWork', session),
    programs: (request) => ask(programsReplySchema, 'Programs', request),
    toolServers: (request) => ask(toolServersReplySchema, 'ToolServers', request),
    settings: () => ask(settingsSchema, 'Settings'),
    settingsRegistry: () => ask(settingsRegistrySchema, 'SettingsRegistry'),
    openSettingsFolder: () => run('OpenSettingsFolder'),
    saveSettings: (settings) => ask(settingsSchema, 'SaveSettings', settings),
    models: () => ask(llmStateSchema, 'Models'),
    saveModel: (request) => ask(llmStateSchema, 'SaveModel', request),
    deleteModel: (profile) => ask(llmStateSchema, 'DeleteModel', profile),
    listModels: (profile) => ask(llmModelsReplySchema.entries.models, 'ListModels', profile),
    testModel: (profile) => ask(llmVerdictSchema, 'TestModel', profile),
    localModels: () => ask(llmLocalReplySchema.entries.found, 'LocalModels'),
    probeAgents: () => run('ProbeAgents'),
    firstRunDone: () => run('FirstRunDone'),
    chooseFolder: (title, current) => choose('ChooseFolder', title, current),
    chooseFile: (title, current) => choose('ChooseFile', title, current),
    logs: () => ask(logRecordsSchema, 'Logs'),
    openLogFolder: () => run('OpenLogFolder'),
    openStateFolder: () => run('OpenStateFolder'),
    quit: () => run('Quit'),
    onState: (heard) => on(windowStateSchema, 'state', heard),
    onLog: (heard) => on(logRecordsSchema, 'log', heard),
    onShow: (heard) => on(windowShowSchema, 'show', heard),
  };
}

function problemOf(issue: v.BaseIssue<unknown>): string {
  return `${v.getDotPath(issue) ?? 'the answer'}: ${issue.message}`;
}
