// Schemas of what the panel's quick actions read. Only they load them.

import * as v from 'valibot';
import type * as p from './protocol';

/** A file that a command saved. */
export const savedFileSchema = v.object({
  path: v.string(),
  bytes: v.number(),
  entries: v.exactOptional(v.number()),
});

/** A screenshot that was saved. */
export const screenshotSchema = v.object({
  path: v.string(),
  format: v.string(),
  width: v.number(),
  height: v.number(),
  bytes: v.number(),
  url: v.string(),
  slices: v.exactOptional(v.array(v.string())),
  labels: v.exactOptional(v.number()),
  scroller: v.exactOptional(v.string()),
  hidden: v.exactOptional(v.number()),
});

/** An item of the feed "recordings". */
export const recordingStateSchema = v.object({
  tab: v.string(),
  began: v.string(),
  held: v.exactOptional(v.boolean()),
  video: v.exactOptional(v.boolean()),
});

/** What of a recording the panel shows. */
export const recordingSchema = v.object({
  running: v.boolean(),
  held: v.exactOptional(v.boolean()),
  steps: v.array(
    v.object({
      do: v.string(),
      at: v.string(),
      url: v.exactOptional(v.string()),
      name: v.exactOptional(v.string()),
      value: v.exactOptional(v.string()),
      secret: v.exactOptional(v.boolean()),
    }),
  ),
  frames: v.exactOptional(v.number()),
  video: v.exactOptional(savedFileSchema),
  routine: v.exactOptional(savedFileSchema),
  playwright: v.exactOptional(savedFileSchema),
});

/** Does not compile when a schema and its Go type differ. */
export type ToolSchemasAgree = [
  Assignable<v.InferOutput<typeof savedFileSchema>, p.SavedFile>,
  Assignable<v.InferOutput<typeof screenshotSchema>, p.Screenshot>,
  Assignable<v.InferOutput<typeof recordingStateSchema>, p.RecordingState>,
  Assignable<v.InferOutput<typeof recordingSchema>, p.Recording>,
];

type Assignable<From extends To, To> = From;
