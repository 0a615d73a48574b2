// The schemas of connected clients and stored data, which the window shows.
import * as v from 'valibot';
import { list } from './border';
import * as p from './protocol';

const clientSchema = v.object({
  id: v.string(),
  kind: v.picklist([p.ClientPanel, p.ClientTerminal, p.ClientChat, p.ClientMCP, p.ClientShell]),
  name: v.string(),
  session: v.exactOptional(v.string()),
  tab: v.exactOptional(v.string()),
  made: v.string(),
  used: v.exactOptional(v.string()),
  open: v.number(),
  revoked: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.Client>;

export const clientsReplySchema = v.object({ clients: list(clientSchema) });

const partSchema = v.object({
  session: v.exactOptional(v.string()),
  bytes: v.number(),
  count: v.number(),
  oldest: v.exactOptional(v.string()),
  inUse: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, p.StoredPart>;

const dataSchema = v.object({
  kind: v.picklist([
    p.StoredProfiles,
    p.StoredSignIns,
    p.StoredCaches,
    p.StoredConversations,
    p.StoredTasks,
    p.StoredRoutines,
    p.StoredActivity,
    p.StoredFiles,
    p.StoredWork,
    p.StoredLogs,
  ]),
  title: v.string(),
  about: v.string(),
  loss: v.string(),
  unit: v.picklist([
    p.StoredUnitFile,
    p.StoredUnitConversation,
    p.StoredUnitTask,
    p.StoredUnitRoutine,
  ]),
  parts: list(partSchema),
});

export const storedReplySchema = v.object({ data: list(dataSchema), freed: v.number() });
