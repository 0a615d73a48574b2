import type { TaskCommandReply } from '$ui/protocol/protocol';
import * as v from 'valibot';
import { secretText } from '../core/recipe';
import { advice } from './advice';
import type { Result } from '../core/types';

/** What a command reports about its effect on the page; see protocol.Effect. */
const effectSchema = v.object({
  navigated: v.optional(v.boolean(), false),
  within: v.optional(v.boolean(), false),
  tabs: v.optional(v.array(v.string()), []),
  dialog: v.optional(v.unknown()),
  value: v.optional(v.string()),
  byPage: v.optional(v.boolean(), false),
});

/** The data of a snapshot. */
export const lookSchema = v.object({
  url: v.string(),
  title: v.string(),
  text: v.optional(v.string(), ''),
  news: v.optional(v.array(v.string()), []),
  secrets: v.optional(v.array(v.string()), []),
  byPage: v.optional(v.boolean(), false),
});
const pictureSchema = v.object({ path: v.string() });

/** Converts a reply to a result for the model. */
export function resultOf(reply: TaskCommandReply, moved: boolean): Result {
  if (!reply.ok) {
    const error = reply.error ?? { code: 'internal', message: 'It failed and gave no reason.' };
    const next = advice(error);
    const text = next === '' ? error.message : `${error.message}: ${next}`;
    return { ok: false, code: error.code, text, shown: error.message, moved };
  }
  const effect = v.safeParse(effectSchema, reply.data);
  const picture = v.safeParse(pictureSchema, reply.data);
  return {
    ok: true,
    text: reply.text,
    moved:
      moved ||
      (effect.success &&
        (effect.output.navigated ||
          effect.output.within ||
          effect.output.tabs.length > 0 ||
          effect.output.dialog !== undefined)),
    ...(picture.success && { picture: picture.output.path }),
    ...(effect.success && effect.output.value === secretText && { secret: true }),
    ...(effect.success && effect.output.byPage && { byPage: true }),
  };
}
