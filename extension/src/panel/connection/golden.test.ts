import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chatPageSchema, pastSessionsReplySchema } from '$ui/protocol/chat';
import { activityFoundSchema } from '$ui/protocol/schema-activity';
import * as schema from '$ui/protocol/schema';
import { elementItemSchema } from '$ui/protocol/schema-elements';
import * as observed from '$ui/protocol/schema-observed';
import * as v from 'valibot';

const folder = new URL('../../../../backend/protocol/testdata/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

/**
 * The schemas of the messages that the panel receives, by the Go type that a file
 * is named after.
 */
const received: Record<string, v.GenericSchema> = {
  ActivityFound: activityFoundSchema,
  AgentsEvent: schema.panelEventSchema,
  ChatEventsEvent: schema.panelEventSchema,
  ChatPage: chatPageSchema,
  ConversationEvent: schema.panelEventSchema,
  ConversationGoneEvent: schema.panelEventSchema,
  FeedEvent: schema.panelEventSchema,
  HelloEvent: schema.panelEventSchema,
  PickedEvent: schema.panelEventSchema,
  PongEvent: schema.panelEventSchema,
  ReauthEvent: schema.panelEventSchema,
  SessionEvent: schema.panelEventSchema,
  SettingsEvent: schema.panelEventSchema,
  ShowEvent: schema.panelEventSchema,
  TaskChangedEvent: schema.panelEventSchema,
  TaskGoneEvent: schema.panelEventSchema,
  TaskOrderEvent: schema.panelEventSchema,
  ModelsEvent: schema.panelEventSchema,
  TabsEvent: schema.panelEventSchema,
  TerminalEvent: schema.panelEventSchema,
  TerminalGoneEvent: schema.panelEventSchema,
  Health: schema.healthSchema,
  Pairing: schema.pairingSchema,
  PtySessionReply: schema.ptySessionReplySchema,
  TerminalControl: schema.terminalControlSchema,
  AgentsFile: schema.agentsFileSchema,
  ElementItem: elementItemSchema,
  ConsoleItem: observed.consoleItemSchema,
  NetworkItem: observed.networkItemSchema,
  TabSignals: observed.tabSignalsSchema,
  PageRun: observed.pageRunSchema,
  PageParts: observed.pagePartsSchema,
  MappedPlace: observed.mappedPlaceSchema,
  PastSessionsReply: pastSessionsReplySchema,
};

/** Messages that the panel does not receive; it sends some of them. */
const others =
  /^(?:BridgeEvent|Command|Endpoint|Schedule|LogRecord|PanelMessage|Settings\.|SettingsRegistry|Tray|ViewerControl|Window|App)/;

describe('the golden frames that Go wrote', () => {
  it('are there', () => {
    expect(files.length).toBeGreaterThan(0);
    const names = new Set(files.map((file) => file.split('.')[0]));
    for (const type of ['HelloEvent', 'Pairing', 'TerminalControl', 'PtySessionReply'])
      expect(names).toContain(type);
  });

  it.each(files)('%s', (file) => {
    const value: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    const type = file.split('.')[0] ?? '';
    const expected = received[type];
    if (expected === undefined) {
      // A new message of the backend must be added to one of the two lists.
      expect(file).toMatch(others);
      return;
    }
    const result = v.safeParse(expected, value);
    expect(result.issues).toBeUndefined();
    // The schema dropped nothing.
    expect(result.output).toEqual(value);
  });
});
