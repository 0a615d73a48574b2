// Typed access to the Go side of the window. Wails binds the methods of the window's own program,
// `main.Bridge`, to window.go.main.Bridge, and events to window.runtime. The bridge forwards calls
// to the app. Results are validated here before other code uses them.
import * as v from 'valibot';
import type {
  ActionKind,
  ActivityQuery,
  ApprovalAnswer,
  ClientsRequest,
  CommandRequest,
  ConversationID,
  LLMSaveRequest,
  LogRecord,
  NewSession,
  ProgramsRequest,
  SecretRequest,
  ScheduleRequest,
  SessionIdentity,
  SessionName,
  Settings,
  SiteRule,
  StoredRequest,
  TabID,
  TaskAnswerRequest,
  TaskID,
  ToolServersRequest,
  WindowPage,
  WindowShow,
  WindowState,
} from '$ui/protocol/protocol';
import { CodeInternal } from '$ui/protocol/protocol';
import { list } from '$ui/protocol/border';
import { activityFoundSchema } from '$ui/protocol/schemas/activity';
import { siteRuleSchema } from '$ui/protocol/schemas/approval';
import {
  chatAttachmentSchema,
  chatEventsEventSchema,
  chatPageSchema,
} from '$ui/protocol/schemas/chat';
import { clientsReplySchema } from '$ui/protocol/schemas/clients';
import { proxyTestSchema, sessionIdentitySchema } from '$ui/protocol/schemas/identity';
import {
  llmLocalReplySchema,
  llmModelsReplySchema,
  llmStateSchema,
  llmVerdictSchema,
} from '$ui/protocol/schemas/llm';
import { programsReplySchema, toolServersReplySchema } from '$ui/protocol/schemas/programs';
import { scheduleReplySchema } from '$ui/protocol/schemas/schedule';
import { secretSchema } from '$ui/protocol/schemas/secret';
import { settingsRegistrySchema } from '$ui/protocol/schemas/settings';
import { storedReplySchema } from '$ui/protocol/schemas/stored';
import {
  logRecordSchema,
  sessionWorkSchema,
  settingsErrorSchema,
  settingsSchema,
  windowStateSchema,
} from '$ui/protocol/schemas/window';
import { windowShowSchema } from '$ui/protocol/schemas/windowpipe';

/**
 * The pages of the window. The app opens those of WindowPage: not `talk`, the page of one
 * conversation, and not `view`, the live view of a tab, which only the control page has.
 */
export type Page = WindowPage | 'talk' | 'view';

/** What the window's program does itself, and `Call` for everything else. */
export interface Bridge {
  /** Calls an operation of the app, about a session ('' for none), with what it takes. */
  Call(operation: string, session: string, input: unknown): Promise<unknown>;
  ChooseFolder(title: string, current: string): Promise<unknown>;
  ChooseFile(title: string, current: string): Promise<unknown>;
}

/** What the control page, in a browser of the user, does beside the calls of operations. */
export interface Control {
  /** What the page is called in lists and records. */
  readonly name: string;
  /** Opens a WebSocket of the page. */
  socket(path: string): WebSocket;
  /** Ends the access of the page. */
  leave(): Promise<void>;
}

/** What Wails adds to the window object, and control/host.ts to the control page. */
export interface Host {
  go?: { main?: { Bridge?: Bridge } };
  runtime?: { EventsOn: (name: string, heard: (...data: unknown[]) => void) => () => void };
  control?: Control;
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

/**
 * Connects to the app whose window this page is. The operations of the app and its events: every
 * promise rejects with a BackendError. Those that subscribe return the function that ends it.
 */
export function connect(host: Host) {
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

  const call = (operation: string, session: string, input: unknown): Promise<unknown> =>
    bridged(operation, (bridge) => bridge.Call(operation, session, input));

  /** Opens a dialog of the window's program. */
  async function choose(
    method: 'ChooseFolder' | 'ChooseFile',
    title: string,
    current: string,
  ): Promise<string> {
    return v.parse(v.string(), await bridged(method, (bridge) => bridge[method](title, current)));
  }

  const run = async (operation: string, session = '', input: unknown = null): Promise<void> => {
    await call(operation, session, input);
  };

  async function ask<S extends v.GenericSchema>(
    schema: S,
    operation: string,
    session = '',
    input: unknown = null,
  ): Promise<v.InferOutput<S>> {
    const answer = v.safeParse(schema, await call(operation, session, input));
    if (answer.success) return answer.output;
    throw new BackendError(`${operation}: ${problemOf(answer.issues[0])}`);
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
    /** Set on the control page, which is not at the computer of Pilotfish. */
    control: host.control,
    state: () => ask(windowStateSchema, 'State'),
    startSession: (name: SessionName) => run('StartSession', name),
    stopSession: (name: SessionName) => run('StopSession', name),
    restartSession: (name: SessionName) => run('RestartSession', name),
    /** Creates a session; returns its name, which later calls use. */
    newSession: (session: NewSession) => ask(v.string(), 'NewSession', '', session),
    /** Gives a session to the browser whose panel shows a code. */
    pairPanel: (name: SessionName, code: string) => run('PairPanel', name, code),
    deleteSession: (name: SessionName) => run('DeleteSession', name),
    /** Identity and network of a session, without the proxy's password. */
    sessionIdentity: (name: SessionName) => ask(sessionIdentitySchema, 'SessionIdentity', name),
    /** Stores it for the next start. */
    saveSessionIdentity: (name: SessionName, id: SessionIdentity) =>
      run('SaveSessionIdentity', name, id),
    /** Connects through the proxy of an identity. */
    testProxy: (name: SessionName, id: SessionIdentity) =>
      ask(proxyTestSchema, 'TestProxy', name, id),
    /** Brings a tab and its window to the front. */
    showTab: (session: SessionName, tab: TabID) => run('ShowTab', session, tab),
    /** Opens the picker of sign-ins of other browsers in a session's panel. */
    showSignIns: (session: SessionName) => run('ShowSignIns', session),
    /** Sends the user's answer to an approval. */
    answerApproval: (session: SessionName, id: string, answer: ApprovalAnswer) =>
      run('AnswerApproval', session, { id, answer }),
    /**
     * Starts to read a conversation after an index, instead of another one; returns the reader's
     * number.
     */
    watchConversation: (session: SessionName, id: ConversationID, after: number) =>
      ask(v.number(), 'WatchConversation', session, { conversation: id, after }),
    /** Waits for the next events; rejects when no more events follow. */
    nextSaid: (reader: number) => ask(chatEventsEventSchema, 'NextSaid', '', reader),
    unwatchConversation: (reader: number) => run('UnwatchConversation', '', reader),
    /** Entries before an index. */
    conversationHistory: (
      session: SessionName,
      part: { conversation: ConversationID; before: number; limit: number },
    ) => ask(chatPageSchema, 'ConversationHistory', session, part),
    /** Sends the user's answer to a question in a conversation. */
    answerQuestion: (
      session: SessionName,
      answer: { conversation: ConversationID; approval: string; option: string },
    ) => run('AnswerQuestion', session, answer),
    stopTurn: (session: SessionName, id: ConversationID) =>
      run('StopTurn', session, { conversation: id }),
    restartAgent: (session: SessionName, id: ConversationID) =>
      run('RestartAgent', session, { conversation: id }),
    /** An image of a conversation, with its bytes. */
    conversationFile: (session: SessionName, path: string) =>
      ask(chatAttachmentSchema, 'ConversationFile', session, { path }),
    /** Brings a conversation to the front in the browser, in the panel beside its tab. */
    showConversation: (session: SessionName, id: ConversationID) =>
      run('ShowConversation', session, { conversation: id }),
    /** Opens a web page in a session's browser. */
    openLink: (session: SessionName, url: string) => run('OpenLink', session, url),
    /** What agents may do on which sites. Each method returns all rules, the defaults last. */
    siteRules: (session: SessionName) => ask(list(siteRuleSchema), 'SiteRules', session),
    setSiteRule: (session: SessionName, rule: SiteRule) =>
      ask(list(siteRuleSchema), 'SetSiteRule', session, rule),
    removeSiteRule: (session: SessionName, site: string, kind: ActionKind) =>
      ask(list(siteRuleSchema), 'RemoveSiteRule', session, { site, kind }),
    /** The secrets, without their values. Each method returns all. */
    secrets: () => ask(list(secretSchema), 'Secrets'),
    addSecret: (request: Omit<SecretRequest, 'kept' | 'added'>) =>
      ask(list(secretSchema), 'AddSecret', '', request),
    removeSecret: (name: string) => ask(list(secretSchema), 'RemoveSecret', '', name),
    /** Lists the programs with tokens, and revokes one. */
    clients: (request: ClientsRequest) => ask(clientsReplySchema, 'Clients', '', request),
    /** Lists and measures what is stored, and deletes some. */
    stored: (request: StoredRequest) => ask(storedReplySchema, 'Stored', '', request),
    /** Carries out a request about schedules, and returns all of them. */
    schedules: (request: ScheduleRequest) => ask(scheduleReplySchema, 'Schedules', '', request),
    /** Searches the record of what happened in a session. */
    searchActivity: (session: SessionName, query: ActivityQuery) =>
      ask(activityFoundSchema, 'SearchActivity', session, query),
    /** Answers a question of a task. */
    answerTask: (session: SessionName, answer: TaskAnswerRequest) =>
      run('AnswerTask', session, answer),
    /** The user acts in the tab of a task, which waits meanwhile, and gives it back. */
    takeOverTask: (session: SessionName, task: TaskID) => run('TakeOverTask', session, { task }),
    /** A command that the live view has a button for: navigations, and the answer to a dialog. */
    runInView: (session: SessionName, command: CommandRequest) =>
      run('RunInView', session, command),
    handBackTask: (session: SessionName, task: TaskID) => run('HandBackTask', session, { task }),
    /** The routines and tasks of a session. */
    sessionWork: (session: SessionName) => ask(sessionWorkSchema, 'SessionWork', session),
    /** Lists other programs, or shows, makes or takes back the change that connects one. */
    programs: (request: ProgramsRequest) => ask(programsReplySchema, 'Programs', '', request),
    /** Lists the user's own MCP servers, or changes the list. */
    toolServers: (request: ToolServersRequest) =>
      ask(toolServersReplySchema, 'ToolServers', '', request),
    settings: () => ask(settingsSchema, 'Settings'),
    /** All settings, with their explanations, defaults and limits. */
    settingsRegistry: () => ask(settingsRegistrySchema, 'SettingsRegistry'),
    /** Shows settings.toml in the desktop's file manager. */
    openSettingsFolder: () => run('OpenSettingsFolder'),
    /** Saves all settings and returns them as they were parsed. */
    saveSettings: (settings: Settings) => ask(settingsSchema, 'SaveSettings', '', settings),
    /**
     * The model profiles, without their keys. Each of the first three methods returns all profiles.
     */
    models: () => ask(llmStateSchema, 'Models'),
    saveModel: (request: LLMSaveRequest) => ask(llmStateSchema, 'SaveModel', '', request),
    deleteModel: (profile: string) => ask(llmStateSchema, 'DeleteModel', '', { profile }),
    /** The models that a profile's provider offers. */
    listModels: async (profile: string) =>
      (await ask(llmModelsReplySchema, 'ListModels', '', { profile })).models,
    /** Asks a model for one word. */
    testModel: (profile: string) => ask(llmVerdictSchema, 'TestModel', '', { profile }),
    /** Finds model servers on this machine. */
    localModels: async () => (await ask(llmLocalReplySchema, 'LocalModels')).found,
    /** Probes for agents again; the result arrives as a new state. */
    probeAgents: () => run('ProbeAgents'),
    /** The user has seen the steps of the first run, or does not want to. */
    firstRunDone: () => run('FirstRunDone'),
    /** Shows a dialog to choose a folder; empty when the user chose none. */
    chooseFolder: (title: string, current: string) => choose('ChooseFolder', title, current),
    /** Shows a dialog to choose a file; empty when the user chose none. */
    chooseFile: (title: string, current: string) => choose('ChooseFile', title, current),
    /** The newest records of the log, oldest first. */
    logs: () => ask(list(logRecordSchema), 'Logs'),
    openLogFolder: () => run('OpenLogFolder'),
    openStateFolder: () => run('OpenStateFolder'),
    quit: () => run('Quit'),
    /** Each method subscribes and returns the function that ends the subscription. */
    onState: (heard: (state: WindowState) => void) => on(windowStateSchema, 'state', heard),
    onLog: (heard: (records: LogRecord[]) => void) => on(list(logRecordSchema), 'log', heard),
    /** The control page cannot reach Pilotfish; the next state says that it can again. */
    onLost: (heard: () => void) => on(v.unknown(), 'lost', heard),
    onShow: (heard: (show: WindowShow) => void) => on(windowShowSchema, 'show', heard),
  };
}

/** What the page may ask of the app. */
export type Backend = ReturnType<typeof connect>;

function problemOf(issue: v.BaseIssue<unknown>): string {
  return `${v.getDotPath(issue) ?? 'the answer'}: ${issue.message}`;
}
