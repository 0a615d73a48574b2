import type { Error as Refusal, Suggestion } from '$ui/protocol/protocol';
import { verbs } from '../core/verbs';

/**
 * For each command that a task's model can use as an action, or that is done for
 * it: what to tell the model.
 */
const actions: Readonly<Record<string, (args: readonly string[]) => string>> = {
  snapshot: () => 'the page of the next turn',
  dialog: ([answer = '']) => `the action dialog with answer ${answer}`,
  newtab: () => 'the action open_tab',
  press: ([keys = '']) => `the action press with keys ${keys}`,
  click: ([target = '']) => `the action click with ref ${target}`,
  ...Object.fromEntries(
    ['tabs', 'reload', 'goto', ...verbs.map(({ name }) => name)].map((name) => [
      name,
      () => `the action ${name}`,
    ]),
  ),
};

/**
 * The advice for a task's model after a failed command. Suggestions without a
 * matching action are left out.
 */
export function advice({ hint = '', next = [] }: Pick<Refusal, 'hint' | 'next'>): string {
  return [hint, ...next.map(inAction)].filter((part) => part !== '').join('; ');
}

function inAction({ command, args = [], does = '' }: Suggestion): string {
  const name = actions[command];
  // Without `does` it is an example of the command line, which a task does not use.
  return name === undefined || does === '' ? '' : `${name(args)} ${does}`;
}
