// What the room Inspector receives.
import * as v from 'valibot';
import { list } from './border';
import type * as p from './protocol';

const four = v.pipe(v.array(v.number()), v.length(4));

const declaration = v.object({
  index: v.number(),
  name: v.string(),
  value: v.string(),
  important: v.exactOptional(v.boolean()),
  beaten: v.exactOptional(v.boolean()),
  off: v.exactOptional(v.boolean()),
  unknown: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, p.DetailDeclaration>;

const rule = v.object({
  key: v.exactOptional(v.string()),
  selector: v.string(),
  origin: v.string(),
  source: v.exactOptional(v.string()),
  original: v.exactOptional(v.string()),
  pseudo: v.exactOptional(v.string()),
  from: v.exactOptional(v.string()),
  conditions: v.exactOptional(v.array(v.string())),
  specificity: v.pipe(v.array(v.number()), v.length(3)),
  declarations: list(declaration),
}) satisfies v.GenericSchema<unknown, p.DetailRule>;

export const detailsSchema = v.object({
  url: v.string(),
  ref: v.string(),
  element: v.string(),
  tag: v.string(),
  path: list(v.object({ ref: v.string(), element: v.string() })),
  near: list(v.string()),
  selectors: list(v.object({ selector: v.string(), matches: v.number() })),
  box: v.object({
    x: v.number(),
    y: v.number(),
    width: v.number(),
    height: v.number(),
    margin: four,
    border: four,
    padding: four,
  }),
  rules: list(rule),
  computed: list(v.object({ name: v.string(), value: v.string() })),
  fonts: list(
    v.object({
      family: v.string(),
      name: v.string(),
      loaded: v.exactOptional(v.boolean()),
      glyphs: v.number(),
    }),
  ),
  colors: v.exactOptional(
    v.object({
      text: v.string(),
      behind: list(v.string()),
      contrast: v.number(),
      needed: v.number(),
      best: v.number(),
    }),
  ),
  access: v.object({
    role: v.string(),
    name: v.string(),
    description: v.exactOptional(v.string()),
    properties: v.exactOptional(v.record(v.string(), v.string())),
    path: list(v.string()),
  }),
  listeners: list(
    v.object({
      type: v.string(),
      source: v.string(),
      passive: v.exactOptional(v.boolean()),
      once: v.exactOptional(v.boolean()),
      capture: v.exactOptional(v.boolean()),
    }),
  ),
  attributes: list(
    v.object({ name: v.string(), value: v.string(), masked: v.exactOptional(v.boolean()) }),
  ),
  states: list(v.string()),
  text: v.string(),
  leaf: v.boolean(),
  frame: v.exactOptional(v.string()),
  shadow: v.exactOptional(v.string()),
  cut: v.exactOptional(v.array(v.string())),
}) satisfies v.GenericSchema<unknown, p.Details>;

export const editsSchema = v.object({
  url: v.string(),
  edits: list(
    v.object({
      number: v.number(),
      what: v.string(),
      element: v.string(),
      ref: v.string(),
      selector: v.exactOptional(v.string()),
      source: v.exactOptional(v.string()),
      before: v.string(),
      after: v.string(),
      undone: v.exactOptional(v.boolean()),
    }),
  ),
  diff: v.string(),
}) satisfies v.GenericSchema<unknown, p.Edits>;

/** The part of protocol.PickedElement that the room needs; missing when the user gave up. */
export const pickedSchema = v.object({
  element: v.exactOptional(v.object({ ref: v.string() })),
});

export const inspectorEventSchema = v.object({
  index: v.number(),
  kind: v.picklist(['changed', 'gone', 'edited', 'forced']),
  tab: v.string(),
  about: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.InspectorEvent>;

/** The part of protocol.Emulation that the room shows. */
export const emulationSchema = v.object({
  media: v.exactOptional(v.string()),
  scheme: v.exactOptional(v.string()),
  motion: v.exactOptional(v.string()),
  viewport: v.exactOptional(v.object({ width: v.number(), height: v.number() })),
});
