// What the window's page of settings receives.
import * as v from 'valibot';
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
