// Parts that the schemas of the other files share.
import * as v from 'valibot';
import * as p from './protocol';

/** Go encodes a nil slice as null; inside the page it becomes an empty list. */
export const list = <S extends v.GenericSchema>(item: S) => v.nullish(v.array(item), []);

/** protocol.TaskPlainChoice: an element of a page that may have been meant. */
export const taskPlainChoiceSchema = v.object({
  ref: v.string(),
  name: v.string(),
  kind: v.exactOptional(v.string()),
  where: v.exactOptional(v.string()),
  which: v.exactOptional(v.string()),
});

/** Every error code. */
export const code = v.picklist([
  p.CodeBadArgument,
  p.CodeUnknownCommand,
  p.CodeUnknownTab,
  p.CodeUnknownTerminal,
  p.CodeUnknownSession,
  p.CodeUnknownTask,
  p.CodeNotRunning,
  p.CodeUnauthorized,
  p.CodeForbidden,
  p.CodeRefused,
  p.CodeDenied,
  p.CodeTimeout,
  p.CodeNavigation,
  p.CodeCrashed,
  p.CodeAgentMissing,
  p.CodeUnknownModel,
  p.CodeNoKey,
  p.CodeBadKey,
  p.CodeModelSetup,
  p.CodeBusy,
  p.CodeTooLarge,
  p.CodeInternal,
  p.CodeNoKeyring,
  p.CodeNoBrowser,
  p.CodeNoDisplay,
  p.CodeNoSandbox,
  p.CodeProfileInUse,
  p.CodeUnknownConversation,
  p.CodeNotWritable,
  p.CodeNotConfined,
  p.CodeBrowserStart,
  p.CodeScript,
  p.CodeNoElement,
  p.CodeAmbiguous,
  p.CodeGone,
  p.CodeChanged,
  p.CodeDisabled,
  p.CodeHidden,
  p.CodeInert,
  p.CodeCovered,
  p.CodeNotActable,
  p.CodeDialog,
  p.CodeNoInput,
]);

/** protocol.Error: what happened, and what to do about it. */
export const errorSchema = v.object({
  code,
  message: v.string(),
  hint: v.exactOptional(v.string()),
  next: v.exactOptional(
    v.array(
      v.object({
        command: v.string(),
        args: v.exactOptional(v.array(v.string())),
        does: v.exactOptional(v.string()),
      }),
    ),
  ),
  detail: v.exactOptional(v.string()),
});
