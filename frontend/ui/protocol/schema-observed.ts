// What the rooms Network and Console receive, and what the panel shows of a tab without them.
import * as v from 'valibot';
import { list } from './border';
import type * as p from './protocol';

export const codePlaceSchema = v.object({
  function: v.exactOptional(v.string()),
  url: v.string(),
  line: v.number(),
  column: v.number(),
}) satisfies v.GenericSchema<unknown, p.CodePlace>;

export const mappedPlaceSchema = v.object({
  ...codePlaceSchema.entries,
  source: v.exactOptional(v.string()),
  sourceLine: v.exactOptional(v.number()),
  sourceColumn: v.exactOptional(v.number()),
  why: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.MappedPlace>;

export const pageValueSchema = v.object({
  type: v.string(),
  text: v.string(),
  handle: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.PageValue>;

export const pagePartsSchema = v.object({
  parts: list(
    v.object({
      name: v.string(),
      value: pageValueSchema,
      hidden: v.exactOptional(v.boolean()),
      accessor: v.exactOptional(v.boolean()),
    }),
  ),
  total: v.number(),
}) satisfies v.GenericSchema<unknown, p.PageParts>;

export const pageRunSchema = v.object({
  url: v.string(),
  value: pageValueSchema,
  threw: v.exactOptional(v.boolean()),
  stack: v.exactOptional(v.array(codePlaceSchema)),
}) satisfies v.GenericSchema<unknown, p.PageRun>;

export const consoleItemSchema = v.object({
  entry: v.object({
    n: v.number(),
    at: v.string(),
    level: v.string(),
    source: v.string(),
    text: v.string(),
    url: v.exactOptional(v.string()),
    line: v.exactOptional(v.number()),
    column: v.exactOptional(v.number()),
    stack: v.exactOptional(v.array(v.string())),
  }),
  page: v.number(),
  args: v.exactOptional(v.array(pageValueSchema)),
  stack: v.exactOptional(v.array(codePlaceSchema)),
  group: v.exactOptional(v.number()),
  begins: v.exactOptional(v.string()),
  clears: v.exactOptional(v.boolean()),
  navigated: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, p.ConsoleItem>;

const headersSchema = v.record(v.string(), v.string());

export const networkEntrySchema = v.object({
  id: v.string(),
  at: v.string(),
  method: v.string(),
  url: v.string(),
  type: v.string(),
  status: v.exactOptional(v.number()),
  statusText: v.exactOptional(v.string()),
  mime: v.exactOptional(v.string()),
  bytes: v.exactOptional(v.number()),
  durationMs: v.exactOptional(v.number()),
  done: v.boolean(),
  failed: v.exactOptional(v.string()),
  from: v.exactOptional(v.string()),
  initiator: v.exactOptional(v.string()),
  requestHeaders: v.exactOptional(headersSchema),
  responseHeaders: v.exactOptional(headersSchema),
  postData: v.exactOptional(v.string()),
  protocol: v.exactOptional(v.string()),
  remoteAddress: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.NetworkEntry>;

export const networkItemSchema = v.object({
  entry: networkEntrySchema,
  page: v.number(),
  size: v.exactOptional(v.number()),
  times: v.exactOptional(
    v.object({
      blocked: v.number(),
      dns: v.number(),
      connect: v.number(),
      tls: v.number(),
      send: v.number(),
      wait: v.number(),
      receive: v.number(),
    }),
  ),
  stack: v.exactOptional(v.array(codePlaceSchema)),
  redirect: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.NetworkItem>;

export const networkBodySchema = v.object({
  entry: networkEntrySchema,
  text: v.exactOptional(v.string()),
  bytes: v.number(),
  path: v.exactOptional(v.string()),
  data: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.NetworkBody>;

export const networkRuleSchema = v.object({
  pattern: v.string(),
  block: v.exactOptional(v.boolean()),
  types: v.exactOptional(v.array(v.string())),
  status: v.exactOptional(v.number()),
  headers: v.exactOptional(headersSchema),
  body: v.exactOptional(v.string()),
  hits: v.number(),
}) satisfies v.GenericSchema<unknown, p.NetworkRule>;

export const tabSignalsSchema = v.object({
  errors: v.number(),
  warnings: v.number(),
  blocked: v.number(),
  mocked: v.number(),
  throttle: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.TabSignals>;

export const savedFileSchema = v.object({
  path: v.string(),
  bytes: v.number(),
  entries: v.exactOptional(v.number()),
}) satisfies v.GenericSchema<unknown, p.SavedFile>;
