import { markOf } from './element';
import { secretText } from './recipe';
import type { Action, PerformedAction, Result, Step } from './types';

/**
 * A step as the journal stores it: with the identification of its elements for a
 * replay, and without typed secrets. The backend reports whether a field hides its
 * text.
 */
export function recorded(step: Step, observe: string, known: readonly string[]): Step {
  const secrets = [
    ...known,
    ...step.deeds.flatMap(({ action, result }) =>
      action.do === 'type' && action.text !== '' && result.secret === true ? [action.text] : [],
    ),
  ];
  const hide = (text: string): string => hidden(text, secrets);
  return {
    ...step,
    thought: {
      evaluation: hide(step.thought.evaluation),
      memory: hide(step.thought.memory),
      goal: hide(step.thought.goal),
      actions: step.thought.actions.map((action, i) =>
        quiet(withKept(action, step.deeds[i]?.result), secrets),
      ),
    },
    deeds: step.deeds.map((performed) => marked(performed, observe, secrets)),
  };
}

/**
 * A step of which only the thought is known. Its typed texts and the arguments of tools
 * are hidden, because they may be secrets.
 */
export function untold(step: Step): Step {
  const actions = step.thought.actions.map((action) =>
    action.do === 'type' && action.text !== ''
      ? { ...action, text: '…' }
      : withKept(action, undefined),
  );
  return { ...step, thought: { ...step.thought, actions } };
}

function marked(
  performed: PerformedAction,
  observe: string,
  secrets: readonly string[],
): PerformedAction {
  const action = withKept(performed.action, performed.result);
  const { kept, ...result } = performed.result;
  const { answer } = result;
  const mark = 'ref' in action ? markOf(observe, action.ref) : undefined;
  const toMark = 'to' in action ? markOf(observe, action.to) : undefined;
  return {
    ...performed,
    action: quiet(action, secrets),
    result: {
      ...result,
      text: hidden(kept?.text ?? result.text, secrets),
      ...(answer !== undefined && { answer: hidden(answer, secrets) }),
    },
    ...(mark !== undefined && { mark }),
    ...(toMark !== undefined && { toMark }),
  };
}

/** The use of a tool with the arguments that may be written; other actions as they are. */
function withKept(action: Action, result: Result | undefined): Action {
  if (action.do !== 'tool') return action;
  const { do: name, server, tool } = action;
  const kept = result?.kept?.arguments;
  return { do: name, server, tool, ...(kept !== undefined && { arguments: kept }) };
}

function quiet(action: Action, secrets: readonly string[]): Action {
  return action.do === 'type' && secrets.includes(action.text)
    ? { ...action, text: secretText }
    : action;
}

/**
 * Secrets of at least this length are also removed from texts; a shorter one could
 * be part of ordinary words.
 */
const shortest = 4;

function hidden(text: string, secrets: readonly string[]): string {
  let out = text;
  for (const secret of secrets)
    if (secret.length >= shortest) out = out.replaceAll(secret, secretText);
  return out;
}
