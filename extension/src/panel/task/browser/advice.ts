import type { Error as Refusal, Suggestion } from '$ui/protocol/protocol';
import { verbs } from '../core/verbs';

/** What a task's model calls the commands that it has as actions or is given without asking. */
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

/** What to do after a failed command, for a task's model. What it has no action for is left out. */
export function advice({ hint = '', next = [] }: Pick<Refusal, 'hint' | 'next'>): string {
  return [hint, ...next.map(inAction)].filter((part) => part !== '').join('; ');
}

function inAction({ command, args = [], does = '' }: Suggestion): string {
  const name = actions[command];
  // An example shows how a line is written, which a task does not write.
  return name === undefined || does === '' ? '' : `${name(args)} ${does}`;
}
