import { markOf } from './element';
import { secretText } from './recipe';
import type { Action, Deed, Step } from './types';

/**
 * A step as it is written: with what its elements were, so that it can be done
 * again, and without what was typed where secrets are. A field shows a secret as
 * dots, and the backend says so.
 */
export function recorded(step: Step, look: string, known: readonly string[]): Step {
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
      actions: step.thought.actions.map((action) => quiet(action, secrets)),
    },
    deeds: step.deeds.map((deed) => marked(deed, look, secrets)),
  };
}

/** A step of which only the thought is known: what it types may be a secret. */
export function untold(step: Step): Step {
  const actions = step.thought.actions.map((action) =>
    action.do === 'type' && action.text !== '' ? { ...action, text: '…' } : action,
  );
  return { ...step, thought: { ...step.thought, actions } };
}

function marked(deed: Deed, look: string, secrets: readonly string[]): Deed {
  const { action } = deed;
  const { answer } = deed.result;
  const mark = 'ref' in action ? markOf(look, action.ref) : undefined;
  const toMark = 'to' in action ? markOf(look, action.to) : undefined;
  return {
    ...deed,
    action: quiet(action, secrets),
    result: {
      ...deed.result,
      text: hidden(deed.result.text, secrets),
      ...(answer !== undefined && { answer: hidden(answer, secrets) }),
    },
    ...(mark !== undefined && { mark }),
    ...(toMark !== undefined && { toMark }),
  };
}

function quiet(action: Action, secrets: readonly string[]): Action {
  return action.do === 'type' && secrets.includes(action.text)
    ? { ...action, text: secretText }
    : action;
}

/** From this length on a secret is taken out of words, too; a shorter one would take half of them along. */
const shortest = 4;

function hidden(text: string, secrets: readonly string[]): string {
  let out = text;
  for (const secret of secrets)
    if (secret.length >= shortest) out = out.replaceAll(secret, secretText);
  return out;
}
