import * as v from 'valibot';
import type { CommandReply } from '$ui/protocol/protocol';

const profileSchema = v.object({ id: v.string(), name: v.string() });

const importedSchema = v.object({
  site: v.string(),
  browser: v.string(),
  profile: v.string(),
  cookies: v.number(),
  items: v.exactOptional(v.number()),
});

/** What `signins` says: the browsers of this machine, and what was imported. */
export const listSchema = v.object({
  browsers: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      profiles: v.array(profileSchema),
      missing: v.exactOptional(v.boolean()),
    }),
  ),
  imported: v.array(importedSchema),
});

/** What `signins sites` says. */
export const sitesSchema = v.object({
  sites: v.array(
    v.object({
      site: v.string(),
      cookies: v.number(),
      locked: v.exactOptional(v.number()),
      imported: v.exactOptional(v.boolean()),
    }),
  ),
  containers: v.exactOptional(v.array(v.object({ name: v.string(), cookies: v.number() }))),
  trouble: v.exactOptional(v.string()),
});

/** What `signins import` says. */
export const resultSchema = v.object({
  sites: v.array(importedSchema),
  missed: v.exactOptional(v.array(v.string())),
});

/** What `signins remove` says. */
export const removedSchema = v.object({ removed: v.number() });

/** The data of a reply; throws what went wrong, in words. */
export function read<T extends v.GenericSchema>(schema: T, reply: CommandReply): v.InferOutput<T> {
  const { data, error, text } = reply;
  // An import of which a part failed has data, too.
  if (data === undefined || data === null)
    throw new Error(error === undefined ? text : said(error));
  return v.parse(schema, data);
}

function said({ message, hint = '' }: NonNullable<CommandReply['error']>): string {
  return hint === '' ? message : `${message}: ${hint}`;
}
