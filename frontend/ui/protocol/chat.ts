// The schemas of a conversation. The Chat messages that panel and window receive are validated
// against them; schema.ts compares them with the generated types.
import * as v from 'valibot';
import { errorSchema, list, taskPlainChoiceSchema } from './border';
import * as p from './protocol';

export const chatUsageSchema = v.object({
  input: v.exactOptional(v.number()),
  output: v.exactOptional(v.number()),
  context: v.exactOptional(v.number()),
  contextSize: v.exactOptional(v.number()),
  cost: v.exactOptional(v.number()),
  currency: v.exactOptional(v.string()),
});

export const chatAttachmentSchema = v.object({
  kind: v.picklist([p.AttachImage, p.AttachFile, p.AttachTab, p.AttachElement, p.AttachText]),
  name: v.string(),
  data: v.exactOptional(v.string()),
  mime: v.exactOptional(v.string()),
  path: v.exactOptional(v.string()),
  tab: v.exactOptional(v.string()),
  ref: v.exactOptional(v.string()),
  text: v.exactOptional(v.string()),
  origin: v.exactOptional(v.string()),
});

const routeKind = v.picklist([p.RouteInstant, p.RouteFast, p.RouteStrong]);

export const queuedMessageSchema = v.object({
  id: v.string(),
  text: v.string(),
  attachments: list(chatAttachmentSchema),
  route: v.exactOptional(routeKind),
});

export const chatOptionSchema = v.object({
  id: v.string(),
  name: v.string(),
  category: v.string(),
  value: v.string(),
  choices: list(
    v.object({ value: v.string(), name: v.string(), about: v.exactOptional(v.string()) }),
  ),
});

/** protocol.Conversation: a conversation without its entries. */
export const conversationSchema = v.object({
  id: v.string(),
  title: v.string(),
  tab: v.exactOptional(v.string()),
  url: v.exactOptional(v.string()),
  agent: v.string(),
  agentName: v.string(),
  agentSession: v.exactOptional(v.string()),
  state: v.picklist([
    p.ConversationIdle,
    p.ConversationStarting,
    p.ConversationRunning,
    p.ConversationNeedsYou,
    p.ConversationFailed,
    p.ConversationSignIn,
    p.ConversationTerminal,
  ]),
  message: v.exactOptional(v.string()),
  quiet: v.exactOptional(v.boolean()),
  error: v.exactOptional(errorSchema),
  terminal: v.exactOptional(v.string()),
  confined: v.exactOptional(v.boolean()),
  queue: list(queuedMessageSchema),
  draft: v.exactOptional(v.string()),
  options: list(chatOptionSchema),
  commands: list(
    v.object({ name: v.string(), about: v.string(), hint: v.exactOptional(v.string()) }),
  ),
  usage: v.exactOptional(chatUsageSchema),
  signIn: v.exactOptional(
    v.array(v.object({ id: v.string(), name: v.string(), about: v.exactOptional(v.string()) })),
  ),
  can: v.object({
    images: v.boolean(),
    resume: v.boolean(),
    steer: v.boolean(),
    terminal: v.boolean(),
  }),
  created: v.string(),
  updated: v.string(),
  index: v.number(),
  entries: v.number(),
});

export const chatToolSchema = v.object({
  call: v.string(),
  title: v.string(),
  line: v.exactOptional(v.string()),
  name: v.exactOptional(v.string()),
  kind: v.string(),
  status: v.picklist([p.ToolPending, p.ToolRunning, p.ToolDone, p.ToolFailed, p.ToolCancelled]),
  input: v.exactOptional(v.string()),
  content: list(
    v.object({
      kind: v.picklist([p.ContentText, p.ContentDiff, p.ContentImage]),
      text: v.exactOptional(v.string()),
      path: v.exactOptional(v.string()),
      old: v.exactOptional(v.string()),
      new: v.exactOptional(v.string()),
      fresh: v.exactOptional(v.boolean()),
      line: v.exactOptional(v.number()),
    }),
  ),
  paths: v.exactOptional(v.array(v.string())),
  screenshot: v.exactOptional(v.string()),
  denied: v.exactOptional(v.boolean()),
});

export const permissionOptionSchema = v.object({
  id: v.string(),
  name: v.string(),
  kind: v.picklist([p.AnswerOnce, p.AnswerAlways, p.AnswerTask, p.AnswerDeny]),
  scope: v.exactOptional(v.string()),
});

/** protocol.ChatEntry: one entry of a conversation. */
export const chatEntrySchema = v.object({
  id: v.string(),
  message: v.exactOptional(v.string()),
  kind: v.picklist([
    p.EntryUser,
    p.EntryText,
    p.EntryThought,
    p.EntryTool,
    p.EntryPlan,
    p.EntryPermission,
    p.EntryNotice,
    p.EntryEnd,
  ]),
  at: v.string(),
  index: v.number(),
  text: v.exactOptional(v.string()),
  open: v.exactOptional(v.boolean()),
  which: v.exactOptional(
    v.object({
      tab: v.exactOptional(v.string()),
      elements: list(taskPlainChoiceSchema),
      more: v.exactOptional(v.number()),
      text: v.string(),
      chosen: v.exactOptional(v.array(v.string())),
    }),
  ),
  attachments: v.exactOptional(v.array(chatAttachmentSchema)),
  images: v.exactOptional(v.array(chatAttachmentSchema)),
  route: v.exactOptional(
    v.object({
      kind: routeKind,
      reason: v.string(),
      model: v.exactOptional(v.string()),
      word: v.exactOptional(v.string()),
      chosen: v.exactOptional(v.boolean()),
    }),
  ),
  tool: v.exactOptional(chatToolSchema),
  plan: v.exactOptional(
    v.array(
      v.object({ text: v.string(), status: v.string(), priority: v.exactOptional(v.string()) }),
    ),
  ),
  permission: v.exactOptional(
    v.object({
      approval: v.exactOptional(v.string()),
      tool: v.exactOptional(v.string()),
      subject: chatToolSchema,
      tab: v.exactOptional(v.string()),
      origin: v.exactOptional(v.string()),
      options: list(permissionOptionSchema),
      answer: v.exactOptional(v.string()),
      outcome: v.exactOptional(v.string()),
    }),
  ),
  end: v.exactOptional(
    v.object({
      reason: v.picklist([
        p.EndDone,
        p.EndCancelled,
        p.EndRefused,
        p.EndMaxTokens,
        p.EndMaxTurns,
        p.EndFailed,
        p.EndCrashed,
        p.EndRestarted,
      ]),
      error: v.exactOptional(errorSchema),
      usage: v.exactOptional(chatUsageSchema),
      durationMs: v.number(),
    }),
  ),
});

/** protocol.ChatEvent: one change of a conversation. */
export const chatEventSchema = v.object({
  index: v.number(),
  op: v.picklist([p.ChatPut, p.ChatAppend, p.ChatRemove, p.ChatHead]),
  entry: v.exactOptional(chatEntrySchema),
  id: v.exactOptional(v.string()),
  text: v.exactOptional(v.string()),
  head: v.exactOptional(conversationSchema),
});

/** protocol.ChatPage: a part of a conversation, compacted. */
export const chatPageSchema = v.object({
  head: conversationSchema,
  entries: list(chatEntrySchema),
  index: v.number(),
  more: v.boolean(),
});

/** protocol.ChatEventsEvent: new events of a watched conversation. */
export const chatEventsSchema = v.object({
  type: v.literal(p.PanelChat),
  conversation: v.string(),
  events: list(chatEventSchema),
  page: v.exactOptional(chatPageSchema),
});

export const chatSearchReplySchema = v.object({
  found: list(
    v.object({
      conversation: v.string(),
      title: v.string(),
      entry: v.string(),
      index: v.number(),
      at: v.string(),
      before: v.string(),
      match: v.string(),
      after: v.string(),
    }),
  ),
});

export const chatListReplySchema = v.object({ conversations: list(conversationSchema) });

/** Reply of POST /chat/past. */
export const pastSessionsReplySchema = v.object({
  sessions: list(
    v.object({
      agent: v.string(),
      agentName: v.string(),
      id: v.string(),
      title: v.string(),
      folder: v.string(),
      updated: v.string(),
      conversation: v.exactOptional(v.string()),
      terminal: v.exactOptional(v.boolean()),
      chat: v.exactOptional(v.boolean()),
    }),
  ),
  problem: v.exactOptional(errorSchema),
});

/** Reply of POST /chat/paths. */
export const chatPathsReplySchema = v.object({ paths: list(v.string()) });

export const chatExportReplySchema = v.object({ name: v.string(), text: v.string() });
