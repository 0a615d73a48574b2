// What the window's page of settings receives.
import * as v from 'valibot';
import { list } from './border';
import * as p from './protocol';

export const settingsProblemSchema = v.object({
  file: v.string(),
  line: v.exactOptional(v.number()),
  column: v.exactOptional(v.number()),
  name: v.exactOptional(v.string()),
  unknown: v.exactOptional(v.boolean()),
  message: v.string(),
  allowed: v.string(),
}) satisfies v.GenericSchema<unknown, p.SettingsProblem>;

const setting = v.object({
  name: v.string(),
  field: v.string(),
  group: v.string(),
  label: v.string(),
  explanation: v.string(),
  kind: v.picklist([
    p.SettingSwitch,
    p.SettingNumber,
    p.SettingOneOf,
    p.SettingText,
    p.SettingAddress,
    p.SettingCommand,
    p.SettingFolder,
    p.SettingWords,
    p.SettingBrowser,
    p.SettingAgent,
    p.SettingChatAgent,
    p.SettingModels,
  ]),
  default: v.unknown(),
  empty: v.exactOptional(v.string()),
  example: v.exactOptional(v.string()),
  min: v.exactOptional(v.number()),
  max: v.exactOptional(v.number()),
  unit: v.exactOptional(v.string()),
  choices: v.exactOptional(v.array(v.object({ value: v.string(), text: v.string() }))),
  when: v.exactOptional(
    v.object({
      field: v.string(),
      is: v.exactOptional(v.string()),
      not: v.exactOptional(v.string()),
    }),
  ),
  atSessionStart: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, p.Setting>;

export const settingsRegistrySchema = v.object({
  file: v.string(),
  groups: v.array(v.object({ id: v.string(), title: v.string() })),
  settings: v.array(setting),
}) satisfies v.GenericSchema<unknown, p.SettingsRegistry>;

const connectProgram = v.object({
  name: v.string(),
  title: v.string(),
  state: v.picklist([
    p.ConnectAbsent,
    p.ConnectFound,
    p.ConnectDone,
    p.ConnectChanged,
    p.ConnectUnclear,
  ]),
  file: v.string(),
  skill: v.exactOptional(v.string()),
  problem: v.exactOptional(v.string()),
});

export const connectProgramsSchema = list(connectProgram) satisfies v.GenericSchema<
  unknown,
  p.ConnectProgram[]
>;

export const connectChangeSchema = v.object({
  program: connectProgram,
  lines: v.string(),
  own: v.exactOptional(v.string()),
  tools: v.exactOptional(v.number()),
}) satisfies v.GenericSchema<unknown, p.ConnectChange>;

const client = v.object({
  id: v.string(),
  kind: v.picklist([
    p.ClientPanel,
    p.ClientCommandLine,
    p.ClientTerminal,
    p.ClientConversation,
    p.ClientProcess,
  ]),
  name: v.string(),
  session: v.exactOptional(v.string()),
  tab: v.exactOptional(v.string()),
  since: v.string(),
  tokenSince: v.string(),
  lastUsed: v.exactOptional(v.string()),
  rotates: v.exactOptional(v.boolean()),
  through: v.exactOptional(v.array(v.object({ name: v.string(), lastUsed: v.string() }))),
});

export const clientsSchema = list(client) satisfies v.GenericSchema<unknown, p.Client[]>;

const stored = v.object({
  kind: v.picklist([
    p.StoredActivity,
    p.StoredConversations,
    p.StoredTasks,
    p.StoredRoutines,
    p.StoredRecordings,
    p.StoredScreenshots,
    p.StoredDownloads,
    p.StoredSignIns,
    p.StoredCaches,
    p.StoredProfiles,
    p.StoredLogs,
  ]),
  session: v.exactOptional(v.string()),
  places: list(v.string()),
  bytes: v.number(),
  files: v.number(),
  kept: v.exactOptional(v.string()),
});

export const storedSchema = list(stored) satisfies v.GenericSchema<unknown, p.Stored[]>;
