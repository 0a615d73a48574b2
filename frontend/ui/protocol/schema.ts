// Everything that window and panel receive is validated here, at the border. The schemas cannot
// diverge from the generated types: see Agrees at the end.
import * as v from 'valibot';
import { code, errorSchema, list } from './border';
import type {
  chatEntrySchema,
  chatEventSchema,
  chatExportReplySchema,
  chatListReplySchema,
  chatPageSchema,
  chatSearchReplySchema,
  pastSessionsReplySchema,
} from './chat';
import { chatEventsSchema, conversationSchema, permissionOptionSchema } from './chat';
import * as p from './protocol';
import { settingsProblemSchema } from './schema-settings';
import { taskRunRequestSchema, taskSchema } from './task';
import type {
  llmLocalReplySchema,
  llmModelsReplySchema,
  llmStateSchema,
  llmVerdictSchema,
  taskListReplySchema,
  taskPageSchema,
  taskRoutinesReplySchema,
  taskWriteReplySchema,
} from './task';

export { errorSchema };

/** The body of every refused HTTP request. */
export const errorReplySchema = v.object({ error: errorSchema });

export const agentStatusSchema = v.picklist([
  p.AgentStarting,
  p.AgentIdle,
  p.AgentWorking,
  p.AgentNeedsYou,
  p.AgentEnded,
  p.AgentMissing,
]);

export const agentInfoSchema = v.object({
  kind: v.string(),
  name: v.string(),
  installed: v.boolean(),
  path: v.exactOptional(v.string()),
  version: v.exactOptional(v.string()),
  install: v.exactOptional(v.string()),
  url: v.exactOptional(v.string()),
  chat: v.exactOptional(v.string()),
  chatInstall: v.exactOptional(v.string()),
  signedIn: v.exactOptional(v.picklist(['', 'found', 'none'])),
  signIn: v.exactOptional(v.string()),
  problem: v.exactOptional(v.string()),
  detail: v.exactOptional(v.string()),
});

export const agentsFileSchema = v.object({
  version: v.number(),
  agents: list(agentInfoSchema),
  default: v.string(),
  models: v.exactOptional(v.array(agentInfoSchema)),
});

export const browserInfoSchema = v.object({
  name: v.string(),
  version: v.string(),
  path: v.string(),
  pid: v.number(),
  sandbox: v.boolean(),
});

export const tabAgentSchema = v.object({ name: v.string(), status: agentStatusSchema });

export const tabSchema = v.object({
  id: v.string(),
  url: v.string(),
  title: v.string(),
  untrusted: v.exactOptional(v.boolean()),
  origin: v.exactOptional(v.string()),
  active: v.boolean(),
  focused: v.boolean(),
  loading: v.boolean(),
  crashed: v.exactOptional(v.boolean()),
  chromeTabId: v.exactOptional(v.number()),
  windowId: v.exactOptional(v.number()),
  index: v.number(),
  opener: v.exactOptional(v.string()),
  byUser: v.exactOptional(v.boolean()),
  agent: v.exactOptional(tabAgentSchema),
});

export const exitSchema = v.object({
  code: v.number(),
  signal: v.exactOptional(v.string()),
  reason: v.exactOptional(v.string()),
});

export const terminalInfoSchema = v.object({
  id: v.string(),
  session: v.string(),
  tab: v.string(),
  agent: v.string(),
  name: v.string(),
  title: v.string(),
  state: v.picklist([
    p.TerminalStarting,
    p.TerminalLive,
    p.TerminalStopping,
    p.TerminalEnded,
    p.TerminalMissing,
  ]),
  status: agentStatusSchema,
  progress: v.exactOptional(
    v.object({
      state: v.picklist([p.ProgressNormal, p.ProgressError, p.ProgressUnknown, p.ProgressPaused]),
      percent: v.number(),
    }),
  ),
  bells: v.exactOptional(v.number()),
  message: v.exactOptional(v.string()),
  epoch: v.number(),
  pid: v.exactOptional(v.number()),
  cols: v.number(),
  rows: v.number(),
  startedAt: v.string(),
  exit: v.exactOptional(exitSchema),
  viewers: v.number(),
  shown: v.exactOptional(v.number()),
  confined: v.exactOptional(v.boolean()),
});

export const actorSchema = v.object({
  kind: v.picklist([
    p.ActorUser,
    p.ActorTerminal,
    p.ActorChat,
    p.ActorTask,
    p.ActorShell,
    p.ActorMCP,
  ]),
  id: v.exactOptional(v.string()),
  name: v.string(),
  agent: v.exactOptional(v.string()),
  tab: v.exactOptional(v.string()),
  title: v.exactOptional(v.string()),
});

const actionKind = v.picklist([
  p.ActionOpen,
  p.ActionAct,
  p.ActionSensitive,
  p.ActionEval,
  p.ActionCookies,
  p.ActionDownload,
  p.ActionUpload,
  p.ActionClipboard,
  p.ActionPermissions,
  p.ActionSecret,
  p.ActionSend,
  p.ActionPay,
  p.ActionDelete,
  p.ActionSignIn,
  p.ActionData,
  p.ActionTool,
]);

/** The facts about the element of an action. */
const targetFactsSchema = v.object({
  role: v.string(),
  name: v.string(),
  type: v.string(),
  href: v.exactOptional(v.string()),
  download: v.exactOptional(v.boolean()),
  submits: v.exactOptional(v.boolean()),
  field: v.exactOptional(v.boolean()),
  search: v.exactOptional(v.boolean()),
  message: v.exactOptional(v.boolean()),
  password: v.exactOptional(v.boolean()),
  form: v.exactOptional(
    v.object({
      action: v.string(),
      method: v.string(),
      button: v.string(),
      password: v.exactOptional(v.boolean()),
      card: v.exactOptional(v.boolean()),
      fields: list(v.object({ name: v.string(), value: v.string() })),
    }),
  ),
});

const loginAskSchema = v.object({
  scheme: v.string(),
  realm: v.exactOptional(v.string()),
  proxy: v.exactOptional(v.boolean()),
  again: v.exactOptional(v.boolean()),
  user: v.exactOptional(v.string()),
  saves: v.exactOptional(v.boolean()),
});

export const approvalSchema = v.object({
  id: v.string(),
  session: v.string(),
  actor: actorSchema,
  tab: v.exactOptional(v.string()),
  url: v.exactOptional(v.string()),
  origin: v.string(),
  command: v.string(),
  args: v.exactOptional(v.array(v.object({ name: v.string(), value: v.string() }))),
  kind: actionKind,
  target: v.exactOptional(targetFactsSchema),
  site: v.exactOptional(v.string()),
  conversation: v.exactOptional(v.string()),
  options: v.exactOptional(list(permissionOptionSchema)),
  login: v.exactOptional(loginAskSchema),
  since: v.string(),
  expires: v.string(),
});

export const siteRuleSchema = v.object({
  site: v.string(),
  kind: actionKind,
  decision: v.picklist([p.SiteAllow, p.SiteAsk, p.SiteDeny]),
  default: v.exactOptional(v.boolean()),
});

export const siteRulesSchema = list(siteRuleSchema);

export const sessionInfoSchema = v.object({
  name: v.string(),
  title: v.exactOptional(v.string()),
  state: v.picklist([
    p.SessionStopped,
    p.SessionStarting,
    p.SessionRunning,
    p.SessionStopping,
    p.SessionRestarting,
    p.SessionBackground,
    p.SessionFailed,
  ]),
  alone: v.exactOptional(v.boolean()),
  startedAt: v.exactOptional(v.string()),
  error: v.exactOptional(errorSchema),
  warnings: list(errorSchema),
  browser: v.exactOptional(browserInfoSchema),
  panel: v.picklist([p.PanelAbsent, p.PanelConnected]),
  tabs: list(tabSchema),
  terminals: list(terminalInfoSchema),
  approvals: v.exactOptional(v.array(approvalSchema)),
  identity: v.exactOptional(
    v.object({
      color: v.exactOptional(v.string()),
      temporary: v.exactOptional(v.boolean()),
      proxy: v.exactOptional(v.string()),
    }),
  ),
});

export const pickedElementSchema = v.object({
  ref: v.string(),
  role: v.string(),
  name: v.exactOptional(v.string()),
});

/** Reply of POST /inspector/pick. */
export const pickReplySchema = v.object({ elements: list(pickedElementSchema) });

const themeSchema = v.picklist([p.ThemeSystem, p.ThemeLight, p.ThemeDark]);

const confinementSchema = v.object({
  on: v.boolean(),
  problem: v.exactOptional(errorSchema),
  desktop: v.exactOptional(errorSchema),
});

export const panelViewSchema = v.object({
  theme: themeSchema,
  appVersion: v.string(),
  agent: v.string(),
  command: v.exactOptional(v.string()),
  fontSize: v.number(),
  textSize: v.number(),
  everyTab: v.boolean(),
  confinement: confinementSchema,
  chatAgent: v.string(),
});

/** Every message of the panel's socket, backend to panel. */
export const panelEventSchema = v.variant('type', [
  v.object({
    type: v.literal(p.PanelHello),
    version: v.string(),
    session: sessionInfoSchema,
    agents: agentsFileSchema,
    settings: panelViewSchema,
    conversations: list(conversationSchema),
    panel: v.string(),
    tasks: list(taskSchema),
    attach: v.exactOptional(
      v.object({
        terminal: v.string(),
        token: v.string(),
      }),
    ),
  }),
  v.object({ type: v.literal(p.PanelSession), session: sessionInfoSchema }),
  v.object({ type: v.literal(p.PanelTabs), tabs: list(tabSchema) }),
  v.object({ type: v.literal(p.PanelTerminal), terminal: terminalInfoSchema }),
  v.object({ type: v.literal(p.PanelTermGone), terminal: v.string() }),
  v.object({ type: v.literal(p.PanelAgents), agents: agentsFileSchema }),
  v.object({ type: v.literal(p.PanelSettings), settings: panelViewSchema }),
  v.object({ type: v.literal(p.PanelReauth) }),
  v.object({
    type: v.literal(p.PanelShow),
    tab: v.string(),
    terminal: v.exactOptional(v.string()),
    conversation: v.exactOptional(v.string()),
    signIns: v.exactOptional(v.boolean()),
  }),
  v.object({ type: v.literal(p.PanelPong), id: v.number() }),
  v.object({
    type: v.literal(p.PanelPicked),
    panel: v.string(),
    tab: v.string(),
    element: v.exactOptional(pickedElementSchema),
    error: v.exactOptional(errorSchema),
  }),
  v.object({ type: v.literal(p.PanelConversation), conversation: conversationSchema }),
  v.object({ type: v.literal(p.PanelTask), task: taskSchema }),
  v.object({ type: v.literal(p.PanelTaskGone), task: v.string() }),
  v.object({ type: v.literal(p.PanelModels) }),
  v.object({
    type: v.literal(p.PanelFeed),
    id: v.number(),
    batch: v.object({
      items: v.array(v.unknown()),
      last: v.number(),
      gap: v.exactOptional(v.boolean()),
    }),
    error: v.exactOptional(errorSchema),
  }),
  v.object({
    type: v.literal(p.PanelTaskOrder),
    order: v.string(),
    task: taskSchema,
    request: v.exactOptional(taskRunRequestSchema),
  }),
  v.object({ type: v.literal(p.PanelConversationGone), conversation: v.string() }),
  chatEventsSchema,
]);

/** The reply to a command that the panel runs as the user. */
export const commandReplySchema = v.object({
  ok: v.boolean(),
  tab: v.exactOptional(v.string()),
  text: v.string(),
  data: v.exactOptional(v.unknown()),
  untrusted: v.exactOptional(v.boolean()),
  origin: v.exactOptional(v.string()),
  error: v.exactOptional(errorSchema),
  durationMs: v.number(),
});

/** Every text frame of a terminal's socket, backend to viewer. */
export const terminalControlSchema = v.object({
  type: v.picklist([
    p.ControlAttach,
    p.ControlResize,
    p.ControlShown,
    p.ControlSeen,
    p.ControlAck,
    p.ControlPing,
    p.ControlCheckpoint,
    p.ControlReady,
    p.ControlReplayed,
    p.ControlSnapshot,
    p.ControlState,
    p.ControlExit,
    p.ControlTitle,
    p.ControlBell,
    p.ControlPong,
    p.ControlEpoch,
  ]),
  terminal: v.exactOptional(terminalInfoSchema),
  epoch: v.exactOptional(v.number()),
  offset: v.exactOptional(v.number()),
  exit: v.exactOptional(exitSchema),
  title: v.exactOptional(v.string()),
  id: v.exactOptional(v.number()),
  data: v.exactOptional(v.string()),
  cols: v.exactOptional(v.number()),
  rows: v.exactOptional(v.number()),
});

/** What the app puts into the extension's session storage. */
export const pairingSchema = v.object({
  version: v.string(),
  session: v.string(),
  port: v.number(),
  token: v.string(),
  key: v.string(),
  epoch: v.number(),
});

export const healthSchema = v.object({
  status: v.string(),
  version: v.string(),
  protocol: v.string(),
  uptimeS: v.number(),
  proof: v.exactOptional(v.string()),
});

export const ptySessionReplySchema = v.object({
  terminal: terminalInfoSchema,
  attach: v.string(),
  expires: v.string(),
});

export const settingsSchema = v.object({
  browserPath: v.string(),
  profileDir: v.string(),
  startUrl: v.string(),
  agent: v.string(),
  agentCommand: v.string(),
  agentArgs: v.string(),
  workDir: v.string(),
  confineAgents: v.boolean(),
  everyTab: v.boolean(),
  terminalGraceMinutes: v.number(),
  fontSize: v.number(),
  textSize: v.number(),
  theme: themeSchema,
  chatAgent: v.string(),
  chatCommand: v.string(),
  chatSilenceMinutes: v.number(),
  chatRouting: v.object({
    instant: v.boolean(),
    strong: list(v.string()),
    longText: v.number(),
    models: v.nullish(v.record(v.string(), v.object({ fast: v.string(), strong: v.string() })), {}),
  }),
  cdpAllow: v.string(),
  cdpAllowAgents: v.string(),
  activityShots: v.boolean(),
  terminalNotices: v.boolean(),
  startOnLogin: v.boolean(),
  startSession: v.boolean(),
});

export const logRecordSchema = v.object({
  seq: v.number(),
  time: v.string(),
  level: v.string(),
  component: v.exactOptional(v.string()),
  message: v.string(),
  attrs: v.exactOptional(v.string()),
});

export const logRecordsSchema = list(logRecordSchema);

export const foundBrowserSchema = v.object({
  name: v.string(),
  path: v.string(),
  version: v.exactOptional(v.string()),
});

/** The error of a bound method, as JSON in the error's text. */
export const settingsErrorSchema = v.object({
  code,
  message: v.string(),
  hint: v.exactOptional(v.string()),
  field: v.exactOptional(v.string()),
});

export const windowConversationSchema = v.object({
  session: v.string(),
  id: v.string(),
  tab: v.exactOptional(v.string()),
  title: v.string(),
  agent: v.string(),
  agentName: v.string(),
  state: conversationSchema.entries.state,
  waiting: v.exactOptional(v.number()),
});

export const windowStateSchema = v.object({
  version: v.string(),
  sessions: list(sessionInfoSchema),
  conversations: list(windowConversationSchema),
  agents: agentsFileSchema,
  tray: v.picklist([p.TrayStarting, p.TrayShown, p.TrayNoHost, p.TrayFailed]),
  problem: v.exactOptional(errorSchema),
  port: v.number(),
  browsers: v.exactOptional(v.array(foundBrowserSchema)),
  browserInstall: v.exactOptional(v.string()),
  firstRun: v.exactOptional(v.boolean()),
  models: v.number(),
  schedules: v.number(),
  work: v.number(),
  theme: themeSchema,
  textSize: v.number(),
  settings: v.number(),
  settingsProblem: v.exactOptional(settingsProblemSchema),
  confinement: confinementSchema,
  stateDir: v.string(),
  logDir: v.string(),
});

/**
 * True when the schema's output and the generated type are the same: each is
 * assignable to the other, and neither has a field that the other lacks (an
 * optional field alone would not break assignability).
 */
type Agrees<S extends v.GenericSchema, T> = [v.InferOutput<S>] extends [T]
  ? [T] extends [v.InferOutput<S>]
    ? [AllKeys<v.InferOutput<S>>, AllKeys<T>] extends [AllKeys<T>, AllKeys<v.InferOutput<S>>]
      ? true
      : false
    : false
  : false;

/** The keys of every member of a union, not only the common ones. */
type AllKeys<T> = T extends unknown ? keyof T : never;

/** Does not compile when an entry is false: then schema and Go type differ. */
export type SchemasAgree = AssertAll<{
  error: Agrees<typeof errorSchema, p.Error>;
  agentInfo: Agrees<typeof agentInfoSchema, p.AgentInfo>;
  agentsFile: Agrees<typeof agentsFileSchema, p.AgentsFile>;
  browserInfo: Agrees<typeof browserInfoSchema, p.BrowserInfo>;
  tabAgent: Agrees<typeof tabAgentSchema, p.TabAgent>;
  tab: Agrees<typeof tabSchema, p.Tab>;
  exit: Agrees<typeof exitSchema, p.Exit>;
  terminalInfo: Agrees<typeof terminalInfoSchema, p.TerminalInfo>;
  approval: Agrees<typeof approvalSchema, p.Approval>;
  siteRule: Agrees<typeof siteRuleSchema, p.SiteRule>;
  sessionInfo: Agrees<typeof sessionInfoSchema, p.SessionInfo>;
  panelView: Agrees<typeof panelViewSchema, p.PanelView>;
  panelEvent: Agrees<typeof panelEventSchema, p.PanelEvent>;
  terminalControl: Agrees<typeof terminalControlSchema, p.TerminalControl>;
  pairing: Agrees<typeof pairingSchema, p.Pairing>;
  commandReply: Agrees<typeof commandReplySchema, p.CommandReply>;
  health: Agrees<typeof healthSchema, p.Health>;
  ptySessionReply: Agrees<typeof ptySessionReplySchema, p.PtySessionReply>;
  settings: Agrees<typeof settingsSchema, p.Settings>;
  logRecord: Agrees<typeof logRecordSchema, p.LogRecord>;
  foundBrowser: Agrees<typeof foundBrowserSchema, p.FoundBrowser>;
  settingsError: Agrees<typeof settingsErrorSchema, p.SettingsError>;
  windowState: Agrees<typeof windowStateSchema, p.WindowState>;
  conversation: Agrees<typeof conversationSchema, p.Conversation>;
  chatEntry: Agrees<typeof chatEntrySchema, p.ChatEntry>;
  chatEvent: Agrees<typeof chatEventSchema, p.ChatEvent>;
  chatPage: Agrees<typeof chatPageSchema, p.ChatPage>;
  pastSessionsReply: Agrees<typeof pastSessionsReplySchema, p.PastSessionsReply>;
  chatSearchReply: Agrees<typeof chatSearchReplySchema, p.ChatSearchReply>;
  chatListReply: Agrees<typeof chatListReplySchema, p.ChatListReply>;
  task: Agrees<typeof taskSchema, p.Task>;
  taskPage: Agrees<typeof taskPageSchema, p.TaskPage>;
  taskWriteReply: Agrees<typeof taskWriteReplySchema, p.TaskWriteReply>;
  taskListReply: Agrees<typeof taskListReplySchema, p.TaskListReply>;
  taskRoutinesReply: Agrees<typeof taskRoutinesReplySchema, p.TaskRoutinesReply>;
  llmState: Agrees<typeof llmStateSchema, p.LLMState>;
  llmModelsReply: Agrees<typeof llmModelsReplySchema, p.LLMModelsReply>;
  llmVerdict: Agrees<typeof llmVerdictSchema, p.LLMVerdict>;
  llmLocalReply: Agrees<typeof llmLocalReplySchema, p.LLMLocalReply>;
  chatExportReply: Agrees<typeof chatExportReplySchema, p.ChatExportReply>;
}>;

type AssertAll<T extends Record<string, true>> = T;
