// What the room Elements receives.
import * as v from 'valibot';
import { errorSchema, list } from './border';
import type * as p from './protocol';

export const pageElementSchema = v.object({
  ref: v.string(),
  role: v.string(),
  name: v.string(),
  states: v.exactOptional(list(v.string())),
  value: v.exactOptional(v.string()),
  context: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.PageElement>;

export const elementItemSchema = v.object({
  kind: v.picklist(['new', 'page', 'put', 'gone', 'failed']),
  url: v.exactOptional(v.string()),
  title: v.exactOptional(v.string()),
  more: v.exactOptional(v.number()),
  element: v.exactOptional(pageElementSchema),
  after: v.exactOptional(v.string()),
  ref: v.exactOptional(v.string()),
  error: v.exactOptional(errorSchema),
}) satisfies v.GenericSchema<unknown, p.ElementItem>;
