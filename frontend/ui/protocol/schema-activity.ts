// Schemas of the activity. The panel's room Activity and the window's history load them.

import * as v from 'valibot';
import type * as p from './protocol';

/** A word of a list to which later versions may add. */
function word<T extends string>(): v.GenericSchema<T> {
  return v.custom<T>((value) => typeof value === 'string');
}

const actorSchema = v.object({
  kind: word<p.ActorKind>(),
  id: v.exactOptional(v.string()),
  name: v.string(),
  agent: v.exactOptional(v.string()),
  tab: v.exactOptional(v.string()),
  title: v.exactOptional(v.string()),
});

export const activityEntrySchema = v.object({
  index: v.number(),
  kind: v.exactOptional(word<p.ActivityKind>()),
  time: v.string(),
  actor: actorSchema,
  session: v.string(),
  tab: v.exactOptional(v.string()),
  command: v.string(),
  phase: v.exactOptional(word<p.ActivityPhase>()),
  parent: v.exactOptional(v.number()),
  args: v.exactOptional(v.record(v.string(), v.string())),
  ok: v.boolean(),
  code: v.exactOptional(word<p.Code>()),
  summary: v.exactOptional(v.string()),
  untrusted: v.exactOptional(v.boolean()),
  durationMs: v.number(),
});

const gapSchema = v.object({ from: v.number(), to: v.number() });

export const activityFoundSchema = v.object({
  entries: v.array(activityEntrySchema),
  gaps: v.array(gapSchema),
  before: v.number(),
  last: v.number(),
  shots: v.array(v.number()),
  markdown: v.exactOptional(v.string()),
});

/** An item of the feed "activity". */
export const activityFeedItemSchema = v.object({
  entry: v.exactOptional(activityEntrySchema),
  gap: v.exactOptional(gapSchema),
  shot: v.exactOptional(v.number()),
});

/** The screenshot of an entry. */
export const activityShotSchema = v.object({
  mime: v.literal('image/jpeg'),
  data: v.pipe(v.string(), v.base64()),
});

/** Does not compile when a schema and its Go type differ. */
export type ActivitySchemasAgree = [
  Assignable<v.InferOutput<typeof activityEntrySchema>, p.ActivityEntry>,
  Assignable<v.InferOutput<typeof activityFoundSchema>, p.ActivityFound>,
  Assignable<v.InferOutput<typeof activityFeedItemSchema>, p.ActivityFeedItem>,
];

type Assignable<From extends To, To> = From;
