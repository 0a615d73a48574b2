import * as v from 'valibot';
import type { CommandReply } from '$ui/protocol/protocol';

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
