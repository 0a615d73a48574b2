// What the window receives about other programs and the user's own MCP servers.
import * as v from 'valibot';
import { code, list } from './border';
import type * as p from './protocol';

const optional = v.exactOptional(v.string());

/** The fields of protocol.Error that the window shows. */
const problemSchema = v.object({ code, message: v.string(), hint: optional });

const programSchema = v.object({
  name: v.string(),
  title: v.string(),
  installed: v.boolean(),
  connected: v.boolean(),
  current: v.boolean(),
  file: v.string(),
  problem: optional,
}) satisfies v.GenericSchema<unknown, p.Program>;

export const programsReplySchema = v.object({
  programs: list(programSchema),
  done: v.exactOptional(
    v.object({
      program: v.string(),
      change: v.string(),
      own: optional,
      skill: optional,
      tools: v.number(),
      problem: v.exactOptional(problemSchema),
    }),
  ),
}) satisfies v.GenericSchema<unknown, p.ProgramsReply>;

const texts = v.exactOptional(v.array(v.string()));

const toolServerSchema = v.object({
  name: v.string(),
  line: v.string(),
  remote: v.exactOptional(v.boolean()),
  variables: texts,
  headers: texts,
  from: optional,
  permission: v.string(),
}) satisfies v.GenericSchema<unknown, p.ToolServer>;

export const toolServersReplySchema = v.object({
  servers: list(toolServerSchema),
  taken: texts,
  left: v.exactOptional(v.array(v.object({ name: v.string(), why: v.string() }))),
}) satisfies v.GenericSchema<unknown, p.ToolServersReply>;
