import * as v from 'valibot';
import { errorReplySchema } from '$ui/protocol/schemas/command';
import { ModelError } from '../core/types';

/** The error classes of a provider's library; both libraries use these names. */
interface Library {
  readonly APIError: new (...args: never[]) => Error;
  readonly APIConnectionError: new (...args: never[]) => Error;
  readonly APIUserAbortError: new (...args: never[]) => Error;
}

const answered = v.object({
  status: v.optional(v.number()),
  error: v.optional(v.unknown()),
  headers: v.optional(v.instance(Headers)),
});

/** An error of the app without the object around it. */
const bareSchema = v.pipe(
  errorReplySchema.entries.error,
  v.transform((error) => ({ error })),
);

/** The statuses for which a retry may help: too many requests, and overload. */
const busy = new Set([429, 503, 529]);

/**
 * Converts a library's error to a ModelError with a message, a hint, and whether a
 * retry may help. Other errors are returned unchanged.
 */
export function asModelError(error: unknown, library: Library): unknown {
  if (error instanceof library.APIUserAbortError) return error;
  if (error instanceof library.APIConnectionError) {
    if (error.cause instanceof ModelError) return error.cause;
    return new ModelError('The model cannot be reached.', 'Check that Pilotfish runs.', true);
  }
  if (!(error instanceof library.APIError)) return error;
  const { status = 0, error: body, headers } = v.parse(answered, error);
  // The app's own refusals have their own form, with a hint. Anthropic's library
  // passes the whole body; OpenAI's library passes the body's `error`.
  const ours = v.safeParse(v.union([errorReplySchema, bareSchema]), body);
  if (ours.success) {
    const { message, hint = '' } = ours.output.error;
    return new ModelError(message, hint, false);
  }
  const said = reason(body);
  if (status === 401 || status === 403)
    return new ModelError(
      `The provider refuses the key${said}.`,
      'Enter it again in the settings of models.',
      false,
    );
  if (status === 404)
    return new ModelError(
      `The provider does not know this model${said}.`,
      'Choose another one in the settings of models.',
      false,
    );
  const wait = Number(headers?.get('retry-after') ?? '') * 1000;
  return new ModelError(
    `The model answered with the error ${String(status)}${said}.`,
    busy.has(status) ? 'Wait a little, or choose another model.' : 'Choose another model.',
    busy.has(status) || status >= 500,
    Number.isFinite(wait) ? wait : 0,
  );
}

/** The message in a provider's error. */
function reason(body: unknown): string {
  const found = v.safeParse(v.object({ message: v.string() }), body);
  const nested = v.safeParse(v.object({ error: v.object({ message: v.string() }) }), body);
  const text = found.success
    ? found.output.message
    : nested.success
      ? nested.output.error.message
      : '';
  return text === '' ? '' : `: ${text.slice(0, 300).replace(/\.$/, '')}`;
}
