// The schemas of tasks and of model profiles.
import * as v from 'valibot';
import { errorSchema, list, taskPlainChoiceSchema } from './border';
import * as p from './protocol';

/** protocol.Task: a task without its steps. */
export const taskSchema = v.object({
  id: v.string(),
  title: v.string(),
  goal: v.string(),
  tab: v.exactOptional(v.string()),
  tabs: list(v.string()),
  state: v.picklist([
    p.TaskIdle,
    p.TaskRunning,
    p.TaskWaiting,
    p.TaskPaused,
    p.TaskDone,
    p.TaskFailed,
    p.TaskStopped,
    p.TaskInterrupted,
  ]),
  summary: v.exactOptional(v.string()),
  error: v.exactOptional(errorSchema),
  profile: v.exactOptional(v.string()),
  steps: v.number(),
  maxSteps: v.number(),
  tokens: v.number(),
  budget: v.number(),
  created: v.string(),
  updated: v.string(),
  index: v.number(),
  routine: v.exactOptional(v.string()),
  keepGroup: v.exactOptional(v.boolean()),
  closed: v.exactOptional(v.boolean()),
  asker: v.exactOptional(
    v.object({
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
    }),
  ),
});

export const taskEventSchema = v.object({
  index: v.number(),
  kind: v.picklist([
    p.TaskEventHead,
    p.TaskEventStep,
    p.TaskEventUser,
    p.TaskEventNotice,
    p.TaskEventSummary,
  ]),
  at: v.string(),
  head: v.exactOptional(taskSchema),
  data: v.exactOptional(v.unknown()),
});

export const taskWriteReplySchema = v.object({
  index: v.number(),
  head: taskSchema,
  did: v.exactOptional(v.string()),
});

export const taskPageSchema = v.object({ head: taskSchema, events: list(taskEventSchema) });

export const taskListReplySchema = v.object({
  tasks: list(taskSchema),
  found: v.exactOptional(
    v.array(
      v.object({
        task: v.string(),
        step: v.exactOptional(v.number()),
        in: v.picklist([
          p.TaskFoundTitle,
          p.TaskFoundGoal,
          p.TaskFoundSummary,
          p.TaskFoundAim,
          p.TaskFoundAction,
          p.TaskFoundResult,
          p.TaskFoundPage,
          p.TaskFoundUser,
          p.TaskFoundNote,
        ]),
        before: v.string(),
        match: v.string(),
        after: v.string(),
      }),
    ),
  ),
});

/** The commands come from the app's registry: their arguments are validated where they are used. */
export const taskPlainReplySchema = v.object({
  steps: list(v.string()),
  unknown: v.exactOptional(v.string()),
  commands: v.exactOptional(
    v.array(
      v.object({
        command: v.string(),
        args: v.exactOptional(v.record(v.string(), v.unknown())),
        tab: v.exactOptional(v.string()),
        timeoutMs: v.exactOptional(v.number()),
      }),
    ),
  ),
  said: v.exactOptional(v.string()),
  error: v.exactOptional(errorSchema),
  choices: v.exactOptional(v.array(taskPlainChoiceSchema)),
});

/** What the servers say of their tools is checked where it is used. */
export const taskToolsReplySchema = v.object({
  servers: list(
    v.object({
      name: v.string(),
      tools: list(
        v.object({
          name: v.string(),
          description: v.exactOptional(v.string()),
          schema: v.exactOptional(v.unknown()),
        }),
      ),
      more: v.exactOptional(v.number()),
      error: v.exactOptional(errorSchema),
    }),
  ),
});

export const taskToolReplySchema = v.object({
  ok: v.boolean(),
  text: v.string(),
  error: v.exactOptional(errorSchema),
  kept: v.object({
    arguments: v.exactOptional(v.record(v.string(), v.unknown())),
    text: v.string(),
  }),
});

export const taskRunRequestSchema = v.object({
  goal: v.string(),
  tab: v.exactOptional(v.string()),
  profile: v.exactOptional(v.string()),
  routine: v.exactOptional(v.string()),
  params: v.exactOptional(v.record(v.string(), v.string())),
  maxSteps: v.exactOptional(v.number()),
});

export const taskRoutinesReplySchema = v.object({
  routines: list(
    v.object({
      name: v.string(),
      title: v.exactOptional(v.string()),
      goal: v.string(),
      params: list(v.string()),
      defaults: v.exactOptional(v.record(v.string(), v.string())),
      secrets: v.exactOptional(v.array(v.string())),
      steps: v.exactOptional(v.array(v.string())),
      actions: v.exactOptional(v.unknown()),
      created: v.string(),
    }),
  ),
});

const provider = v.picklist([
  p.LLMAnthropic,
  p.LLMOpenAI,
  p.LLMGoogle,
  p.LLMAzure,
  p.LLMOpenRouter,
  p.LLMMistral,
  p.LLMGroq,
  p.LLMDeepSeek,
  p.LLMQwen,
  p.LLMCompatible,
  p.LLMOllama,
  p.LLMLMStudio,
  p.LLMLlamaCpp,
]);
const dialect = v.picklist([p.DialectAnthropic, p.DialectOpenAI]);

export const llmProfileSchema = v.object({
  id: v.string(),
  name: v.string(),
  provider,
  url: v.exactOptional(v.string()),
  model: v.string(),
  vision: v.exactOptional(v.boolean()),
  for: list(v.string()),
  dialect,
  keyed: v.exactOptional(v.boolean()),
  hasKey: v.boolean(),
  keyKept: v.exactOptional(v.string()),
});

export const llmStateSchema = v.object({
  profiles: list(llmProfileSchema),
  providers: list(
    v.object({
      provider,
      name: v.string(),
      dialect,
      url: v.exactOptional(v.string()),
      needsKey: v.boolean(),
      keyUrl: v.exactOptional(v.string()),
    }),
  ),
  keychain: v.boolean(),
});

const model = v.object({
  id: v.string(),
  name: v.exactOptional(v.string()),
  context: v.exactOptional(v.number()),
});

export const llmModelsReplySchema = v.object({ models: list(model) });

export const llmVerdictSchema = v.object({
  ok: v.boolean(),
  message: v.string(),
  hint: v.exactOptional(v.string()),
  millis: v.number(),
});

export const llmLocalReplySchema = v.object({
  found: list(v.object({ provider, name: v.string(), url: v.string(), models: list(model) })),
});

export const sessionWorkSchema = v.object({
  routines: taskRoutinesReplySchema.entries.routines,
  tasks: taskListReplySchema.entries.tasks,
});
