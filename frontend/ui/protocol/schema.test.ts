import { readdirSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { chatPageSchema, pastSessionsReplySchema } from './chat';
import * as s from './schema';
import { elementItemSchema } from './schema-elements';
import { activityFoundSchema } from './schema-activity';
import { scheduleReplySchema } from './schema-schedule';
import { settingsRegistrySchema } from './schema-settings';
import {
  consoleItemSchema,
  mappedPlaceSchema,
  networkItemSchema,
  pagePartsSchema,
  pageRunSchema,
  tabSignalsSchema,
} from './schema-observed';

// The golden frames that the Go tests write: the schemas must accept what Go sends.
const folder = new URL('../../../backend/protocol/testdata/', import.meta.url);

const schemas: Record<string, v.GenericSchema> = {
  ActivityFound: activityFoundSchema,
  ChatPage: chatPageSchema,
  ConsoleItem: consoleItemSchema,
  ElementItem: elementItemSchema,
  Health: s.healthSchema,
  LogRecord: s.logRecordSchema,
  MappedPlace: mappedPlaceSchema,
  NetworkItem: networkItemSchema,
  PageParts: pagePartsSchema,
  PageRun: pageRunSchema,
  Pairing: s.pairingSchema,
  PastSessionsReply: pastSessionsReplySchema,
  PtySessionReply: s.ptySessionReplySchema,
  ScheduleReply: scheduleReplySchema,
  SettingsRegistry: settingsRegistrySchema,
  Settings: s.settingsSchema,
  TabSignals: tabSignalsSchema,
  TerminalControl: s.terminalControlSchema,
  WindowState: s.windowStateSchema,
};

/** Frames that neither window nor panel receives. */
const notOurs = new Set([
  'BridgeEvent',
  'CommandReply',
  'PanelMessage',
  'TrayState',
  'ViewerControl',
]);

function schemaOf(name: string): v.GenericSchema | undefined {
  return name.endsWith('Event') && name !== 'BridgeEvent' ? s.panelEventSchema : schemas[name];
}

const frames = readdirSync(folder)
  .map((file) => ({ file, name: file.split('.')[0] ?? '' }))
  .filter(({ name }) => !notOurs.has(name));

test('there are golden frames', () => {
  expect(frames.length).toBeGreaterThan(15);
});

test.each(frames)('golden frame $file comes out whole', ({ file, name }) => {
  const schema = schemaOf(name);
  if (!schema) throw new Error(`no schema for ${name}`);
  const frame: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  expect(v.parse(schema, frame)).toEqual(frame);
});

test('a list that Go wrote as null is an empty list', () => {
  expect(v.parse(s.logRecordsSchema, null)).toEqual([]);
  expect(
    v.parse(s.agentsFileSchema, { version: 1, agents: null, default: 'shell' }).agents,
  ).toEqual([]);
});

test('what is not a message is refused', () => {
  expect(v.is(s.panelEventSchema, { type: 'tabs', tabs: [{ id: 7 }] })).toBe(false);
  expect(v.is(s.panelEventSchema, { type: 'unheard_of' })).toBe(false);
  expect(v.is(s.windowStateSchema, {})).toBe(false);
});
