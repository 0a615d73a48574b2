import { readdirSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { ActorTask } from './protocol';
import { activityEntrySchema } from './schemas/activity';
import { agentsFileSchema } from './schemas/agent';
import { actorSchema } from './schemas/ids';
import { panelEventSchema } from './schemas/panel';
import { settingsSchema, windowStateSchema } from './schemas/window';

// The golden frames that the Go tests write: the schemas must accept what Go sends.
const folder = new URL('../../../backend/protocol/testdata/', import.meta.url);

const files = import.meta.glob<Record<string, unknown>>('./schemas/*.ts', { eager: true });
const schemas = Object.assign({}, ...Object.values(files)) as Record<string, v.GenericSchema>;

/** Frames that neither window nor panel receives. */
const notOurs = ['BridgeEvent', 'PanelMessage', 'TrayState', 'ViewerControl'];

/** The schema of a Go type. An event must be one of those that the panel knows. */
function schemaOf(name: string): v.GenericSchema | undefined {
  if (name.endsWith('Event')) return panelEventSchema;
  return schemas[`${name.charAt(0).toLowerCase()}${name.slice(1)}Schema`];
}

const frames = readdirSync(folder)
  .map((file) => ({ file, name: file.split('.')[0] ?? '' }))
  .filter(({ name }) => !notOurs.includes(name));

test('there are golden frames', () => {
  expect(frames.length).toBeGreaterThan(15);
});

test.each(frames)('golden frame $file comes out whole', ({ file, name }) => {
  const schema = schemaOf(name);
  if (!schema) throw new Error(`no schema for ${name}`);
  const frame: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  expect(v.parse(schema, frame)).toEqual(frame);
});

test('a list or map that Go wrote as null is empty', () => {
  const { agents, models } = v.parse(agentsFileSchema, { version: 1, agents: null, default: '' });
  expect([agents, models]).toEqual([[], undefined]);
  const routing = { instant: true, strong: null, longText: 0, models: null };
  expect(v.parse(settingsSchema.entries.chatRouting, routing)).toEqual({
    ...routing,
    strong: [],
    models: {},
  });
});

test('what is not a message is refused', () => {
  expect(v.is(panelEventSchema, { type: 'tabs', tabs: [{ id: 7 }] })).toBe(false);
  expect(v.is(panelEventSchema, { type: 'unheard_of' })).toBe(false);
  expect(v.is(windowStateSchema, {})).toBe(false);
});

test('an optional field may be left out, and is not null', () => {
  const actor = { kind: ActorTask, name: 'x' };
  expect(v.is(actorSchema, actor)).toBe(true);
  expect(v.is(actorSchema, { ...actor, agent: null })).toBe(false);
  expect(v.is(actorSchema, { ...actor, agent: 7 })).toBe(false);
});

test('only the activity accepts words of later versions', () => {
  const actor = { kind: 'later', name: 'x' };
  const entry = { index: 1, time: '', actor, session: 's', command: '', ok: true, durationMs: 0 };
  expect(v.is(actorSchema, actor)).toBe(false);
  expect(v.is(activityEntrySchema, { ...entry, kind: 'later', code: 'later' })).toBe(true);
  expect(v.is(activityEntrySchema, { ...entry, actor: { ...actor, kind: 7 } })).toBe(false);
});
